"""Responses that arrive on a loop thread, for a synchronous caller that may stop at any moment.

Closing a synchronous client from another thread does not wake a thread that waits for a silent
server; cancelling a task does.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled

Part = TypeVar("Part")


class Silence(Exception):  # noqa: N818 - translated where it is known what was asked
    """The server sent nothing for ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def awaited(future: "Future[Part]", cancel: CancelToken | None, *, within_s: float) -> Part:
    """The result of a request with an immediate response.

    Raises:
        Cancelled: The token was set, or the connection was closed.
        Silence: It took longer than ``within_s``.
        Exception: Any error of the request.
    """

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


def streamed(
    start: "Callable[[SimpleQueue[Part | None]], Future[Any]]",
    cancel: CancelToken,
    *,
    first_s: float,
    silence_s: float,
) -> Iterator[Part]:
    """Yield the parts of a streamed response; setting the token wakes this up.

    Args:
        start: Begins the response, which puts its parts into the queue.
        cancel: Cancels it.
        first_s: How long the server may take for the first part.
        silence_s: How long it may be silent between parts.

    Raises:
        Cancelled: The token was set, or the connection was closed.
        Silence: The server was silent for too long.
        Exception: Any error of the response.
    """
    queue: SimpleQueue[Part | None] = SimpleQueue()
    future = start(queue)
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


def _next(queue: "SimpleQueue[Part | None]", patience_s: float) -> Part | None:
    try:
        return queue.get(timeout=patience_s)
    except Empty:
        raise Silence(patience_s) from None
