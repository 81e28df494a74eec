"""One worker that is kept warm, for what must not be parsed by the process of the kernel."""

import threading
import weakref

from ipuaro_jupyter.index.storage.workers import ParseExecutor

_TIMEOUT_S = 15.0


class Aside:
    """Lends out a worker; a second borrower gets another one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[ParseExecutor] = []
        weakref.finalize(self, _end, self._kept)

    def take(self) -> ParseExecutor:
        """Return a worker of the caller's own, which starts at its first call."""
        with self._lock:
            return self._kept.pop() if self._kept else ParseExecutor(1, timeout_s=_TIMEOUT_S)

    def give_back(self, worker: ParseExecutor) -> None:
        """Keep a worker that has nothing to do for the next borrower; one is enough."""
        with self._lock:
            if not self._kept:
                self._kept.append(worker)
                return
        worker.shutdown(wait=False)

    def close(self) -> None:
        """End the worker that is kept; the next borrower gets a new one."""
        with self._lock:
            _end(self._kept)


def _end(kept: list[ParseExecutor]) -> None:
    while kept:
        kept.pop().shutdown(wait=False, cancel_futures=True)
