"""The folder of a project with its settings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ipuaro_jupyter.settings.removed_settings import only_first
from ipuaro_jupyter.settings.settings import LoadedSettings, load_settings
from ipuaro_jupyter.workspace.approval import Confirm
from ipuaro_jupyter.workspace.files.paths import project_folder

Folder = str | Path | Sequence[str | Path]
"""The folder of a project. Of several, only the first counts; that is told."""


class OpenedFolder(NamedTuple):
    """The folder of a project, and its settings."""

    root: Path
    loaded: LoadedSettings


def opened_folder(
    folder: Folder,
    flags: Mapping[str, Any],
    *,
    auto_apply: bool = False,
    confirm: Confirm | None = None,
) -> OpenedFolder:
    """The folder of a project, and its settings.

    Args:
        folder: The folder.
        flags: As for `load_settings`.
        auto_apply: The same.
        confirm: The same.

    Raises:
        ProjectError: It is not a folder, or cannot be read.
        SettingsError: As for `load_settings`.
    """
    first, told = only_first([folder] if isinstance(folder, str | Path) else folder)
    root = project_folder(first)
    loaded = load_settings(root, flags, auto_apply=auto_apply, confirm=confirm)
    if told:
        loaded = loaded._replace(notices=(told, *loaded.notices))
    return OpenedFolder(root, loaded)
