"""Git directories in the sandbox: read-only, but for commands of git that the user allowed.

Whoever can write one can have git start programs outside of the sandbox: hooks, and what its
settings name.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.small_file import read_small
from ipuaro_jupyter.workspace.git.own_repository import OwnRepository, repository_of
from ipuaro_jupyter.workspace.sandbox.confinement import GitWrites, lies_in
from ipuaro_jupyter.workspace.sandbox.git_marks import (
    GitMark,
    GitMarks,
    common_directory,
    named_directory,
)

_STARTS_PROGRAMS = (
    *("hooks", "config", "config.worktree", "commondir", "gitdir", "info", "objects/info"),
    # the git directories of submodules and of other working trees
    *("modules", "worktrees"),
    # "exec" in the list of a rebase
    *("rebase-merge", "rebase-apply"),
    # remotes, as git kept them once
    *("branches", "remotes"),
)
_MADE_EMPTY = ("hooks", "info", "modules", "objects/info")
_WORKTREE_SETTINGS = b"worktreeconfig"
_ABSENT = ("commondir", "config.worktree")
_REBASE = "rebase-merge/git-rebase-todo"


class GitPlaces(NamedTuple):
    """What a command may do to git directories.

    Attributes:
        writable: Those that it may write.
        protected: What it may not, there or in the project.
        absent: Missing files that git must not find there afterwards.
        links: Each ``.git`` that is a symlink and must stay what it is.
        rebases: What a rebase leaves there that is not done.
    """

    writable: tuple[Path, ...] = ()
    protected: tuple[Path, ...] = ()
    absent: tuple[Path, ...] = ()
    links: tuple[Path, ...] = ()
    rebases: tuple[Path, ...] = ()


def git_places(root: Path, writes: GitWrites, marks: GitMarks) -> GitPlaces:
    """What a command may do to git directories.

    For "commits", what is missing and harmless when empty is made in the project's own.

    Args:
        root: The project's folder, free of symlinks.
        writes: What the command may write.
        marks: What git takes for git directories in the project; for "all", only ``.git`` counts.
    """
    own = None if writes == "nothing" else repository_of(root)
    if writes == "all" and own is not None:
        return GitPlaces(writable=_folders(own))
    if writes == "all":
        marks = {path: mark for path, mark in marks.items() if path == ".git"}
    links = tuple(root / path for path, mark in marks.items() if mark.kind == "link")
    held = dict.fromkeys(
        place for path, mark in marks.items() for place in _held(root, path, mark, marks)
    )
    if own is None or not _complete(own):
        return GitPlaces(protected=tuple(held), links=links)
    folders = _folders(own)
    kept = [folder / name for folder in folders for name in _STARTS_PROGRAMS]
    if any(map(os.path.islink, kept)):  # the link itself could be replaced
        return GitPlaces(protected=tuple(held), links=links)
    return GitPlaces(
        writable=folders,
        protected=(
            *(place for place in kept if place.exists()),
            *(place for place in held if not lies_in(place, folders)),
        ),
        absent=_missing(folders, _ABSENT),
        links=links,
        rebases=_missing(folders, (_REBASE,)),
    )


def _folders(own: OwnRepository) -> tuple[Path, ...]:
    return tuple(dict.fromkeys((own.common, own.folder)))


def _held(root: Path, path: str, mark: GitMark, marks: GitMarks) -> Iterator[Path]:
    """Yield what must not be written for a git directory, or for what names one."""
    place = root / path
    if mark.kind in {"closed", "other"}:
        return
    if path == ".":
        if ".git" not in marks:
            names = (place / name for name in _STARTS_PROGRAMS)
            yield from (each for each in names if each.exists() and not each.is_symlink())
        return
    found = [Path(os.path.realpath(place))]  # of a link, what it leads to
    if folder := named_directory(place):
        found += [folder, common_directory(folder)]
    for each in found:
        if each.exists() and each != root and each.is_relative_to(root):
            yield each


def _complete(own: OwnRepository) -> bool:
    """Make what a git directory lacks and can have empty; return whether that is there now."""
    files = [own.common / "config"]
    with suppress(OSError):
        if _WORKTREE_SETTINGS in read_small(files[0]).lower():
            files += [folder / "config.worktree" for folder in _folders(own)]
    try:
        for name in _MADE_EMPTY:
            (own.common / name).mkdir(parents=True, exist_ok=True)
        for file in files:
            file.touch(exist_ok=True)
    except OSError:
        return False
    return True


def _missing(folders: tuple[Path, ...], names: tuple[str, ...]) -> tuple[Path, ...]:
    found = (folder / name for folder in folders for name in names)
    return tuple(place for place in found if not os.path.lexists(place))
