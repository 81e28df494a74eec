"""The file system of a folder: whether the kernel is told of every change there."""

import os
import re
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")
_LOCAL = frozenset(
    {
        *("ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "ramfs", "rootfs", "overlay", "zfs"),
        *("f2fs", "bcachefs", "jfs", "reiserfs", "nilfs2", "vfat", "exfat", "ntfs3", "squashfs"),
    }
)


def foreign_file_system(folder: str, mounts: str | None = None) -> str:
    """The type of a file system that may change without the kernel of this machine; else "".

    Network disks are such, and folders that a virtual machine or a program provides. Those mounted
    inside ``folder`` count, too.

    Args:
        folder: An absolute path without links.
        mounts: The text of ``/proc/self/mountinfo``; None: that of this process. Where there is
            none, the result is "unknown".
    """
    own, inside = ("", "unknown"), []
    for line in mounts_of(folder, mounts):
        point, kind = _point(line), line.partition(" - ")[2].split(" ", 1)[0]
        if _is_in(point, folder) and point != folder:
            inside.append(kind)
        elif len(point) >= len(own[0]):  # the later one hides the other
            own = point, kind
    return next((kind for kind in (own[1], *inside) if kind not in _LOCAL), "")


def mounts_of(folder: str, mounts: str | None = None) -> tuple[str, ...]:
    """The lines on what is mounted at, above and inside a folder; see `foreign_file_system`."""
    if mounts is None:
        try:
            mounts = _MOUNTS.read_text("utf-8", "surrogateescape")
        except OSError:
            return ()
    placed = ((line, _point(line)) for line in mounts.splitlines())
    return tuple(line for line, point in placed if _is_in(point, folder) or _is_in(folder, point))


def _point(line: str) -> str:
    """Where something is mounted."""
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), line.split(" ", 5)[4])


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))  # noqa: PTH118 - text
