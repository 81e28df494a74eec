"""The lock for writing the index: one thread of one process at a time."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ipuaro_jupyter.index.storage.indexing_progress import Meter
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.lease import Lease

_LIFE_S = 12.0
_STEP_S = 0.01
_TOLD_S = 0.3


class IndexBusyError(Exception):
    """Another writer has held the index for longer than the caller would wait."""


class WriteLock:
    """Hands out the write lock of an index.

    No thread of this process waits for one that waits for another process: a thread that does not
    get both locks releases the first.

    Args:
        store: The server.
        key: The lock's key.
    """

    def __init__(self, store: Store, key: str) -> None:
        self._store = store
        self._key = key
        self._mutex = threading.Lock()

    @contextmanager
    def taken(self, meter: Meter, *, wait_s: float | None) -> Iterator[Lease]:
        """Hold the write lock.

        Args:
            meter: Reports the wait, and cancels it.
            wait_s: How long to wait at most; None: as long as it takes.

        Raises:
            Cancelled: Stop was asked for.
            IndexBusyError: The lock was not free within ``wait_s`` seconds.
        """
        began, is_told = time.monotonic(), False
        while (lease := self._try()) is None:
            waited_s = time.monotonic() - began
            if wait_s is not None and waited_s >= wait_s:
                raise IndexBusyError
            if waited_s > _TOLD_S and not is_told:
                is_told = True
                meter.begin("waiting")
            meter.cancel.wait(_STEP_S)
            meter.check()
        try:
            yield lease
        finally:
            try:
                lease.release()
            finally:
                self._mutex.release()

    def _try(self) -> Lease | None:
        if not self._mutex.acquire(timeout=_STEP_S):
            return None
        lease = Lease(self._store, self._key, life_s=_LIFE_S)
        is_had = False
        try:
            is_had = lease.take()
        finally:
            if not is_had:
                self._mutex.release()
        return lease if is_had else None
