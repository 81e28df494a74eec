"""Files outside the project, written whole or not at all."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

_NEW_MODE = 0o666


def write_whole(path: Path, parts: Iterable[str]) -> None:
    """Write ``parts`` to ``path`` as UTF-8; an older file stays until the new one is whole.

    The file keeps its permission bits; a new one gets those that the umask leaves.

    Raises:
        OSError: It cannot be written; nothing has changed then.
    """
    target = path.resolve()
    try:
        mode = target.stat().st_mode & 0o7777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        mode = _NEW_MODE & ~umask
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(parts)
        temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
