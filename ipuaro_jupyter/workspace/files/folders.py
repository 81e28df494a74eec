"""Folders of the project: opened one by one, never through a link, and locked.

Paths are relative to the project's root, "" being the root itself. When a folder is replaced by a
link after a path was checked, the result is an error and never a file from elsewhere.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Literal

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.store.user_folders import home

_LOCK_WAIT_S = 10.0
_LOCK_FILES = 4096
_LOCK_STEP_S = 0.01
_MOST_LOCKS = 200  # each takes a file descriptor
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Kind = Literal["file", "folder", "any"]
"""The kind of thing a path should name; a link counts as its target."""


def parts(path: str) -> list[str]:
    """The names that a path consists of.

    Raises:
        OSError: The path contains "", "." or "..".
    """
    names = path.split("/")
    if not {"", ".", ".."}.isdisjoint(names):
        raise OSError(errno.EINVAL, "the path is not a plain one")
    return names


def inner_path(root: Path, place: str) -> str | None:
    """The path in the project of an absolute one, "" for its folder; None outside."""
    folder = str(root)
    if place == folder:
        return ""
    above = f"{folder.rstrip('/')}/"
    return place[len(above) :] if place.startswith(above) else None


def is_inside(place: str, root: Path) -> bool:
    """Whether an absolute path names the project's folder or something in it."""
    return inner_path(root, place) is not None


@contextmanager
def opened(root: Path, folder: str) -> Iterator[int]:
    """Provide a descriptor of a folder.

    Raises:
        OSError: It does not exist, cannot be read, or is reached through a link.
    """
    descriptor = os.open(root, _FOLDER)
    try:
        for name in parts(folder) if folder else ():
            inner = os.open(name, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def parent(root: Path, path: str) -> Iterator[tuple[int, str]]:
    """Provide a descriptor of the folder that contains ``path``, and the name in it.

    Raises:
        OSError: As for `opened`.
    """
    *above, name = parts(path)
    with opened(root, "/".join(above)) as descriptor:
        yield descriptor, name


def entries(root: Path, folder: str) -> dict[str, int]:
    """The names in a folder with their inode numbers; empty when it cannot be read."""
    try:
        with opened(root, folder) as descriptor, os.scandir(descriptor) as found:
            return {entry.name: entry.inode() for entry in found}
    except OSError:
        return {}


def missing(root: Path, path: str) -> tuple[str, ...]:
    """The folders on the way to ``path`` that do not exist, the outermost first.

    Empty when something else is in the way.
    """
    above = parts(path)[:-1]
    for depth in range(1, len(above) + 1):
        try:
            with opened(root, "/".join(above[:depth])):
                pass
        except FileNotFoundError:
            return tuple("/".join(above[:each]) for each in range(depth, len(above) + 1))
        except OSError:
            break
    return ()


def make(root: Path, path: str) -> tuple[str, ...]:
    """Make the folders on the way to ``path``; return the new ones, the outermost first.

    Raises:
        OSError: That is not possible; those already made are removed again.
    """
    made: list[str] = []
    try:
        for folder in missing(root, path):
            with parent(root, folder) as (above, name), suppress(FileExistsError):
                os.mkdir(name, dir_fd=above)
                made.append(folder)
    except OSError:
        remove(root, made)
        raise
    return tuple(made)


def remove(root: Path, folders: Sequence[str]) -> None:
    """Remove those of ``folders``, the outermost first, that are empty."""
    for folder in reversed(folders):
        with suppress(OSError), parent(root, folder) as (above, name):
            os.rmdir(name, dir_fd=above)


@contextmanager
def locked(root: Path, *paths: str, wait_s: float = _LOCK_WAIT_S) -> Iterator[None]:
    """Lock the project against changes by other threads and processes of ours.

    A folder below or above ``root`` may be open as a project of its own. So the folders of the
    files are locked too, always in the same order. Locked are files of the user's own for them:
    whoever can read a folder could lock that.

    Args:
        root: The project's folder.
        paths: The files that will be changed.
        wait_s: How long to wait for others, in seconds.

    Raises:
        ToolError: "file" when another one takes too long.
        Cancelled: The user pressed stop meanwhile.
    """
    deadline = time.monotonic() + wait_s
    with ExitStack() as stack:
        wanted = sorted({"", *(_nearest(root, path) for path in paths)}, key=_order)
        marks = set()
        for folder in wanted[:_MOST_LOCKS]:
            with suppress(OSError), opened(root, folder) as descriptor:  # the operation reports it
                state = os.fstat(descriptor)
                marks.add((state.st_dev * 31 + state.st_ino) % _LOCK_FILES)
        for mark in sorted(marks):
            with suppress(OSError):
                descriptor = _lock_file(mark)
                stack.callback(os.close, descriptor)
                _lock(descriptor, deadline)
        yield


def _lock_file(mark: int) -> int:
    """One of the files that are locked in place of folders: few, so none is ever removed."""
    place = home() / "locks"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.open(place / f"{mark:03x}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _order(folder: str) -> list[str]:
    """The sort key that puts a folder before its content, whatever the root is."""
    return folder.split("/") if folder else []


def _nearest(root: Path, path: str) -> str:
    """The folder of ``path`` or, if it does not exist, the nearest existing one above."""
    folder = path.rpartition("/")[0]
    while folder and not os.path.isdir(root / folder):  # noqa: PTH112 - false for what is no path
        folder = folder.rpartition("/")[0]
    return folder


def _lock(descriptor: int, deadline: float) -> None:
    while not try_lock(descriptor):
        if time.monotonic() > deadline:
            raise ToolError(
                "file",
                "Another program has locked the project's folder for too long.",
                suggestion="Try again.",
            )
        checkpoint()
        time.sleep(_LOCK_STEP_S)


def try_lock(descriptor: int) -> bool:
    """Lock a file or folder for writing, without waiting; False when somebody else has it.

    True, too, where the file system locks nothing.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network file systems cannot
        return True
    return True
