"""Progress of indexing: reported now and then, and checked for cancellation."""

import time
from collections.abc import Callable

from ipuaro_jupyter.cancellation import CancelToken, watched
from ipuaro_jupyter.records.events import IndexPhase, IndexProgress

OnProgress = Callable[[IndexProgress], None]

_PAUSE_S = 0.05


class Meter:
    """Counts the steps of a phase and checks the stop button at each.

    A report is sent when a phase begins and ends, and about twenty times a second in between.

    Args:
        report: Receives the progress, in the working thread; None for no reports.
        cancel: The stop button; None for the token in force.
    """

    def __init__(self, report: OnProgress | None = None, cancel: CancelToken | None = None) -> None:
        self._report = report
        self.cancel = cancel or watched()
        self._phase: IndexPhase = "scanning"
        self._done = self._total = 0
        self._next_s = 0.0

    def begin(self, phase: IndexPhase, total: int = 0) -> None:
        """Begin a phase of ``total`` steps; 0 when the number is unknown.

        Raises:
            Cancelled: Stop was asked for.
        """
        self._phase, self._done, self._total = phase, 0, total
        self.check()
        self._tell()

    def step(self, count: int = 1) -> None:
        """Count completed steps.

        Raises:
            Cancelled: Stop was asked for.
        """
        self.check()
        self._done += count
        if self._done == self._total or time.monotonic() >= self._next_s:
            self._tell()

    def check(self) -> None:
        """Raise `Cancelled` if stop was asked for.

        Raises:
            Cancelled: Stop was asked for.
        """
        self.cancel.check()

    def _tell(self) -> None:
        self._next_s = time.monotonic() + _PAUSE_S
        if self._report is not None:
            self._report(IndexProgress(phase=self._phase, done=self._done, total=self._total))
            self.check()
