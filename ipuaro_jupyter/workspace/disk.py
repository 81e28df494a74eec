"""Files read and written without being led astray, and never half written.

Paths are relative to the project's root and free of symlinks, as `paths.relative_path` gives
them. Every folder on the way is opened by itself without following links, so that whoever
replaces one by a link in between gets an error and not a file from somewhere else.
"""

import errno
import fcntl
import os
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ipuaro_jupyter.errors import ToolError

LARGEST_BYTES = 32 * 1024 * 1024
TEMPORARY = ".ipuaro-"
"""What the names of files begin with that are being written."""

_LOCK_WAIT_S = 10.0
_LOCK_STEP_S = 0.01
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a FIFO would block
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_REMEDIES = {
    errno.ENOSPC: "The disk is full; tell the user.",
    errno.EDQUOT: "The disk quota is used up; tell the user.",
    errno.EROFS: "The file system is read-only; tell the user.",
    errno.EACCES: "The permissions do not allow it; tell the user.",
    errno.EPERM: "The permissions do not allow it; tell the user.",
}


@dataclass(frozen=True)
class Content:
    """A file as it was read. ``mode`` is its permission bits."""

    data: bytes
    mode: int


def read(root: Path, path: str) -> Content | None:
    """Return a file's content; None when there is none.

    Raises:
        ToolError: "file" when it is no regular file, too large, or cannot be read.
    """
    try:
        descriptor = _open(root, path)
        try:
            status = os.fstat(descriptor)
            _check_regular(path, status)
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return Content(file.read(), stat.S_IMODE(status.st_mode))
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise ToolError("file", f"{path} is no regular file.") from error
        raise _failed("read", path, error) from error


def is_writable(root: Path, path: str) -> bool:
    """Return whether the permissions of an existing file allow writing."""
    with suppress(OSError), _parent(root, path) as (folder, name):
        return os.access(name, os.W_OK, dir_fd=folder)
    return False


def write(root: Path, path: str, data: bytes, *, mode: int | None, new: bool) -> tuple[str, ...]:
    """Write a whole file at once: afterwards there is the old content or the new one.

    Args:
        root: The project's folder.
        path: The file; missing folders are made.
        data: Its content.
        mode: Its permission bits; None: those of any new file.
        new: Fail when there is a file already, instead of replacing it.

    Returns:
        The folders that were made, the outermost first.

    Raises:
        ToolError: "file" when it cannot be written; nothing has changed then.
    """
    made: list[str] = []
    try:
        _make_folders(root, path, made)
        with _parent(root, path) as (folder, name):
            _write_in(folder, name, data, mode=mode, new=new)
    except OSError as error:
        remove_folders(root, made)
        if isinstance(error, FileExistsError):
            raise ToolError("conflict", f"{path} has appeared in the meantime.") from error
        raise _failed("write", path, error) from error
    return tuple(made)


def delete(root: Path, path: str) -> None:
    """Delete a file.

    Raises:
        ToolError: "file" when that is not possible.
    """
    try:
        with _parent(root, path) as (folder, name):
            os.unlink(name, dir_fd=folder)
            _sync(folder)
    except OSError as error:
        raise _failed("delete", path, error) from error


def remove_folders(root: Path, folders: list[str] | tuple[str, ...]) -> None:
    """Remove those of ``folders``, the outermost first, that are empty."""
    for path in reversed(folders):
        with suppress(OSError), _parent(root, path) as (folder, name):
            os.rmdir(name, dir_fd=folder)


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Be the only one of us, in any process or thread, who changes the project.

    Raises:
        ToolError: "file" when another one takes too long.
    """
    deadline = time.monotonic() + _LOCK_WAIT_S
    descriptor = os.open(root, _FOLDER)
    try:
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                raise ToolError(
                    "file",
                    f"Another program has locked the project's folder for {_LOCK_WAIT_S:g} s.",
                    suggestion="Try again.",
                )
            time.sleep(_LOCK_STEP_S)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network file systems have no locks for folders
        return True
    return True


def _open(root: Path, path: str) -> int:
    """Return a descriptor for reading the file; its place is checked after opening it."""
    place = "/".join((str(root), *_parts(path)))
    if sys.platform == "linux":
        descriptor = os.open(place, _FILE)
        with suppress(OSError):  # /proc is not mounted
            if os.readlink(f"/proc/self/fd/{descriptor}") == place:  # noqa: PTH115 - as it is
                return descriptor
        os.close(descriptor)
    with _parent(root, path) as (folder, name):  # one folder after the other takes twice as long
        return os.open(name, _FILE, dir_fd=folder)


@contextmanager
def _parent(root: Path, path: str) -> Iterator[tuple[int, str]]:
    """Give a descriptor of the folder that ``path`` is in, and its name there."""
    *folders, name = _parts(path)
    with ExitStack() as stack:
        descriptor = os.open(root, _FOLDER)
        stack.callback(os.close, descriptor)
        for folder in folders:
            descriptor = os.open(folder, _FOLDER, dir_fd=descriptor)
            stack.callback(os.close, descriptor)
        yield descriptor, name


def _parts(path: str) -> list[str]:
    parts = path.split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        raise OSError(errno.EINVAL, "the path is not a plain one")
    return parts


def _make_folders(root: Path, path: str, made: list[str]) -> None:
    parents = path.split("/")[:-1]
    for depth in range(1, len(parents) + 1):
        place = "/".join(parents[:depth])
        with _parent(root, place) as (folder, name), suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
            made.append(place)


def _write_in(folder: int, name: str, data: bytes, *, mode: int | None, new: bool) -> None:
    temporary = f"{TEMPORARY}{secrets.token_hex(8)}.tmp"
    descriptor = os.open(temporary, _NEW, 0o644 if mode is None else 0o600, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if not new:
                _keep_owner(descriptor, os.stat(name, dir_fd=folder, follow_symlinks=False))
            if mode is not None:
                os.fchmod(descriptor, mode)
            file.flush()
            os.fsync(descriptor)
        if new:
            _check_absent(folder, temporary, name)
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


def _keep_owner(descriptor: int, old: os.stat_result) -> None:
    own = os.fstat(descriptor)
    if (own.st_uid, own.st_gid) != (old.st_uid, old.st_gid):
        with suppress(PermissionError):  # only root may give files away
            os.fchown(descriptor, old.st_uid, old.st_gid)


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
        raise ToolError(
            "file",
            f"{path} has {status.st_size / 1e6:.0f} MB; files of more than "
            f"{LARGEST_BYTES / 1e6:.0f} MB are neither read nor changed.",
        )


def _failed(verb: str, path: str, error: OSError) -> ToolError:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        reason = "there is a file or a symlink in place of a folder by now"
    else:
        reason = error.strerror or str(error)
    remedy = _REMEDIES.get(error.errno or 0)
    return ToolError("file", f"Cannot {verb} {path}: {reason}.", suggestion=remedy)
