"""The connection to an Ollama server, for a synchronous caller that may stop at any moment.

The package and httpx are imported with the first request that needs them: that takes long.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import aclosing
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm.loop_thread import LoopThread
from ipuaro_jupyter.llm.ollama.model_list import LocalServer
from ipuaro_jupyter.llm.ollama.package import DEFAULT_HOST, package
from ipuaro_jupyter.loopback import host_name, is_loopback

if TYPE_CHECKING:
    import ollama

Part = TypeVar("Part")
Ask = Callable[["ollama.AsyncClient"], Coroutine[Any, Any, Part]]
Start = Callable[["ollama.AsyncClient"], Awaitable[AsyncIterator[Part]]]


class Silence(Exception):  # noqa: N818 - translated where it is known what was asked
    """The server sent nothing for ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class OllamaConnection:
    """A client on a loop thread of its own; both start with the first request.

    Closing a synchronous client from another thread does not wake a thread that waits for a silent
    server; cancelling a task does.

    Args:
        host: The server's address; None means ``OLLAMA_HOST``, else this machine.
        connect_s: The time limit for connecting.
    """

    def __init__(self, host: str | None, *, connect_s: float) -> None:
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
        return self._result(self._submit(ask), cancel, within_s=within_s)

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
        return self._result(self._thread.submit(listing), None, within_s=within_s)

    def _result(
        self, future: "Future[Part]", cancel: CancelToken | None, *, within_s: float
    ) -> Part:
        def stop() -> None:
            future.cancel()

        try:
            with (cancel or CancelToken()).calling(stop):
                return future.result(timeout=within_s)
        except CancelledError:
            raise Cancelled from None
        except TimeoutError:
            if future.done():
                raise
            raise Silence(within_s) from None
        finally:
            future.cancel()

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
        queue: SimpleQueue[Part | None] = SimpleQueue()
        future = self._submit(lambda client: _pump(start, client, queue))
        future.add_done_callback(lambda _: queue.put(None))
        patience_s = first_s
        with cancel.calling(lambda: queue.put(None)):
            try:
                while (part := _next(queue, patience_s)) is not None:
                    cancel.check()
                    patience_s = silence_s
                    yield part
                cancel.check()
                future.result()
            except CancelledError:
                raise Cancelled from None
            finally:
                future.cancel()

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
        )
        return client

    async def _close_client(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()  # type: ignore[no-untyped-call]


def _next(queue: "SimpleQueue[Part | None]", patience_s: float) -> Part | None:
    try:
        return queue.get(timeout=patience_s)
    except Empty:
        raise Silence(patience_s) from None


async def _pump(
    start: Start[Part], client: "ollama.AsyncClient", queue: "SimpleQueue[Part | None]"
) -> None:
    """Put the parts of the response into the queue as they come."""
    async with aclosing(await start(client)) as parts:  # type: ignore[type-var]
        async for part in parts:
            queue.put(part)
