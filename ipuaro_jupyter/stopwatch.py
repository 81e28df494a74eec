"""The time that work takes, without that in which the user thinks about a question."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Stopwatch:
    """Runs from when it is made; stands still while the user thinks."""

    def __init__(self) -> None:
        self._started_s = time.monotonic()
        self._thought_s = 0.0

    @property
    def elapsed_ms(self) -> int:
        """The milliseconds until now."""
        return round((time.monotonic() - self._started_s - self._thought_s) * 1000)

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Let it stand still for every `thinking` inside the block."""
        before = _running.set(self)
        try:
            yield
        finally:
            _running.reset(before)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let it stand still inside the block."""
        started_s = time.monotonic()
        try:
            yield
        finally:
            self._thought_s += time.monotonic() - started_s


_running: ContextVar[Stopwatch | None] = ContextVar("running", default=None)


@contextmanager
def thinking() -> Iterator[None]:
    """Stop the watch in force inside the block, in which the user is asked."""
    watch = _running.get()
    if watch is None:
        yield
        return
    with watch.stopped():
        yield
