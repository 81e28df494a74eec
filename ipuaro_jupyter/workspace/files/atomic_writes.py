"""Write and delete files safely: never through links, never half written.

Paths are relative to the project's root and free of symlinks, as `paths.relative_path` gives them.
Every folder on the way is opened by itself without following links, see `folders`.
"""

import errno
import os
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files import folders
from ipuaro_jupyter.workspace.files.disk import FILE, Content, failed, stamp_of
from ipuaro_jupyter.workspace.files.folders import parent

TEMPORARY = ".ipuaro-"
"""The prefix of the names of files that are being written."""

_SUFFIX = ".tmp"
_LEFT_BEHIND_S = 600.0  # the age from which a temporary file has no writer any more
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_KEPT = ("user.", "system.posix_acl_access", "security.selinux")


class _ChangedError(Exception):
    """The file differs from the one that was read."""


@dataclass(frozen=True)
class StagedFile:
    """A file whose new content is on the disk beside it, and has yet to take its place.

    Attributes:
        path: The file.
        temporary: The name of the file with the new content, in the same folder.
        replaces: The file as it was read; None for a new one.
        made: The folders made for it, the outermost first.
    """

    path: str
    temporary: str
    replaces: Content | None
    made: tuple[str, ...] = ()


def write(
    root: Path, path: str, data: bytes, *, replaces: Content | None, mode: int | None = None
) -> None:
    """Write a whole file atomically: afterwards there is the old content or the new one.

    A replaced file keeps its permissions, its owner as far as that is allowed, and its extended
    attributes. Its other names (hard links) keep the old content.

    Args:
        root: The project's folder.
        path: The file; missing folders are made.
        data: Its content.
        replaces: The file as it was read; None for a new one.
        mode: The permission bits; None: the present ones, or those of any new file.

    Raises:
        ToolError: "file" when it cannot be written, "conflict" when it differs from ``replaces``,
            or exists already; nothing has changed then.
    """
    put_in_place(root, stage(root, path, data, replaces=replaces, mode=mode))


def stage(
    root: Path,
    path: str,
    data: bytes,
    *,
    replaces: Content | None,
    mode: int | None = None,
    temporary: str | None = None,
) -> StagedFile:
    """Write the new content of a file beside it, with everything that a full disk could prevent.

    Args:
        root: As for `write`.
        path: As for `write`.
        data: As for `write`.
        replaces: As for `write`.
        mode: As for `write`.
        temporary: The name to use until then, as `temporary_name` makes it; None: any.

    Raises:
        ToolError: As for `write`.
    """
    made: tuple[str, ...] = ()
    name = temporary or temporary_name(secrets.token_hex(8))
    with _translated(root, path, lambda: made):
        made = folders.make(root, path) if replaces is None else ()
        with parent(root, path) as (folder, final):
            _sweep(folder)
            _write_beside(folder, name, data, beside=final if replaces else None, mode=mode)
    return StagedFile(path, name, replaces, made)


def put_in_place(root: Path, staged: StagedFile) -> None:
    """Let a staged file take its place; when that fails, it goes.

    Raises:
        ToolError: As for `write`.
    """
    with (
        _translated(root, staged.path, lambda: staged.made),
        parent(root, staged.path) as (folder, name),
    ):
        temporary = staged.temporary
        try:
            if staged.replaces is None:
                _check_absent(folder, temporary, name)
            else:
                _check_same(folder, name, staged.replaces)
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)
        _sync(folder)


def discard(root: Path, staged: StagedFile) -> None:
    """Remove a staged file, and the folders that were made for it."""
    remove_temporary(root, staged.path, staged.temporary)
    folders.remove(root, staged.made)


def remove_temporary(root: Path, path: str, temporary: str) -> None:
    """Remove a temporary file beside ``path``, if there is one."""
    with suppress(OSError), parent(root, path) as (folder, _):
        os.unlink(temporary, dir_fd=folder)


def temporary_name(key: str) -> str:
    """The name of a temporary file; ``key`` tells it from others in its folder."""
    return f"{TEMPORARY}{key}{_SUFFIX}"


