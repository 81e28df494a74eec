"""The folders of the embedded server's data and socket, readable by the user alone."""

import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

from ipuaro_jupyter.errors import StorageError

HOME_VARIABLE = "IPUARO_HOME"
LONGEST_SOCKET_BYTES = 100
"""sockaddr_un takes 108 bytes on Linux and 104 on macOS, the end mark included."""


def home() -> Path:
    """The folder of all that the package keeps for this user, which may not exist yet."""
    if named := os.environ.get(HOME_VARIABLE):
        return Path(named).expanduser().absolute()
    return _data_of_user() / "ipuaro"


def _data_of_user() -> Path:
    """Where programs keep a user's data on this system."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    named = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(named):  # noqa: PTH117 - a text
        return Path(named)
    is_mac = sys.platform == "darwin"
    return Path.home() / ("Library/Application Support" if is_mac else ".local/share")


def private_folder(path: Path) -> Path:
    """Make ``path`` a folder that only this user can enter, and return it.

    Raises:
        StorageError: It cannot be made, or belongs to somebody else.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        if _is_own(path):
            path.chmod(0o700)
            return path
    except OSError as error:
        raise StorageError(
            f"cannot use the folder {str(path)!r} for the embedded Redis server: "
            f"{error.strerror}; set {HOME_VARIABLE} to a folder that you can write, or redis.url"
        ) from error
    raise StorageError(
        f"{str(path)!r} is not a folder of yours, so the embedded Redis server does not use it; "
        f"remove it, or set {HOME_VARIABLE} or redis.url"
    )


def is_private(path: Path) -> bool:
    """Whether ``path`` is a real folder of this user (not a link), closed to all others."""
    try:
        return _is_own(path) and not path.lstat().st_mode & 0o077
    except OSError:
        return False


def socket_for(data: Path) -> Path:
    """The socket path of the server of the folder ``data``, in a private folder.

    Usually in ``data`` itself. A path that is too long for a socket moves to a folder under
    XDG_RUNTIME_DIR or the temporary folder, with a name made from the user and the real path, and
    another one where somebody else has put something there.

    Raises:
        StorageError: No private folder with a short enough path is available.
    """
    beside = data / "server.sock"
    if _fits(beside):
        return beside
    digest = hashlib.sha256(os.fsencode(os.path.realpath(data))).hexdigest()[:16]
    name = f"ipuaro-{os.getuid()}-{digest}"
    longest = f"{name}-12345678/{beside.name}"
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    for parent in (runtime, tempfile.gettempdir(), "/tmp"):  # noqa: S108 - checked below
        if parent and os.access(parent, os.W_OK | os.X_OK) and _fits(Path(parent, longest)):
            return _private(Path(parent, name)) / beside.name
    raise StorageError(
        f"{str(beside)!r} is too long for a socket (over {LONGEST_SOCKET_BYTES} bytes) and so is "
        f"the temporary folder; set {HOME_VARIABLE} or TMPDIR to a shorter path, or redis.url"
    )


def _private(folder: Path) -> Path:
    """The folder, or one beside it when others have taken its name, which all can know."""
    if not os.path.lexists(folder) or is_private(folder):
        return private_folder(folder)
    others = filter(is_private, folder.parent.glob(f"{folder.name}-*"))
    return next(others, None) or Path(tempfile.mkdtemp("", f"{folder.name}-", folder.parent))


def _is_own(path: Path) -> bool:
    found = path.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= LONGEST_SOCKET_BYTES
