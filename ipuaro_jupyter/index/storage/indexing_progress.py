"""How far the index is: reported now and then, and broken off wherever that is asked for."""

import time
from collections.abc import Callable

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.records.events import IndexPhase, IndexProgress

OnProgress = Callable[[IndexProgress], None]

_PAUSE_S = 0.05


class Meter:
    """Counts the steps of a phase, and looks at the stop button at each.

    A report is given when a phase begins and ends, and about twenty times a second in between.

    Args:
        report: Gets the progress, in the thread that does the work; None: nobody does.
        cancel: The stop button; None: there is none.
    """

    def __init__(self, report: OnProgress | None = None, cancel: CancelToken | None = None) -> None:
        self._report = report
        self.cancel = cancel or CancelToken()
        self._phase: IndexPhase = "scanning"
        self._done = self._total = 0
        self._next_s = 0.0

    def begin(self, phase: IndexPhase, total: int = 0) -> None:
        """Begin a phase of so many steps; 0: nobody knows how many.

        Raises:
            Cancelled: Stop was asked for.
        """
        self._phase, self._done, self._total = phase, 0, total
        self.check()
        self._tell()

    def step(self, count: int = 1) -> None:
        """Note that steps are done.

        Raises:
            Cancelled: Stop was asked for.
        """
        self.check()
        self._done += count
        if self._done == self._total or time.monotonic() >= self._next_s:
            self._tell()

    def check(self) -> None:
        """Return when the work may go on.

        Raises:
            Cancelled: Stop was asked for.
        """
        self.cancel.check()

    def _tell(self) -> None:
        self._next_s = time.monotonic() + _PAUSE_S
        if self._report is not None:
            self._report(IndexProgress(phase=self._phase, done=self._done, total=self._total))
            self.check()
