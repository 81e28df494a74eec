"""What git takes for a git directory in a project, found by walking it.

Installed packages, built and ignored folders are walked too: who enters one runs git there.
"""

import os
import stat
from collections import deque
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.small_file import read_small

_NAME = ".git"
_MOST_FOLDERS = 200_000
_LOOKS_AGAIN = 200  # folders, after which the user may have stopped
_LONGEST_BYTES = 8192
_GITDIR = "gitdir:"


class GitMark(NamedTuple):
    """What git takes for a git directory, or for the name of one.

    Attributes:
        kind: "folder", "file" and "link" are called ``.git``; "bare" is a folder of any name that
            looks like a git directory; "closed" is one that could not be looked into; "other" is
            of no use to git.
        told: What a file or a link says; of a folder, its number on the disk.
    """

    kind: Literal["folder", "file", "link", "bare", "closed", "other"]
    told: str


GitMarks = Mapping[str, GitMark]
"""By their paths, relative to the project; its root is "."."""


def git_marks(root: Path, *, check: Callable[[], None] = checkpoint) -> dict[str, GitMark]:
    """The git directories in a project, and what names one; links are not followed.

    Of a very large project, those in the first 200,000 folders, the upper ones first; the next one
    is "closed".

    Args:
        root: The project's folder.
        check: Called now and then; by default it raises Cancelled when the user asked to stop.
    """
    found: dict[str, GitMark] = {}
    pending = deque([""])
    for entered in range(_MOST_FOLDERS):
        if not pending:
            break
        if not entered % _LOOKS_AGAIN:
            check()
        folder = pending.popleft()
        entries = _entries(f"{root}/{folder}")
        if entries is None:
            found[folder or "."] = GitMark("closed", "")
            continue
        prefix = f"{folder}/" if folder else ""
        is_bare = _is_bare({entry.name for entry in entries})
        if is_bare:
            found[folder or "."] = git_mark(f"{root}/{folder}")._replace(kind="bare")
        for entry in entries:
            if entry.name.casefold() == _NAME:
                found[prefix + entry.name] = git_mark(entry.path)
            elif not (is_bare and folder) and entry.is_dir(follow_symlinks=False):
                pending.append(prefix + entry.name)
    if pending:
        found[pending[0]] = GitMark("closed", "")
    return found


def _entries(folder: str) -> list["os.DirEntry[str]"] | None:
    """What is in a folder; None when that cannot be known."""
    try:
        with os.scandir(folder) as scanned:
            return list(scanned)
    except FileNotFoundError:  # it has gone since
        return []
    except OSError:
        return None


def named_directory(mark: Path) -> Path | None:
    """The git directory that a ``.git`` is or names, without symlinks; None when it is none."""
    folder = Path(os.path.realpath(mark))
    if not folder.is_dir():
        told = text_of(mark)
        if not told.startswith(_GITDIR):
            return None
        folder = Path(os.path.realpath(mark.parent / told.removeprefix(_GITDIR).strip()))
    return folder if os.path.lexists(folder / "HEAD") else None


def common_directory(folder: Path) -> Path:
    """The git directory with the settings and hooks of another one: mostly itself."""
    return Path(os.path.realpath(folder / text_of(folder / "commondir")))


def text_of(file: Path) -> str:
    """The text of a file that holds a path; "" when it is no file that can be read."""
    try:
        return os.fsdecode(read_small(file, largest=_LONGEST_BYTES)).strip().replace("\0", "")
    except OSError:
        return ""


def _is_bare(names: Collection[str]) -> bool:
    return "HEAD" in names and ("commondir" in names or {"objects", "refs"} <= {*names})


def git_mark(path: str) -> GitMark:
    """What git would find at a path that ends with ``.git``."""
    try:
        state = os.lstat(path)
        if stat.S_ISLNK(state.st_mode):
            return GitMark("link", str(Path(path).readlink()))
    except OSError:  # it has gone since
        return GitMark("other", "")
    if stat.S_ISDIR(state.st_mode):
        return GitMark("folder", _number(state))
    if stat.S_ISREG(state.st_mode):
        return GitMark("file", text_of(Path(path)))
    return GitMark("other", "")


def _number(state: os.stat_result) -> str:
    return f"{state.st_dev}:{state.st_ino}"
