"""Cancellation: one token, set when the user stops or the time is up.

Code that gets a token watches that one. All other long-running code watches the token in force:
see `checkpoint`.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

from ipuaro_jupyter.alarms import ALARMS, Alarm
from ipuaro_jupyter.errors import Cancelled, TimeUp

_LONGEST_WAIT_S = 30 * 24 * 3600.0  # more than a timer takes on some systems is no limit


class CancelToken:
    """Set once, from any thread; never unset."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self._is_late = False

    @property
    def cancelled(self) -> bool:
        """Whether stop was asked for, or the time is up."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask to stop; run the registered callbacks once, in this thread."""
        self._set(is_late=False)

    def expire(self) -> None:
        """Set the token because the time is up: `check` raises `TimeUp` from then on."""
        self._set(is_late=True)

    def check(self) -> None:
        """Raise `Cancelled` if stop was asked for.

        Raises:
            Cancelled: Stop was asked for.
            TimeUp: The time is up.
        """
        if self._event.is_set():
            raise TimeUp if self._is_late else Cancelled

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

    def _set(self, *, is_late: bool) -> None:
        with self._lock:
            if not self._event.is_set():
                self._is_late = is_late
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()


class Deadline:
    """Cancels work that takes too long, even while it waits.

    Args:
        seconds: How long it may take, without pauses.
        stop: The user's token.

    Attributes:
        token: Set when the user stops, and when the time is up.
        expired: Whether the time is up.
        stop: The user's token.
    """

    def __init__(self, seconds: float, stop: CancelToken) -> None:
        self.token = CancelToken()
        self.expired = False
        self.stop = stop
        self._left_s = min(seconds, _LONGEST_WAIT_S)
        self._started = 0.0
        self._holds = 1
        self._lock = threading.Lock()
        self._alarm: Alarm | None = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let the time run inside the block."""
        with self.stop.calling(self.token.cancel):
            self._go_on()
            try:
                yield
            finally:
                self._hold()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the time stand still inside the block, where the user decides."""
        self._hold()
        try:
            yield
        finally:
            self._go_on()

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Put it in force inside the block: see `checkpoint` and `deciding`."""
        before = _deadline.set(self)
        try:
            with watching(self.token):
                yield
        finally:
            _deadline.reset(before)

    @contextmanager
    def overrun(self) -> Iterator[None]:
        """Ignore the deadline inside the block; the user can still stop."""
        with watching(self.stop):
            yield

    def _go_on(self) -> None:
        with self._lock:
            self._holds -= 1
            if self._holds:
                return
            self._started = time.monotonic()
            self._alarm = ALARMS.set(max(0.0, self._left_s), self._expire)

    def _hold(self) -> None:
        with self._lock:
            self._holds += 1
            alarm, self._alarm = self._alarm, None
            if alarm is not None:
                ALARMS.cancel(alarm)
                self._left_s -= time.monotonic() - self._started

    def _expire(self, alarm: Alarm) -> None:
        with self._lock:
            if self._alarm is not alarm:
                return  # held in this very moment
            self.expired = not self.stop.cancelled
        self.token.expire()


_watched: ContextVar[CancelToken | None] = ContextVar("watched", default=None)
_deadline: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def watching(token: CancelToken) -> Iterator[None]:
    """Put a token in force inside the block."""
    before = _watched.set(token)
    try:
        yield
    finally:
        _watched.reset(before)


def watched() -> CancelToken:
    """The token in force; a fresh one that nobody sets when there is none."""
    return _watched.get() or CancelToken()


def checkpoint() -> None:
    """Raise if the token in force was set; to be called in every loop that may run long.

    Raises:
        Cancelled: It was.
    """
    token = _watched.get()
    if token is not None:
        token.check()


def stopping() -> CancelToken:
    """The token by which the user stops what runs here, whether or not it is late."""
    deadline = _deadline.get()
    return watched() if deadline is None else deadline.stop


def has_deadline() -> bool:
    """Whether the work here has to end in time, as a tool call has."""
    return _deadline.get() is not None


@contextmanager
def grace() -> Iterator[None]:
    """Complete an answer inside the block after its time is up; the user can still stop."""
    deadline = _deadline.get()
    with nullcontext() if deadline is None else deadline.overrun():
        yield


@contextmanager
def deciding() -> Iterator[None]:
    """Stop the clock of the deadline in force inside the block, where the user decides."""
    deadline = _deadline.get()
    with nullcontext() if deadline is None else deadline.paused():
        yield
