"""The folder of a project with its settings, which may name further roots."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ipuaro_jupyter.errors import ProjectError, SettingsError
from ipuaro_jupyter.settings.settings import LoadedSettings, load_settings
from ipuaro_jupyter.store.roots import named_roots, split_name
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
    """The folder of a project of these roots, and of those that its settings name.

    Further roots count where a single one is given: which ones to open with it is for its user to
    say, or to approve.

    Args:
        roots: The folders.
        flags: As for `load_settings`.
        auto_apply: The same.
        confirm: The same.
        must_exist: False allows folders that do not exist.

    Raises:
        ProjectError: One is not a folder, cannot be read, or cannot be opened with the others.
        SettingsError: As for `load_settings`; also for a root in the settings that cannot be
            opened.
    """
    given = [roots] if isinstance(roots, str | Path) else list(roots)
    root = project_of(given, must_exist=must_exist)
    loaded = load_settings(root, flags, auto_apply=auto_apply, confirm=confirm)
    more = loaded.settings.roots
    if not more or named_roots(root):
        return OpenedFolder(root, loaded)
    try:
        joined = project_of([root, *(_placed(root, one) for one in more)], must_exist=must_exist)
    except ProjectError as error:
        where = loaded.sources.get("roots", "the settings")
        raise SettingsError(f"In {where}: 'roots' cannot be opened: {error}") from error
    again = load_settings(joined, flags, auto_apply=auto_apply)
    notices = tuple(dict.fromkeys((*loaded.notices, *again.notices)))
    return OpenedFolder(joined, again._replace(notices=notices))


def _placed(root: Path, named: str) -> str:
    """A root as it is named in settings, relative to the project's folder."""
    name, folder = split_name(named)
    place = root / os.path.expanduser(folder)  # noqa: PTH111 - of a text
    return f"{name}={place}" if name else str(place)
