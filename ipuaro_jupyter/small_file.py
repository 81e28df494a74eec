"""The one reader of what a project brings along and is read unasked: its settings and manifests.

A repository decides what its files are. A link may lead to a device without an end, and a pipe
never ends: only regular files are read, without waiting, and none that is larger than settings are.
"""

import errno
import os
import stat
from pathlib import Path

LARGEST_BYTES = 8_000_000
# Opening a pipe without a writer does not wait then, nor do the few files that the system fills.
_READ = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def read_small(path: str | Path, *, largest: int = LARGEST_BYTES) -> bytes:
    """The content of a file.

    Raises:
        OSError: It cannot be read, is no regular file, or has more than ``largest`` bytes.
    """
    path = os.fspath(path)
    try:
        descriptor = os.open(path, _READ | getattr(os, "O_BINARY", 0))
    except ValueError as error:  # a NUL in the name
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", path)
        data = bytearray()
        while piece := os.read(descriptor, min(1 << 20, largest + 1 - len(data))):
            data += piece
            if len(data) > largest:
                raise OSError(errno.EFBIG, f"it has more than {largest:,} bytes", path)
        return bytes(data)
    finally:
        os.close(descriptor)


def read_small_text(path: str | Path, errors: str = "strict") -> str:
    """The text of a file in UTF-8, without a byte order mark, and plain line ends.

    Raises:
        OSError: As by `read_small`.
        UnicodeDecodeError: It is not UTF-8, and ``errors`` is "strict".
    """
    text = read_small(path).decode("utf-8-sig", errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")
