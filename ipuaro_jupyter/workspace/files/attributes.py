"""The permissions, owner and extended attributes of a file, for the one that replaces it."""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ipuaro_jupyter.workspace.files.disk import FILE

_KEPT = ("user.", "system.posix_acl_access", "security.selinux")


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
