"""The names of a server's models, without Ollama's package, which takes long to import."""

import asyncio
import json
import os
import socket
from contextlib import closing, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from ipuaro_jupyter.loopback import is_loopback

_PORT, _HTTP_PORT = 11434, 80
_HEADERS = {"Accept": "application/json", "Connection": "close"}
_MOST_BYTES = 8_000_000  # a longer response is not a list of models


class LocalServer(NamedTuple):
    """A server on this machine: without proxies, certificates or keys."""

    name: str
    port: int
    path: str

    @classmethod
    def at(cls, host: str) -> Self | None:
        """The server at an address as the package reads it; None when that is not a plain one."""
        scheme, split, rest = host.partition("://")
        if split and scheme != "http":
            return None
        try:
            parts = urlsplit(f"//{rest if split else host}")
            port = parts.port or (_HTTP_PORT if split else _PORT)
        except ValueError:
            return None
        name = parts.hostname or ""
        if not is_loopback(name) or "OLLAMA_API_KEY" in os.environ:
            return None
        path = parts.path.strip("/")
        return cls(name, port, f"/{path}" if path else "")

    async def models(self, *, connect_s: float, within_s: float) -> tuple[str, ...] | None:
        """The names of its models; None when its response is anything else.

        Args:
            connect_s: The time limit for connecting.
            within_s: The time limit for each part of the response.

        Raises:
            OSError: It cannot be reached.
        """
        request = _ListRequest(self, connect_s=connect_s, silence_s=within_s)
        try:
            return await asyncio.to_thread(request.names)
        finally:
            request.break_off()


class _ListRequest:
    """A request for the list on one thread, which another may cancel.

    Args:
        server: The server.
        connect_s: The time limit for connecting.
        silence_s: How long it may be silent.
    """

    def __init__(self, server: LocalServer, *, connect_s: float, silence_s: float) -> None:
        self._server = server
        self._connect_s = connect_s
        self._silence_s = silence_s
        self._socket: socket.socket | None = None
        self._is_broken_off = False

    def names(self) -> tuple[str, ...] | None:
        """The names of the models; None for any other response.

        Raises:
            OSError: The server cannot be reached.
        """
        name, port, path = self._server
        try:
            connection = HTTPConnection(name, port, timeout=self._connect_s)
            connection.connect()
        except (HTTPException, ValueError):  # not a valid host name, such as one with a long zone
            return None
        self._socket = connection.sock
        with closing(connection):
            if self._is_broken_off:
                return None
            connection.sock.settimeout(self._silence_s)
            try:
                connection.request("GET", f"{path}/api/tags", headers=_HEADERS)
                with connection.getresponse() as response:
                    listed = json.loads(response.read(_MOST_BYTES))
                    return _names(listed) if response.status == HTTPStatus.OK else None
            except (OSError, HTTPException, ValueError, RecursionError):
                return None

    def break_off(self) -> None:
        """Cancel it: closing the connection would not wake the thread that reads from it."""
        self._is_broken_off = True
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


def _names(listed: Any) -> tuple[str, ...] | None:
    models = listed.get("models") if isinstance(listed, dict) else None
    if not isinstance(models, list) or not all(isinstance(model, dict) for model in models):
        return None
    return tuple(model["model"] for model in models if isinstance(model.get("model"), str))
