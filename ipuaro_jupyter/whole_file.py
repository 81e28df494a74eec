"""Files outside the project, written in full or not at all."""

import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_NEW_MODE = 0o666  # minus the umask


def write_whole(path: Path, parts: Iterable[str | bytes]) -> None:
    """Write ``parts`` to ``path``, text as UTF-8; an older file stays until the new one is whole.

    The file keeps its permission bits; a new one gets those that the umask leaves. A symlink stays,
    and its target is written.

    Raises:
        OSError: It cannot be written; nothing has changed then.
    """
    target = path.resolve()
    mode: int | None = None
    with suppress(FileNotFoundError):
        mode = target.stat().st_mode & 0o7777
    temporary = target.with_name(f".ipuaro-{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, _NEW, _NEW_MODE if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(one if isinstance(one, bytes) else one.encode() for one in parts)
            if mode is not None:
                os.fchmod(descriptor, mode)
            file.flush()
            os.fsync(descriptor)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
