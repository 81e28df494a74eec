"""The names of a server's models over a bare socket: the package takes long to import."""

import asyncio
import json
import os
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from ipuaro_jupyter.loopback import is_loopback

_PORT, _HTTP_PORT = 11434, 80


class LocalServer(NamedTuple):
    """A server of this machine: neither proxies nor certificates nor keys matter there."""

    name: str
    port: int
    path: str

    @classmethod
    def at(cls, host: str) -> Self | None:
        """Return the server at an address as the package reads it; None when it takes more."""
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

    async def models(self, *, connect_s: float) -> tuple[str, ...] | None:
        """Return the names of its models; None when it answers with anything else.

        Raises:
            OSError: It does not answer within ``connect_s``.
        """
        try:
            async with asyncio.timeout(connect_s):
                reader, writer = await asyncio.open_connection(self.name, self.port)
        except ValueError:
            return None  # the name cannot be asked for, as with a zone that is too long
        try:
            host = f"[{self.name}]" if ":" in self.name else self.name
            writer.write(
                f"GET {self.path}/api/tags HTTP/1.0\r\n"  # whose answers come in one piece
                f"Host: {host}:{self.port}\r\nAccept: application/json\r\n"
                "Connection: close\r\n\r\n".encode()
            )
            return _names(await _body(reader))
        except (OSError, EOFError, ValueError, RecursionError, asyncio.LimitOverrunError):
            return None
        finally:
            writer.close()


async def _body(reader: asyncio.StreamReader) -> Any:
    """Return the JSON of a good answer; None of another."""
    status, *fields = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    if status.split()[1:2] != ["200"]:
        return None
    values = {name.lower(): value for name, _, value in (field.partition(":") for field in fields)}
    if "transfer-encoding" in values:
        return None
    if "content-length" in values:
        return json.loads(await reader.readexactly(int(values["content-length"])))
    return json.loads(await reader.read())


def _names(listed: Any) -> tuple[str, ...] | None:
    models = listed.get("models") if isinstance(listed, dict) else None
    if not isinstance(models, list) or not all(isinstance(model, dict) for model in models):
        return None
    return tuple(model["model"] for model in models if isinstance(model.get("model"), str))
