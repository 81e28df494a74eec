"""File locks: between kernels, and as the sign that a process is alive.

A lock of `flock` belongs to the open file, so a child that inherits the descriptor holds it until
it dies, however it dies. This is how the server and its keeper show that they are alive: no pid is
ever compared, and nothing is stale after kill -9.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ipuaro_jupyter.errors import StorageError

_STEP_S = 0.02


def grab(path: Path) -> int | None:
    """Acquire the lock: a descriptor that the caller closes, or None when another holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def is_held(path: Path) -> bool:
    """Whether a process holds the lock."""
    descriptor = grab(path)
    if descriptor is None:
        return True
    os.close(descriptor)
    return False


@contextmanager
def locked(path: Path, *, wait_s: float) -> Iterator[None]:
    """Hold the lock for the block; threads of one process exclude each other too.

    Raises:
        StorageError: Another held it for ``wait_s`` seconds, or the file cannot be locked.
    """
    deadline = time.monotonic() + wait_s

    def check() -> None:
        if time.monotonic() > deadline:
            raise StorageError(
                f"another process has held {str(path)!r} for {wait_s:.0f} s, starting or "
                "stopping the embedded Redis server; try again, or set redis.url"
            )

    with held(path, meanwhile=check, acquire=_grabbed):
        yield


@contextmanager
def held(
    path: Path,
    *,
    meanwhile: Callable[[], None],
    acquire: Callable[[Path], int | None] = grab,
) -> Iterator[None]:
    """Hold the lock for the block, however long it takes to get it.

    Args:
        path: The file.
        meanwhile: Called while this waits; what it raises ends the waiting.
        acquire: Tries to get the lock, as `grab` does.

    Raises:
        OSError: The file cannot be locked.
    """
    while (descriptor := acquire(path)) is None:
        meanwhile()
        time.sleep(_STEP_S)
    try:
        yield
    finally:
        os.close(descriptor)


def _grabbed(path: Path) -> int | None:
    try:
        return grab(path)
    except OSError as error:
        raise StorageError(
            f"cannot lock {str(path)!r} for the embedded Redis server: {error.strerror}; set "
            "IPUARO_HOME to a folder on a disk of this machine, or redis.url"
        ) from error
