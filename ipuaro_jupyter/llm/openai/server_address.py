"""The address of a server as the user writes it, and what is requested there."""

import re
from typing import NamedTuple, Self
from urllib.parse import unquote, urlsplit

from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.loopback import host_name, is_loopback

EXAMPLE = "http://127.0.0.1:8080/v1"
_NO_PLACE = re.compile(r"[\\\s?#]")
_ENDPOINTS = ("/chat/completions", "/completions", "/models")
_VERSION = "/v1"
_PORTS = {"http": 80, "https": 443}


class ServerAddress(NamedTuple):
    """A server with an OpenAI-compatible API.

    Attributes:
        origin: Scheme, host and port.
        path: The path of the API; its endpoints are below.
        login: Name and password, if the address holds them.
    """

    origin: tuple[str, str, int]
    path: str
    login: tuple[str, str] | None

    @classmethod
    def at(cls, host: str) -> Self:
        """The server at ``host``.

        Without a scheme, it is ``http`` on this machine, and ``https`` elsewhere. A bare host means
        its ``/v1``.

        Raises:
            ModelError: It is no such address.
        """
        text = host.strip()
        scheme, split, rest = text.partition("://")
        if not split:
            scheme, rest = "http" if is_loopback(host_name(text)) else "https", text
        try:
            parts = urlsplit(f"{scheme.lower()}://{rest}")
            name, port = parts.hostname, parts.port
        except ValueError:
            name, port = None, None
        if not name or parts.scheme not in _PORTS or _NO_PLACE.search(text):
            _, login, place = text.rpartition("@")
            shown = f"***@{place}" if login else text  # what is before it may hold a password
            raise ModelError(f"llm.host {shown!r} is no address like {EXAMPLE}.")
        user = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        origin = (parts.scheme, name.lower(), port or _PORTS[parts.scheme])
        return cls(origin, _api_path(parts.path), user)

    @property
    def name(self) -> str:
        """The host without its port."""
        return self.origin[1]

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        return is_loopback(self.name)

    @property
    def api(self) -> str:
        """The URL of the API, without a password."""
        return self._site + self.path

    @property
    def root(self) -> str:
        """The URL above the API's version: where servers have what the API does not offer."""
        return self._site + self.path.removesuffix(_VERSION)

    @property
    def _site(self) -> str:
        scheme, name, port = self.origin
        bracketed = f"[{name}]" if ":" in name else name
        return f"{scheme}://{bracketed}" + (f":{port}" if port != _PORTS[scheme] else "")


def _api_path(path: str) -> str:
    path = path.rstrip("/")
    for endpoint in _ENDPOINTS:
        path = path.removesuffix(endpoint)
    return path or _VERSION


def is_one_server(host: str, other: str) -> bool:
    """Whether two addresses are of the same scheme, host and port."""
    try:
        return ServerAddress.at(host).origin == ServerAddress.at(other).origin
    except ModelError:
        return False
