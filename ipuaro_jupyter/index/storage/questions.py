"""One question to the index: the disk is looked at once for it, and doubts are collected."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class IndexQuestion:
    """A question whose answer is true for the disk as it was when the question came.

    Attributes:
        began_s: When it came, by `time.monotonic`; infinite where the disk changes meanwhile, so
            that each read of the index looks at it.
        doubts: Sentences about what the answer may lack, and what was lost before.
        has_failed: Whether the index could not be brought up to date for it.
    """

    def __init__(self, *, changes: bool = False) -> None:
        self.began_s = float("inf") if changes else time.monotonic()
        self.doubts: list[str] = []
        self.has_failed = False

    def doubt(self, sentence: str) -> None:
        """Add a sentence about what the answer may lack, once."""
        self.has_failed = True
        self.remark(sentence)

    def remark(self, sentence: str) -> None:
        """Add a sentence about something else that whoever asks has to know, once."""
        if sentence not in self.doubts:
            self.doubts.append(sentence)


_asked: ContextVar[IndexQuestion | None] = ContextVar("asked", default=None)


@contextmanager
def asking(question: IndexQuestion) -> Iterator[None]:
    """Ask this question inside the block."""
    before = _asked.set(question)
    try:
        yield
    finally:
        _asked.reset(before)


def asked() -> IndexQuestion | None:
    """The question that is being asked; None when somebody reads for another purpose."""
    return _asked.get()
