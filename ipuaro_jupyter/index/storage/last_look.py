"""What is known of the disk since the last look at it."""

import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.storage.questions import asked
from ipuaro_jupyter.index.storage.snapshots import Snapshot, differing
from ipuaro_jupyter.index.storage.write_lock import IndexBusyError

_STEP_S = 0.05
_NAMED = 3


class LastLook:
    """The state in which the index was last equal to the disk.

    Looks take turns: what one of them was told of changes, another must not miss.

    Attributes:
        certain: The files then; None before the first look.
    """

    def __init__(self) -> None:
        self.certain: Snapshot | None = None
        self._turn = threading.Lock()
        self._began_s = float("-inf")
        self._loss = ""

    @contextmanager
    def turn(self, wait_s: float | None) -> Iterator[None]:
        """Look at the disk inside the block, while nobody else does.

        Raises:
            IndexBusyError: Another thread looked at it for ``wait_s`` seconds.
        """
        until_s = None if wait_s is None else time.monotonic() + wait_s
        while not self._turn.acquire(timeout=0 if wait_s == 0 else _STEP_S):
            checkpoint()
            if until_s is not None and time.monotonic() >= until_s:
                raise IndexBusyError
        try:
            yield
        finally:
            self._turn.release()

    def is_since(self, asked_s: float) -> bool:
        """Whether the index was equal to the disk at a time after ``asked_s``."""
        return self._began_s >= asked_s

    def ended(self, began_s: float) -> None:
        """Note that a look that began at ``began_s`` has left the index equal to the disk."""
        self._began_s = max(self._began_s, began_s)
        self.tell_loss()  # another thread may have noticed it meanwhile

    def changed_by_others(self, snapshot: Snapshot) -> set[str]:
        """The files that somebody else has written to the index since.

        The writer may have seen the disk before a change that is known here.
        """
        certain = self.certain
        if certain is None or certain.generation == snapshot.generation:
            return set()
        return differing(certain.files, snapshot.files)

    def moved(self, before: Snapshot, after: Snapshot) -> None:
        """Note a change of the index that is known to be right."""
        if self.certain is not None and self.certain.generation == before.generation:
            self.certain = after

    def lost(self, sentence: str) -> None:
        """Note a loss, which the present question is told of, or else the next one."""
        self._loss = sentence
        self.tell_loss()

    def tell_loss(self) -> None:
        """Tell whoever asks of a loss that was noticed when nobody did."""
        question = asked()
        if question is not None and self._loss:
            question.remark(self._loss)
            self._loss = ""

    def doubt(self, reason: str, missing: Collection[str] = ()) -> None:
        """Tell whoever asks that later changes may be missing.

        Args:
            reason: Why, as a sentence without its end.
            missing: Files that are known to have changed.
        """
        question = asked()
        if question is not None:
            since = "the index was written"
            if self._began_s > 0:
                since = f"{_age(time.monotonic() - self._began_s)} ago"
            named = ", ".join(map(_shown, sorted(missing)[:_NAMED]))
            known = f" Changed since: {named}{', …' * (len(missing) > _NAMED)}." if named else ""
            question.doubt(f"{reason}: changes since {since} may be missing here.{known}")


def _shown(path: str) -> str:
    """A path as it can be printed: its name need not be UTF-8."""
    return path.encode(errors="backslashreplace").decode()


def _age(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"  # noqa: PLR2004
