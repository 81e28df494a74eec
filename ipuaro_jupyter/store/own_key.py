"""Keys that stay on this machine, readable by the user alone."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

_BYTES = 32
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def own_key(path: Path) -> bytes:
    """The 32-byte key in a file, which is created at the first call.

    When it cannot be created or read, the key is random and lives as long as this process.
    """
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            _make(path)
        key = path.read_bytes()
        if len(key) == _BYTES:
            return key
    return secrets.token_bytes(_BYTES)


def _make(path: Path) -> None:
    """Write a new key in one step, unless another process is faster."""
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(8)}.tmp")
    try:
        with os.fdopen(os.open(temporary, _NEW, 0o600), "wb") as file:
            file.write(secrets.token_bytes(_BYTES))
        with suppress(FileExistsError):
            path.hardlink_to(temporary)
    finally:
        temporary.unlink(missing_ok=True)
