"""One worker kept warm, for files that must not be parsed in the kernel's process."""

import threading
import weakref

from ipuaro_jupyter.index.storage.workers import ParseExecutor

_TIMEOUT_S = 15.0


class SpareWorker:
    """Lends out the spare worker; a second borrower gets another one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[ParseExecutor] = []
        weakref.finalize(self, _end, self._kept)

    def take(self) -> ParseExecutor:
        """A worker for the caller alone, which starts at its first call."""
        with self._lock:
            return self._kept.pop() if self._kept else ParseExecutor(1, timeout_s=_TIMEOUT_S)

    def give_back(self, worker: ParseExecutor) -> None:
        """Keep an idle worker for the next borrower; only one is kept."""
        with self._lock:
            if not self._kept:
                self._kept.append(worker)
                return
        worker.shutdown(wait=False)

    def close(self) -> None:
        """End the spare worker; the next borrower gets a new one."""
        with self._lock:
            _end(self._kept)


def _end(kept: list[ParseExecutor]) -> None:
    while kept:
        kept.pop().shutdown(wait=False, cancel_futures=True)
