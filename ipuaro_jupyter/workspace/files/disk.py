"""Read files safely: never through links.

Paths are relative to the project's root and free of symlinks, as `paths.relative_path` gives them.
Every folder on the way is opened by itself without following links, see `folders`.
"""

import errno
import os
import stat
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files import folders
from ipuaro_jupyter.workspace.files.folders import parent

LARGEST_BYTES = 32 * 1024 * 1024
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""The flags for opening a file to read; a FIFO would block."""

_PIECE_BYTES = 1_000_000
_CLOCK_NS = 50_000_000  # two changes within this time may leave the same time
_COARSE_CLOCK_NS = 2_500_000_000  # where times are whole seconds
_REMEDIES = {
    errno.ENOSPC: "The disk is full; tell the user.",
    errno.EDQUOT: "The disk quota is used up; tell the user.",
    errno.EROFS: "The file system is read-only; tell the user.",
    errno.EACCES: "The permissions do not allow it; tell the user.",
    errno.EPERM: "The permissions do not allow it; tell the user.",
    errno.ENAMETOOLONG: "Use shorter names.",
}


@dataclass(frozen=True)
class Content:
    """A file as it was read.

    Attributes:
        data: All bytes.
        mode: The permission bits.
        links: The number of names the file has.
        stamp: Differs once the file is replaced or written to; see `stamp`.
    """

    data: bytes
    mode: int
    links: int = 1
    stamp: tuple[int, ...] = ()

    @property
    def changed_ns(self) -> int:
        """The time of the last change, permissions included, by its system's clock."""
        return self.stamp[-1]


def read(root: Path, path: str) -> Content | None:
    """The content of a file; None when there is none.

    Raises:
        ToolError: "file" when it is not a regular file, too large, or cannot be read.
    """
    try:
        descriptor = _open(root, path)
        try:
            return _content(path, descriptor)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise ToolError("file", f"{path} is no regular file.") from error
        raise failed("read", path, error) from error


def stamp(root: Path, path: str) -> tuple[int, ...] | None:
    """The `Content.stamp` that reading a file would give now; None when there is none.

    A change within a tick of the file system's clock may not show in it.
    """
    try:
        return stamp_of(os.lstat(f"{root}/{path}"))
    except OSError:
        return None


def is_settled(changed_ns: int) -> bool:
    """Whether a change of a file from now on would give it another time than ``changed_ns``."""
    is_coarse = changed_ns % 1_000_000_000 == 0
    return time.time_ns() - changed_ns >= (_COARSE_CLOCK_NS if is_coarse else _CLOCK_NS)


def is_writable(root: Path, path: str) -> bool:
    """Whether the permissions of an existing file allow writing."""
    with suppress(OSError), parent(root, path) as (folder, name):
        return os.access(name, os.W_OK, dir_fd=folder)
    return False


def _open(root: Path, path: str) -> int:
    """A descriptor for reading the file; its place is checked after opening it."""
    place = "/".join((str(root), *folders.parts(path)))
    if sys.platform == "linux":  # pragma: no branch - macOS has no /proc
        descriptor = os.open(place, FILE)
        with suppress(OSError):  # /proc is not mounted
            if os.readlink(f"/proc/self/fd/{descriptor}") == place:  # noqa: PTH115 - as it is
                return descriptor
        os.close(descriptor)
    with parent(root, path) as (folder, name):  # opening folder by folder takes twice as long
        return os.open(name, FILE, dir_fd=folder)


def _content(path: str, descriptor: int) -> Content:
    status = os.fstat(descriptor)
    _check_regular(path, status)
    data = _read(descriptor, status.st_size)
    if len(data) > LARGEST_BYTES:  # it is growing
        raise _too_large(path, len(data))
    return Content(data, stat.S_IMODE(status.st_mode), status.st_nlink, stamp_of(status))


def _read(descriptor: int, expected: int) -> bytes:
    """All bytes, but not much more than `LARGEST_BYTES`.

    A buffer for the largest file would take five times as long as reading a typical one.
    """
    data = os.read(descriptor, expected + 1)
    if len(data) == expected:
        return data
    whole = bytearray(data)  # it has grown or shrunk, or comes in pieces
    while data and len(whole) <= LARGEST_BYTES:
        data = os.read(descriptor, _PIECE_BYTES)
        whole += data
    return bytes(whole)


def stamp_of(status: os.stat_result) -> tuple[int, ...]:
    """The `Content.stamp` of a file."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _check_regular(path: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(
            "file",
            f"{path or 'The root'} is a folder, not a file.",
            suggestion="See what is in it with get_structure.",
        )
    if not stat.S_ISREG(status.st_mode):
        raise ToolError("file", f"{path} is no regular file.")
    if status.st_size > LARGEST_BYTES:
        raise _too_large(path, status.st_size)


def _too_large(path: str, size_bytes: int) -> ToolError:
    return ToolError(
        "file",
        f"{path} has {size_bytes / 1e6:.0f} MB; files of more than "
        f"{LARGEST_BYTES / 1e6:.0f} MB are neither read nor changed.",
        suggestion="Look at a part of it with run_command, for example with head or grep.",
    )


def failed(verb: str, path: str, error: OSError) -> ToolError:
    """The error for an operation that the system refused, with a remedy."""
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        reason = "a symlink, or a file in place of a folder, is in its path by now"
    else:
        reason = error.strerror or str(error)
    remedy = _REMEDIES.get(error.errno or 0)
    return ToolError("file", f"Cannot {verb} {path}: {reason}.", suggestion=remedy)
