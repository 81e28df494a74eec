"""The result of replaying a recorded session."""

from typing import Any, Literal

from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.records.visible import visible

Outcome = Literal["same", "differs", "missing", "added", "not compared"]


class ReplayedCall(Record):
    """A recorded call beside the one that the replay made.

    ``turn`` and ``number`` count from 1: the user's messages, and the calls in one turn.
    ``recorded`` and ``replayed`` are the results as text, without volatile parts; None for a call
    that the recording or the replay does not have, and both None unless they differ. "not compared"
    is a call that was interrupted when it was recorded.
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
    """The result of a replay.

    ``endings`` has a sentence for each turn that ended differently, and for each mention that
    attaches something else.

    ``restored`` lists what was restored in the copy to its state before the session: files, or
    HEAD.
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
        """The number of calls and endings that differ from the recording."""
        return sum(call.differs for call in self.calls) + len(self.endings)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, with the number of differences."""
        return {"differences": self.differences, **super().to_dict()}

    def __str__(self) -> str:
        count = self.differences
        told = "no difference" if not count else f"{count} difference{'' if count == 1 else 's'}"
        return visible(f"{self.notebook}: {told}")
