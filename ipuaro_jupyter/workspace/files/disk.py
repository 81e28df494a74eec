"""Files read and written without being led astray, and never half written.

Paths are relative to the project's root and free of symlinks, as `paths.relative_path` gives
them. Every folder on the way is opened by itself without following links, see `folders`.
"""

import errno
import os
import secrets
import stat
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files import folders
from ipuaro_jupyter.workspace.files.attributes import keep_attributes
from ipuaro_jupyter.workspace.files.folders import parent

LARGEST_BYTES = 32 * 1024 * 1024
TEMPORARY = ".ipuaro-"
"""What the names of files begin with that are being written."""

_SUFFIX = ".tmp"
_PIECE_BYTES = 1_000_000
_LEFT_BEHIND_S = 600.0  # the age from which a temporary file belongs to nobody who still writes
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a FIFO would block
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
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
        links: How many names the file has.
        stamp: What differs as soon as the file is another one or was written to; see `stamp`.
    """

    data: bytes
    mode: int
    links: int = 1
    stamp: tuple[int, ...] = ()

    @property
    def changed_ns(self) -> int:
        """When the file was changed last, permissions included: by its system's clock."""
        return self.stamp[-1]


class _ChangedError(Exception):
    """The file is not what was read."""


def read(root: Path, path: str) -> Content | None:
    """Return a file's content; None when there is none.

    Raises:
        ToolError: "file" when it is no regular file, too large, or cannot be read.
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
        raise _failed("read", path, error) from error


def stamp(root: Path, path: str) -> tuple[int, ...] | None:
    """Return the `Content.stamp` that a file would be read with now; None when there is none.

    A change within a tick of the file system's clock may not show in it.
    """
    try:
        return _stamp(os.lstat(f"{root}/{path}"))
    except OSError:
        return None


def is_writable(root: Path, path: str) -> bool:
    """Return whether the permissions of an existing file allow writing."""
    with suppress(OSError), parent(root, path) as (folder, name):
        return os.access(name, os.W_OK, dir_fd=folder)
    return False


def write(
    root: Path, path: str, data: bytes, *, replaces: Content | None, mode: int | None = None
) -> None:
    """Write a whole file at once: afterwards there is the old content or the new one.

    A file that is replaced keeps its permissions, its owner as far as that is allowed, and its
    extended attributes. Its other names (hard links) keep the old content.

    Args:
        root: The project's folder.
        path: The file; missing folders are made.
        data: Its content.
        replaces: The file as it was read; None for a new one.
        mode: The permission bits; None: those that it has, or those that any new file gets.

    Raises:
        ToolError: "file" when it cannot be written, "conflict" when it is not what was read, or
            there is one already; nothing has changed then.
    """
    made: tuple[str, ...] = ()
    try:
        made = folders.make(root, path) if replaces is None else ()
        with parent(root, path) as (folder, name):
            _sweep(folder)
            _write_in(folder, name, data, replaces=replaces, mode=mode)
    except FileExistsError as error:
        folders.remove(root, made)
        raise ToolError("conflict", f"{path} has appeared in the meantime.") from error
    except FileNotFoundError as error:
        folders.remove(root, made)
        raise _changed(path) from error
    except OSError as error:
        folders.remove(root, made)
        raise _failed("write", path, error) from error
    except _ChangedError as error:
        raise _changed(path) from error


def delete(root: Path, path: str, content: Content) -> None:
    """Delete a file that was read as ``content``.

    Raises:
        ToolError: "file" when that is not possible; "conflict" when it is not what was read.
    """
    try:
        with parent(root, path) as (folder, name):
            _check_same(folder, name, content)
            os.unlink(name, dir_fd=folder)
            _sync(folder)
    except (_ChangedError, FileNotFoundError) as error:
        raise _changed(path) from error
    except OSError as error:
        raise _failed("delete", path, error) from error


def sweep(root: Path, paths: Iterable[str]) -> None:
    """Remove those of some temporary files that nobody writes any more, as far as possible."""
    for place in {path.rpartition("/")[0] for path in paths}:
        with suppress(OSError), folders.opened(root, place) as folder:
            _sweep(folder)


def _open(root: Path, path: str) -> int:
    """Return a descriptor for reading the file; its place is checked after opening it."""
    place = "/".join((str(root), *folders.parts(path)))
    if sys.platform == "linux":  # pragma: no branch - macOS has no /proc
        descriptor = os.open(place, _FILE)
        with suppress(OSError):  # /proc is not mounted
            if os.readlink(f"/proc/self/fd/{descriptor}") == place:  # noqa: PTH115 - as it is
                return descriptor
        os.close(descriptor)
    with parent(root, path) as (folder, name):  # one folder after the other takes twice as long
        return os.open(name, _FILE, dir_fd=folder)


def _content(path: str, descriptor: int) -> Content:
    status = os.fstat(descriptor)
    _check_regular(path, status)
    data = _read(descriptor, status.st_size)
    if len(data) > LARGEST_BYTES:  # it grows
        raise _too_large(path, len(data))
    return Content(data, stat.S_IMODE(status.st_mode), status.st_nlink, _stamp(status))


def _read(descriptor: int, expected: int) -> bytes:
    """Return all bytes, but not much more than `LARGEST_BYTES`.

    A buffer for the largest file would take five times as long as reading what most files hold.
    """
    data = os.read(descriptor, expected + 1)
    if len(data) == expected:
        return data
    whole = bytearray(data)  # it has grown or shrunk, or comes in pieces
    while data and len(whole) <= LARGEST_BYTES:
        data = os.read(descriptor, _PIECE_BYTES)
        whole += data
    return bytes(whole)


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _write_in(
    folder: int, name: str, data: bytes, *, replaces: Content | None, mode: int | None
) -> None:
    temporary = f"{TEMPORARY}{secrets.token_hex(8)}{_SUFFIX}"
    private = replaces is not None or mode is not None
    descriptor = os.open(temporary, _NEW, 0o600 if private else 0o666, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if replaces is not None:
                keep_attributes(descriptor, folder, name)
            if mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        if replaces is None:
            _check_absent(folder, temporary, name)
        else:
            _check_same(folder, name, replaces)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=folder)
    _sync(folder)


def _check_absent(folder: int, temporary: str, name: str) -> None:
    """Take the name with a hard link, which fails when there is one already.

    The replacement that follows then finds the same file under both names, and keeps them both.
    """
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        with suppress(FileNotFoundError):
            os.stat(name, dir_fd=folder, follow_symlinks=False)
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None


def _check_same(folder: int, name: str, content: Content) -> None:
    """Return when the file is still what was read, a moment before it is replaced.

    Raises:
        _ChangedError: It is not.
        FileNotFoundError: It has gone.
    """
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if _stamp(status) == content.stamp:
        return
    descriptor = os.open(name, _FILE, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            same = file.read(len(content.data) + 1) == content.data
    finally:
        os.close(descriptor)
    if not same:
        raise _ChangedError


def _sweep(folder: int) -> None:
    """Remove what a kernel that was killed while it wrote here has left behind."""
    oldest = time.time() - _LEFT_BEHIND_S
    with os.scandir(folder) as found:
        names = [e.name for e in found if e.name.startswith(TEMPORARY)]
    for name in names:
        with suppress(OSError):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            ours = name.endswith(_SUFFIX) and stat.S_ISREG(status.st_mode)
            if ours and status.st_mtime < oldest:
                os.unlink(name, dir_fd=folder)


def _sync(folder: int) -> None:
    with suppress(OSError):  # some file systems cannot, and the change has been made
        os.fsync(folder)


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


def _changed(path: str) -> ToolError:
    return ToolError(
        "conflict",
        f"{path} has been changed at this moment.",
        suggestion="Read the file again, then decide what to change.",
    )


def _failed(verb: str, path: str, error: OSError) -> ToolError:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        reason = "there is a file or a symlink in place of a folder by now"
    else:
        reason = error.strerror or str(error)
    remedy = _REMEDIES.get(error.errno or 0)
    return ToolError("file", f"Cannot {verb} {path}: {reason}.", suggestion=remedy)
