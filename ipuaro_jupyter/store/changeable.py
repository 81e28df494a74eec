"""Whether files that are shared by several users are safe from the others."""

import os
import stat
from pathlib import Path

_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def changeable_by_others(path: Path) -> Path | None:
    """The file or a folder above it that others than root and this user can change; else None.

    A folder such as ``/tmp``, in which nobody can change what is another's, counts as safe.

    Raises:
        OSError: It cannot be looked at.
    """
    real = path.resolve(strict=True)
    return next((one for one in (real, *real.parents) if _is_open(one)), None)


def _is_open(path: Path) -> bool:
    found = path.stat()
    if found.st_uid not in {0, os.getuid()}:
        return True
    is_sticky = stat.S_ISDIR(found.st_mode) and bool(found.st_mode & stat.S_ISVTX)
    return bool(found.st_mode & _OTHERS) and not is_sticky
