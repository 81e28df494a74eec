"""The connection to an Ollama server, for a synchronous caller that may stop at any moment.

The package and httpx are imported with the first request that needs them: that takes long.
"""

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import aclosing, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm.bounded_responses import ask_plain, bound
from ipuaro_jupyter.llm.hosts import is_ollamas_cloud
from ipuaro_jupyter.llm.loop_thread import LoopThread
from ipuaro_jupyter.llm.ollama.model_list import LocalServer
from ipuaro_jupyter.llm.ollama.package import DEFAULT_HOST, package
from ipuaro_jupyter.llm.streaming import awaited, streamed
from ipuaro_jupyter.loopback import host_name, is_loopback

if TYPE_CHECKING:
    import httpx
    import ollama

Part = TypeVar("Part")
Ask = Callable[["ollama.AsyncClient"], Coroutine[Any, Any, Part]]
Start = Callable[["ollama.AsyncClient"], Awaitable[AsyncIterator[Part]]]


class OllamaConnection:
    """A client on a loop thread of its own; both start with the first request.

    Args:
        host: The server's address; None means ``OLLAMA_HOST``, else this machine.
        connect_s: The time limit for connecting.
        key_host: The address that gets the key in ``OLLAMA_API_KEY``, beside ``OLLAMA_HOST`` and
            Ollama's own servers; None is any, "" no other.

    Attributes:
        passed_on_to: The address that the server said it passes the model's requests on to.
    """

    def __init__(self, host: str | None, *, connect_s: float, key_host: str | None = None) -> None:
        self.passed_on_to: str | None = None
        self._key_host = key_host
        own = (None, "", os.environ.get("OLLAMA_HOST"), key_host)
        self._is_own = key_host is None or host in own
        self.host = host or os.environ.get("OLLAMA_HOST") or DEFAULT_HOST
        self._said_by = "llm.host" if host else "OLLAMA_HOST"
        self._connect_s = connect_s
        self._thread = LoopThread("ipuaro-ollama", self._close_client)
        self._client: ollama.AsyncClient | None = None

    def ask(self, ask: Ask[Part], cancel: CancelToken | None, *, within_s: float) -> Part:
        """Send a request with an immediate response, and return that.

        Raises:
            Cancelled: The token was set, or the connection was closed.
            Silence: It took longer than ``within_s``.
            Exception: Any error of the package.
        """
        return awaited(self._submit(ask), cancel, within_s=within_s)

    def local_models(self, *, within_s: float) -> tuple[str, ...] | None:
        """The names of the models of a server on this machine, requested without the package.

        None when the server is elsewhere, or its response is anything else.

        Raises:
            Cancelled: The connection was closed.
            Silence: It took longer than ``within_s``.
            OSError: The server does not respond.
        """
        server = LocalServer.at(self.host)
        if server is None:
            return None
        listing = server.models(connect_s=self._connect_s, within_s=within_s)
        return awaited(self._thread.submit(listing), None, within_s=within_s)

    def stream(
        self, start: Start[Part], cancel: CancelToken, *, first_s: float, silence_s: float
    ) -> Iterator[Part]:
        """Yield the parts of a streamed response; setting the token wakes this up.

        Args:
            start: Begins the response.
            cancel: Cancels it.
            first_s: How long the server may take for the first part.
            silence_s: How long it may be silent between parts.

        Raises:
            Cancelled: The token was set, or the connection was closed.
            Silence: The server was silent for too long.
            Exception: Any error of the package.
        """
        return streamed(
            lambda queue: self._submit(lambda client: _pump(start, client, queue)),
            cancel,
            first_s=first_s,
            silence_s=silence_s,
        )

    def close(self) -> None:
        """Cancel all requests, close the client and end the thread."""
        self._thread.close()

    def _submit(self, ask: Ask[Part]) -> "Future[Part]":
        return self._thread.submit(self._with_client(ask))

    async def _with_client(self, ask: Ask[Part]) -> Part:
        import httpx  # noqa: PLC0415 - slow to import

        if self._client is None:
            try:
                self._client = self._new_client()
            except (ValueError, httpx.InvalidURL) as error:
                raise ModelError(
                    f"{self._said_by} {self.host!r} is no address like {DEFAULT_HOST}: {error}."
                ) from error
        return await ask(self._client)

    def _new_client(self) -> "ollama.AsyncClient":
        """A new client, without a proxy for a server on this machine."""
        import httpx  # noqa: PLC0415 - slow to import

        name = host_name(self.host)
        client: ollama.AsyncClient = package().AsyncClient(
            self.host,
            timeout=httpx.Timeout(None, connect=self._connect_s),  # silence is measured here
            limits=httpx.Limits(max_keepalive_connections=0),  # idle ones may be closed
            trust_env=not is_loopback(name),
            follow_redirects=False,  # the question and the code are for this server
            event_hooks={
                "request": [self._withhold_key, ask_plain],
                "response": [bound, self._read_remote_host],
            },
        )
        return client

    async def _withhold_key(self, request: "httpx.Request") -> None:
        """Take the key, which the package sends to any server, from a request to a foreign one."""
        if self._is_own or is_ollamas_cloud(str(request.url)):
            return
        import httpx  # noqa: PLC0415 - slow to import

        with suppress(httpx.InvalidURL):
            url, own = request.url, httpx.URL(self._key_host or "")
            if (url.scheme, url.host, url.port) == (own.scheme, own.host, own.port):
                return
        request.headers.pop("Authorization", None)

    async def _read_remote_host(self, response: "httpx.Response") -> None:
        """Note what the package leaves out of what the server tells of a cloud model."""
        if not response.is_success or not response.url.path.endswith("/api/show"):
            return
        with suppress(ValueError):
            told = json.loads(await response.aread())
            told = told.get("remote_host") if isinstance(told, dict) else None
            self.passed_on_to = told if isinstance(told, str) else None

    async def _close_client(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()  # type: ignore[no-untyped-call]


async def _pump(
    start: Start[Part], client: "ollama.AsyncClient", queue: "SimpleQueue[Part | None]"
) -> None:
    """Put the parts of the response into the queue as they come."""
    async with aclosing(await start(client)) as parts:  # type: ignore[type-var]
        async for part in parts:
            queue.put(part)
