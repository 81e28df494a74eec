"""What a replay of a recorded session came to."""

from typing import Any, Literal

from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.records.visible import visible

Outcome = Literal["same", "differs", "missing", "added", "not compared"]


class ReplayedCall(Record):
    """A call of the recording beside the one that the replay made.

    ``turn`` and ``number`` count from 1, the messages and the calls in one. ``recorded`` and
    ``replayed`` are the results as text, without what always varies; None for a call that the
    recording or the replay does not have, and both None unless they differ. "not compared" is a
    call that was broken off when it was recorded.
    """

    turn: int
    number: int
    call: ToolCall
    outcome: Outcome
    recorded: str | None = None
    replayed: str | None = None

    @property
    def differs(self) -> bool:
        """Whether this counts as a difference."""
        return self.outcome in ("differs", "missing", "added")


class ReplayReport(Drawn, Record):
    """What a replay came to. ``endings`` tells of the messages that ended otherwise, one each.

    ``restored`` is what of the copy was put back to what the session had found: files, or HEAD.
    """

    notebook: str
    project: str
    in_place: bool
    messages: int
    calls: tuple[ReplayedCall, ...]
    endings: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def differences(self) -> int:
        """How many calls and endings differ from the recording."""
        return sum(call.differs for call in self.calls) + len(self.endings)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, with the number of differences."""
        return {"differences": self.differences, **super().to_dict()}

    def __str__(self) -> str:
        count = self.differences
        told = "no difference" if not count else f"{count} difference{'' if count == 1 else 's'}"
        return visible(f"{self.notebook}: {told}")
