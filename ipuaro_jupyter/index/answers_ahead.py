"""Answers made ahead in a process of their own."""

import math
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from ipuaro_jupyter.address_space import is_short
from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.index.binding.frequent_uses import MOST_WHOLE_S, are_found, find_in_process
from ipuaro_jupyter.index.storage.index_settings import IndexSettings
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.index.storage.sync import IndexSync
from ipuaro_jupyter.index.storage.workers import ParseExecutor

FEWEST_FILES = 50
"""In smaller projects the first answer about any name seldom takes a time worth a process."""

_QUIET_S = 1.0
_AGAIN_S = 120.0
_TIMEOUT_S = 600.0


class AnswersAhead:
    """Has the uses of the most frequent names found soon after a project was opened.

    That happens unless they are known for the present state of the index, and again when it has
    changed, at most once in some minutes, when somebody asks. A change makes void what depends on
    it, and only that is found again. The answers that list all uses are found at opening alone.

    Args:
        stored: The index.
        sync: Knows its state.
        root: The project.
        settings: The settings of the index.
    """

    def __init__(
        self, stored: StoredIndex, sync: IndexSync, root: Path, settings: IndexSettings
    ) -> None:
        self._stored = stored
        self._sync = sync
        self._root = root
        self._settings = settings
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._worker: ParseExecutor | None = None
        self._is_closed = False
        self._whole_s = MOST_WHOLE_S
        """The time of the processor for answers that list all uses; 0: none are found."""
        self._again_s = math.inf
        """When it may begin again, by the monotonic clock."""
        self.ended = threading.Event()
        """Set when there is nothing to find, or no more of it."""

    def start(self) -> None:
        """Begin in a moment.

        Nothing is done for small projects, with too little memory, and where the settings say so.
        """
        if not self._settings.answers_ahead or self._stored.store.settings is None or is_short():
            self.ended.set()
            return
        self._again_s = time.monotonic() + _AGAIN_S
        self.ended.clear()
        self._timer = threading.Timer(_QUIET_S, self._begin)
        self._timer.name, self._timer.daemon = "ipuaro-frequent", True
        self._timer.start()

    def start_again(self) -> None:
        """Begin once more in a moment, unless that was not long ago, or never."""
        if time.monotonic() > self._again_s and self.ended.is_set():
            self._whole_s = 0.0
            self.start()

    def close(self) -> None:
        """End it at once."""
        with self._lock:
            self._is_closed = True
            self._again_s = math.inf
            worker, self._worker = self._worker, None
        if self._timer is not None:
            self._timer.cancel()
        if worker is not None:
            worker.shutdown(wait=False, cancel_futures=True)
        self.ended.set()

    def _begin(self) -> None:
        is_begun = False
        try:
            is_begun = self._is_begun()
        finally:
            if not is_begun:
                self.ended.set()

    def _is_begun(self) -> bool:
        """Begin, unless there is nothing to find; return whether the end of it will be told."""
        settings, is_wanted = self._stored.store.settings, False
        with suppress(StorageError):
            snapshot = self._sync.snapshot
            is_large = len(snapshot.files) >= FEWEST_FILES
            is_known = are_found(self._stored, snapshot, whole=self._whole_s > 0)
            is_wanted = is_large and not is_known
        with self._lock:
            if self._is_closed or settings is None or not is_wanted:
                return False
            self._worker = ParseExecutor(1, timeout_s=_TIMEOUT_S)
            future = self._worker.submit(
                find_in_process,
                settings.model_dump(mode="json"),
                str(self._root),
                self._settings.parsed_bytes,
                self._whole_s,
            )
        future.add_done_callback(self._end)
        return True

    def _end(self, _: "Future[Any]") -> None:
        """Let the process go; what it could not find is found when somebody asks."""
        with self._lock:
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.shutdown(wait=False)
        self.ended.set()
