"""The folders of a project in which files may appear, change and vanish."""

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from ipuaro_jupyter.workspace.files.walk import NEVER, USUALLY_NOT, walked_files
from ipuaro_jupyter.workspace.git.git_files import ignored_folders


def watched_folders(root: Path, files: Iterable[str]) -> set[str]:
    """The folders that are not ignored, empty ones included, "" being ``root``.

    No symlink is followed. Build folders are included only when files of the project are in them.

    Args:
        root: The project's folder.
        files: The project's files as far as they are known.
    """
    ignored, used = ignored_folders(root), parents(files)
    if ignored is None:
        entered: list[str] = []
        for _ in walked_files(str(root), {}, entered):
            pass
    else:
        entered = _walked(str(root), ignored, used)
    return {*entered, *used}


def parents(files: Iterable[str]) -> set[str]:
    """The folders that contain files, without the root."""
    found: set[str] = set()
    for path in files:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def _walked(top: str, ignored: Collection[str], used: Collection[str]) -> list[str]:
    found: list[str] = []
    pending = [""]
    while pending:
        folder = pending.pop()
        prefix = f"{folder}/" if folder else ""
        try:
            with os.scandir(f"{top}/{folder}") as entries:
                names = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        found.append(folder)
        paths = [prefix + name for name in names if name not in NEVER]
        wanted = (path for path in paths if path in used or _is_usual(path))
        pending += [path for path in wanted if path not in ignored]
    return found


def _is_usual(folder: str) -> bool:
    return folder.rpartition("/")[2] not in USUALLY_NOT
