"""Whether single files belong to a project, without a listing of all others."""

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from ipuaro_jupyter.workspace.files.atomic_writes import TEMPORARY
from ipuaro_jupyter.workspace.files.gitignore import IgnoreFile
from ipuaro_jupyter.workspace.files.listing import is_binary, is_utf8
from ipuaro_jupyter.workspace.files.walk import NEVER, USUALLY_NOT, ignore_file_in
from ipuaro_jupyter.workspace.git.git_files import listed_by_git

_MOST = 100


def memberships(
    root: Path, paths: Collection[str], *, ignored: IgnoreFile | None = None
) -> dict[str, bool] | None:
    """Whether `list_files` would list each of these files.

    Args:
        root: The project's folder.
        paths: Regular files in it.
        ignored: As for `list_files`.

    Returns:
        None when only a listing of all files tells: for files that it skips with a reason, in other
        repositories or folders of builds, and for many.
    """
    if len(paths) > _MOST:
        return None
    folders = _FolderRules(root)
    asked: list[str] = []
    for path in paths:
        if not NEVER.isdisjoint(path.split("/")[:-1]):
            continue
        if not _is_plain(path) or not all(map(folders.is_plain, _folders_of(path))):
            return None
        if ignored is None or not _is_named(ignored, path):
            asked.append(path)
    found = listed_by_git(root, asked) if asked else frozenset()
    if found is None:
        found = {path for path in asked if not folders.ignore(path)}
    return {path: path in found for path in paths}


def _is_plain(path: str) -> bool:
    """Whether a file with this name has nothing that a listing would note in another way."""
    name = path.rpartition("/")[2]
    return not (
        name in NEVER
        or name == ".gitignore"
        or name.startswith(TEMPORARY)
        or is_binary(name)
        or not is_utf8(path)
        or not USUALLY_NOT.isdisjoint(path.split("/"))
    )


def _folders_of(path: str) -> Iterator[str]:
    """Yield the folders on the way to a path, from the top, without the project's own."""
    return (path[:end] for end, sign in enumerate(path) if sign == "/")


def _is_named(rules: IgnoreFile, path: str) -> bool:
    """Whether rules for the whole project name a file, or a folder on the way to it."""
    if any(rules.verdict(f, f.rpartition("/")[2], folder=True) for f in _folders_of(path)):
        return True
    return rules.verdict(path, path.rpartition("/")[2], folder=False) is True


class _FolderRules:
    """The folders on the way to files, and the ``.gitignore`` of each, looked at once."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._plain: dict[str, bool] = {}
        self._rules: dict[str, IgnoreFile | None] = {}

    def is_plain(self, folder: str) -> bool:
        """Whether this is a folder, no link to one, and not that of another repository."""
        if folder not in self._plain:
            place = f"{self._root}/{folder}"
            try:
                is_folder = stat.S_ISDIR(os.lstat(place).st_mode)
            except OSError:
                is_folder = False
            self._plain[folder] = is_folder and not os.path.lexists(f"{place}/.git")
        return self._plain[folder]

    def ignore(self, path: str) -> bool:
        """Whether the ``.gitignore`` files on the way to a file leave it out, as in a walk."""
        above = ["", *_folders_of(path)]
        places = [(folder, True) for folder in above[1:]]
        return any(
            self._ignores(above[: depth + 1], place, is_folder=is_folder)
            for depth, (place, is_folder) in enumerate([*places, (path, False)])
        )

    def _ignores(self, above: list[str], place: str, *, is_folder: bool) -> bool:
        name = place.rpartition("/")[2]
        for folder in reversed(above):
            rules = self._of(folder)
            inside = place[len(folder) + 1 :] if folder else place
            verdict = None if rules is None else rules.verdict(inside, name, folder=is_folder)
            if verdict is not None:
                return verdict
        return False

    def _of(self, folder: str) -> IgnoreFile | None:
        if folder not in self._rules:
            place = f"{self._root}/{folder}/.gitignore" if folder else f"{self._root}/.gitignore"
            self._rules[folder] = ignore_file_in(place)
        return self._rules[folder]
