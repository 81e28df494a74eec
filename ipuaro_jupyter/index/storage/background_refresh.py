"""A refresh of the index that outlives the question that started it."""

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress

from ipuaro_jupyter.cancellation import CancelToken, checkpoint, stopping, watching
from ipuaro_jupyter.errors import Cancelled, StorageError
from ipuaro_jupyter.index.storage.indexing_progress import Meter
from ipuaro_jupyter.index.storage.write_lock import IndexBusyError

_ENDS_S = 5.0
_STEP_S = 0.05


class BackgroundRefresh:
    """Runs a refresh in a thread of its own, one at a time.

    Args:
        refresh: Brings the index up to date.
    """

    def __init__(self, refresh: Callable[..., object]) -> None:
        self._refresh = refresh
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._cancel = CancelToken()
        self._stops = ExitStack()
        self._heard: list[CancelToken] = []

    def start(self) -> None:
        """Start a refresh, unless one is running. Whoever is waiting for it can stop it."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._cancel = CancelToken()
                self._stops, self._heard = ExitStack(), []
                # A daemon: a kernel that is told to end does not wait for it.
                name = "ipuaro-refresh"
                self._thread = threading.Thread(target=self._run, name=name, daemon=True)
                self._thread.start()
        self._hear(stopping())

    def has_ended(self, wait_s: float) -> bool:
        """Wait for the end of the refresh, if one is running; return whether none is.

        Raises:
            Cancelled: The token in force was set.
        """
        until_s = time.monotonic() + wait_s
        self._hear(stopping())
        while (thread := self._thread) is not None and thread.is_alive():
            checkpoint()
            if time.monotonic() >= until_s:
                return False
            thread.join(_STEP_S)
        return True

    def close(self) -> None:
        """Cancel it, and wait a moment for its end."""
        with self._lock:
            thread = self._thread
            self._cancel.cancel()
        if thread is not None:
            thread.join(_ENDS_S)

    def _hear(self, stop: CancelToken) -> None:
        """End the refresh, if one is running, as soon as this token is set, now or later."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive() and stop not in self._heard:
                self._heard.append(stop)
                self._stops.enter_context(stop.calling(self._cancel.cancel))

    def _run(self) -> None:
        try:
            # When it fails, the next question starts it again.
            with watching(self._cancel), suppress(Cancelled, IndexBusyError, StorageError):
                self._refresh(meter=Meter(cancel=self._cancel))
        finally:
            with self._lock:
                self._stops.close()
                self._heard.clear()
