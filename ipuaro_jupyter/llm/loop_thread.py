"""An asyncio loop on a daemon thread, for synchronous callers."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")
_CLOSING_S = 5.0


class LoopThread:
    """Runs coroutines on a thread of its own, which starts with the first of them.

    Args:
        name: The thread's name.
        closing: Run last, on the same loop, when it is closed.
    """

    def __init__(self, name: str, closing: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._name = name
        self._closing = closing
        self._lock = threading.Lock()
        self._running: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None

    def submit(self, coroutine: Coroutine[Any, Any, Result]) -> "Future[Result]":
        """Start the coroutine; cancelling the returned future cancels it."""
        with self._lock:
            if self._running is None:
                loop = asyncio.new_event_loop()
                thread = threading.Thread(
                    target=_run, args=(loop, self._closing), name=self._name, daemon=True
                )
                self._running = loop, thread
                thread.start()
            return asyncio.run_coroutine_threadsafe(coroutine, self._running[0])

    def close(self) -> None:
        """Cancel running coroutines and end the thread; `submit` starts another one."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            loop, thread = running
            loop.call_soon_threadsafe(loop.stop)
            if thread is not threading.current_thread():
                thread.join(_CLOSING_S)


def _run(loop: asyncio.AbstractEventLoop, closing: Callable[[], Coroutine[Any, Any, None]]) -> None:
    try:
        loop.run_forever()
        loop.run_until_complete(_end(closing))
    finally:
        loop.close()


async def _end(closing: Callable[[], Coroutine[Any, Any, None]]) -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await closing()
    await asyncio.get_running_loop().shutdown_asyncgens()
