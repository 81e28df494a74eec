"""The git directory in the sandbox: read-only, but for commands of git that the user allowed.

Whoever can write it can have git start programs outside of the sandbox: hooks, and what its
settings name.
"""

import os
from pathlib import Path

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.git.own_repository import own_repository
from ipuaro_jupyter.workspace.sandbox.confinement import GitWrites

_STARTS_PROGRAMS = ("hooks", "config", "config.worktree", "modules", "commondir", "gitdir")


def git_places(root: Path, writes: GitWrites) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """What of git directories is writable, and what is not although it lies in the project.

    Args:
        root: The project's folder, free of symlinks.
        writes: What a command may write.
    """
    mark = root / ".git"
    is_own = mark.exists() and not mark.is_symlink()
    if writes == "nothing":
        return (), (mark,) if is_own else ()
    try:
        own = own_repository(root)
    except ToolError:  # it leads elsewhere, or there is none
        return (), (mark,) if is_own else ()
    folders = tuple(dict.fromkeys((own.common, own.folder)))
    if writes == "all":
        return folders, ()
    kept = [folder / name for folder in folders for name in _STARTS_PROGRAMS]
    if mark.is_file() and is_own:
        kept.append(mark)
    return folders, tuple(place for place in kept if place.exists() and not os.path.islink(place))  # noqa: PTH114 - beside lexists
