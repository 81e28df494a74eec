"""One token that says that the user wants to stop; all code that may take long checks it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ipuaro_jupyter.errors import Cancelled


class CancelToken:
    """Set once, from any thread; never unset."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether stop was asked for."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask to stop; run the registered callbacks once, in this thread."""
        with self._lock:
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def check(self) -> None:
        """Raise `Cancelled` if stop was asked for.

        Raises:
            Cancelled: Stop was asked for.
        """
        if self._event.is_set():
            raise Cancelled

    def wait(self, timeout_s: float) -> bool:
        """Wait until stop is asked for, at most ``timeout_s`` seconds; return whether it was."""
        return self._event.wait(timeout_s)

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Call ``callback`` if stop is asked for inside the block, or at once if it already was."""
        with self._lock:
            registered = not self._event.is_set()
            if registered:
                self._callbacks.append(callback)
        if not registered:
            callback()
        try:
            yield
        finally:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)