@contextmanager
def _translated(root: Path, path: str, made: Callable[[], Sequence[str]]) -> Iterator[None]:
    """Turn what the system refuses into a ToolError, and remove the folders ``made``."""
    try:
        yield
    except FileExistsError as error:
        folders.remove(root, made())
        raise ToolError("conflict", f"{path} has appeared in the meantime.") from error
    except FileNotFoundError as error:
        folders.remove(root, made())
        raise _changed(path) from error
    except OSError as error:
        folders.remove(root, made())
        raise failed("write", path, error) from error
    except _ChangedError as error:
        raise _changed(path) from error


def delete(root: Path, path: str, content: Content) -> None:
    """Delete a file that was read as ``content``.

    Raises:
        ToolError: "file" when that is not possible; "conflict" when it differs from ``content``.
    """
    try:
        with parent(root, path) as (folder, name):
            _check_same(folder, name, content)
            os.unlink(name, dir_fd=folder)
            _sync(folder)
    except (_ChangedError, FileNotFoundError) as error:
        raise _changed(path) from error
    except OSError as error:
        raise failed("delete", path, error) from error


def sweep(root: Path, paths: Iterable[str]) -> None:
    """Remove the temporary files that have no writer any more, as far as possible."""
    for place in {path.rpartition("/")[0] for path in paths}:
        with suppress(OSError), folders.opened(root, place) as folder:
            _sweep(folder)


def _write_beside(
    folder: int, temporary: str, data: bytes, *, beside: str | None, mode: int | None
) -> None:
    """Write a temporary file, with the attributes of the file ``beside``, if any."""
    private = beside is not None or mode is not None
    descriptor = os.open(temporary, _NEW, 0o600 if private else 0o666, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if beside is not None:
                keep_attributes(descriptor, folder, beside)
            if mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _check_absent(folder: int, temporary: str, name: str) -> None:
    """Claim the name with a hard link, which fails when it exists already.

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
    """Raise _ChangedError unless the file is unchanged, a moment before it is replaced.

    Raises:
        _ChangedError: It has changed.
        FileNotFoundError: It has gone.
    """
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stamp_of(status) == content.stamp:
        return
    descriptor = os.open(name, FILE, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            same = file.read(len(content.data) + 1) == content.data
    finally:
        os.close(descriptor)
    if not same:
        raise _ChangedError


def _sweep(folder: int) -> None:
    """Remove the temporary files that a killed kernel has left here."""
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
    with suppress(OSError):  # some file systems cannot, and the change is made anyway
        os.fsync(folder)


def _changed(path: str) -> ToolError:
    return ToolError(
        "conflict",
        f"{path} has been changed at this moment.",
        suggestion="Read the file again, then decide what to change.",
    )


def keep_attributes(descriptor: int, folder: int, name: str) -> None:
    """Give a new file the attributes of the old one, as far as that is allowed.

    Args:
        descriptor: The new file.
        folder: A descriptor of the folder of the old one.
        name: Its name there.

    Raises:
        OSError: The old file has gone, or is a link by now.
    """
    old, own = os.stat(name, dir_fd=folder, follow_symlinks=False), os.fstat(descriptor)
    if (own.st_uid, own.st_gid) != (old.st_uid, old.st_gid):
        keep_owner(descriptor, old)
    if sys.platform == "linux":  # pragma: no branch - Python has no such functions on macOS
        _copy_extended(folder, name, descriptor)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def keep_owner(descriptor: int, old: os.stat_result) -> None:
    """Give a file the owner of another one, or at least its group, if that is allowed."""
    try:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    except PermissionError:  # only root may give files away; one of our own groups is kept
        with suppress(PermissionError):
            os.fchown(descriptor, -1, old.st_gid)


def _copy_extended(folder: int, name: str, target: int) -> None:
    with suppress(OSError), _reached(folder, name) as source:  # not every file system has them
        kept = [each for each in os.listxattr(source) if each.startswith(_KEPT)]
        for each in kept:
            with suppress(OSError):
                os.setxattr(target, each, os.getxattr(source, each))


@contextmanager
def _reached(folder: int, name: str) -> Iterator[str | int]:
    """Provide the argument that the functions for extended attributes take for a file.

    That is a path where /proc is mounted, so that the file need not be opened.
    """
    place = f"/proc/self/fd/{folder}/{name}"
    if os.path.lexists(place):
        yield place
        return
    descriptor = os.open(name, FILE, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
