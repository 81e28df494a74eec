"""The files below a folder, found by walking it: without git, or where git does not work."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.workspace.files.built_folders import JUDGED, is_written_by_hand
from ipuaro_jupyter.workspace.files.gitignore import IgnoreFile
from ipuaro_jupyter.workspace.git.git_files import UNREADABLE

NEVER = frozenset({"node_modules", ".git", ".ipynb_checkpoints"})
"""Names that are never part of a project; in the last, JupyterLab keeps copies of open files."""

USUALLY_NOT = frozenset(
    {
        *("dist", "build", "out", ".next", ".nuxt", "coverage", ".cache", ".turbo"),
        *("__pycache__", ".venv"),
    }
)
"""Names of folders that are part of a project only if git tracks files in them.

Without git, those of some of the names (`built_folders.JUDGED`) are if they were written by hand.
"""


BUILT = "built files, going by their content"
"""The reason why a folder of a name in `built_folders.JUDGED` is left out."""


@dataclass(frozen=True)
class _Folder:
    """A folder to visit, with the rules that apply there: (length of their folder, rules)."""

    path: str
    rules: tuple[tuple[int, IgnoreFile], ...]


def walked_files(
    top: str, unreadable: dict[str, str], entered: list[str] | None = None
) -> Iterator[str]:
    """Yield everything below ``top`` but folders, symlinks included, relative to it, unsorted.

    Args:
        top: A folder.
        unreadable: Receives the folders that cannot be read or were built, with the reason.
        entered: Receives the folders that were visited, ``top`` being "".
    """
    pending = [_Folder("", ())]
    while pending:
        checkpoint()
        folder = pending.pop()
        prefix = f"{folder.path}/" if folder.path else ""
        try:
            with os.scandir(f"{top}/{folder.path}") as found:
                entries = list(found)
        except OSError as error:
            unreadable[folder.path] = f"{UNREADABLE}{error.strerror}"
            continue
        if entered is not None:
            entered.append(folder.path)
        rules = _rules(folder, prefix, entries)
        for entry in entries:
            name = entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if name in NEVER or (is_folder and name in USUALLY_NOT - JUDGED):
                continue
            path = prefix + name
            if rules and _ignored(path, name, rules, folder=is_folder):
                continue
            if is_folder and name in JUDGED and not is_written_by_hand(top, path):
                unreadable[path] = BUILT
                continue
            if is_folder:
                pending.append(_Folder(path, rules))
            else:
                yield path


def _rules(
    folder: _Folder, prefix: str, entries: list[os.DirEntry[str]]
) -> tuple[tuple[int, IgnoreFile], ...]:
    """The rules that apply in a folder, the nearest first."""
    for entry in entries:
        if entry.name == ".gitignore":
            own = ignore_file_in(entry.path)
            return folder.rules if own is None else ((len(prefix), own), *folder.rules)
    return folder.rules


def ignore_file_in(place: str) -> IgnoreFile | None:
    """The rules of a ``.gitignore``; None when it cannot be read, or is no regular file."""
    try:
        if not stat.S_ISREG(os.lstat(place).st_mode):
            return None
        with open(place, encoding="utf-8-sig", errors="replace", newline="") as file:  # noqa: PTH123 - of a scan
            return IgnoreFile(file.read())
    except OSError:
        return None


def _ignored(
    path: str, name: str, rules: tuple[tuple[int, IgnoreFile], ...], *, folder: bool
) -> bool:
    for start, file in rules:
        verdict = file.verdict(path[start:], name, folder=folder)
        if verdict is not None:
            return verdict
    return False
