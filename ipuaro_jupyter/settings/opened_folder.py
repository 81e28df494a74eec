"""The folder of a project with its settings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ipuaro_jupyter.settings.settings import LoadedSettings, load_settings
from ipuaro_jupyter.workspace.approval import Confirm
from ipuaro_jupyter.workspace.files.paths import project_of

Roots = str | Path | Sequence[str | Path]
"""The folder of a project, or several, each perhaps as ``name=folder``."""


class OpenedFolder(NamedTuple):
    """The folder of a project, and its settings."""

    root: Path
    loaded: LoadedSettings


def opened_folder(
    roots: Roots,
    flags: Mapping[str, Any],
    *,
    auto_apply: bool = False,
    confirm: Confirm | None = None,
    must_exist: bool = True,
) -> OpenedFolder:
    """The folder of a project of these roots, and its settings.

    Args:
        roots: The folders.
        flags: As for `load_settings`.
        auto_apply: The same.
        confirm: The same.
        must_exist: False allows folders that do not exist.

    Raises:
        ProjectError: One is not a folder, cannot be read, or cannot be opened with the others.
        SettingsError: As for `load_settings`.
    """
    given = [roots] if isinstance(roots, str | Path) else list(roots)
    root = project_of(given, must_exist=must_exist)
    return OpenedFolder(root, load_settings(root, flags, auto_apply=auto_apply, confirm=confirm))
