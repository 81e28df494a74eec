"""A plain connection to a server on a unix socket, for code that must stay light.

The keeper, and the check for a running server, need three commands; redis-py would cost them 170 ms
and 20 MB.
"""

import select
import socket
import struct
from pathlib import Path
from types import TracebackType
from typing import Self


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """The server responded with an error; the text begins with its code (``LOADING …``)."""


class Wire:
    """One connection; every method may raise OSError.

    Args:
        path: The server's unix socket.
        timeout_s: The longest wait for the connection and for each response.
    """

    def __init__(self, path: Path, *, timeout_s: float = 2.0) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(timeout_s)
            self._socket.connect(str(path))
        except BaseException:
            self._socket.close()
            raise
        self._answers = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._answers.close()
        self._socket.close()

    def ask(self, command: str) -> str:
        """Send a command and return the response, a string or a number as text.

        Raises:
            Refused: The server responded with an error.
            ConnectionError: It closed the connection.
        """
        self._socket.sendall(f"{command}\r\n".encode())
        line = self._answers.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server closed the connection")
        kind, rest = line[:1], line[1:-2].decode(errors="replace")
        if kind == b"-":
            raise Refused(rest)
        if kind != b"$":
            return rest
        return self._answers.read(int(rest) + 2)[:-2].decode(errors="replace")

    @property
    def server_pid(self) -> int | None:
        """The server's process id on this system; None where the system does not tell."""
        if not hasattr(socket, "SO_PEERCRED"):
            return None
        credentials = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return int(struct.unpack("3i", credentials)[0]) or None

    def closed_within(self, wait_s: float) -> bool:
        """Wait for the server to hang up: True once it does, False after ``wait_s`` seconds."""
        readable, _, _ = select.select([self._socket], [], [], wait_s)
        return bool(readable)
