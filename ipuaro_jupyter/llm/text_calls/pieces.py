"""What a reply's text is taken apart into, as it comes."""

import sys
from dataclasses import dataclass
from itertools import groupby

from ipuaro_jupyter.llm.text_calls.thinking import Thinking
from ipuaro_jupyter.records.chat import ParsedReply, ToolCall
from ipuaro_jupyter.records.record import Record

_MOST_ERRORS = 20
_NOWHERE = sys.maxsize

Outcomes = tuple[ToolCall | str, ...]
"""Calls, and a sentence for the model for each that cannot be run."""


@dataclass(frozen=True, slots=True)
class ParsedForm:
    """What a form's parser makes of a place in the text.

    ``end`` is where the text goes on, ``name`` the tool that the call names before its arguments,
    ``thinking`` what begins at the end, if that is thinking. ``ends_thinking``: what came before
    was thinking, unless thinking has already ended.
    """

    end: int
    outcomes: Outcomes = ()
    name: str = ""
    thinking: Thinking | None = None
    ends_thinking: bool = False


class ReplyPiece(Record):
    """A part of a reply as it streams; one field is set.

    ``begun`` is the name of the tool whose call is being written.
    """

    text: str = ""
    thinking: str = ""
    begun: str = ""
    call: ToolCall | None = None
    error: str = ""


class ReplyPieces:
    """What was found in a reply, and what of it is new.

    Args:
        ids: What the ids of the calls begin with; None gives them none.
    """

    def __init__(self, ids: str | None) -> None:
        self._ids = ids
        self._calls = 0
        self._errors = 0
        self._begun = -1
        self._call_places: list[int] = []
        self._text_at = _NOWHERE
        self._new: list[ReplyPiece] = []
        self._kept: list[ReplyPiece] = []

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def reply(self) -> ParsedReply:
        """All that counts so far."""
        return ParsedReply(
            text="".join(piece.text for piece in self._kept).strip(),
            calls=tuple(piece.call for piece in self._kept if piece.call is not None),
            errors=tuple(piece.error for piece in self._kept if piece.error),
        )

    @property
    def has_calls(self) -> bool:
        """Whether there are calls so far, or what was to be some."""
        return bool(self._call_places)

    @property
    def has_text(self) -> bool:
        """Whether there is text so far that is no blank."""
        return self._text_at < len(self._kept)

    def take(self) -> list[ReplyPiece]:
        """The new pieces, neighbouring texts as one."""
        taken: list[ReplyPiece] = []
        for is_text, pieces in groupby(self._new, key=lambda piece: bool(piece.text)):
            if is_text:
                taken.append(ReplyPiece(text="".join(piece.text for piece in pieces)))
            else:
                taken += pieces
        self._new = []
        return taken

    def add_text(self, text: str) -> None:
        """Add text that everybody may see."""
        if text.strip():
            self._text_at = min(self._text_at, len(self._kept))
        if text:
            self._keep(ReplyPiece(text=text))

    def add_thinking(self, text: str) -> None:
        """Add what the model thinks; it does not belong to the reply."""
        if text:
            self._new.append(ReplyPiece(thinking=text))

    def add_begun(self, name: str, at: int) -> None:
        """Say once that the call at ``at`` is being written; it is not in the reply yet."""
        if name and at > self._begun:
            self._begun = at
            self._new.append(ReplyPiece(begun=name))

    def add(self, outcomes: Outcomes) -> None:
        """Add calls, and sentences for those that cannot be run.

        Models may repeat a mistake until their window is full: a number of them says it all.
        """
        for outcome in outcomes:
            if isinstance(outcome, ToolCall):
                self._calls += 1
                named = {} if self._ids is None else {"id": f"{self._ids}{self._calls}"}
                self._keep(ReplyPiece(call=outcome.model_copy(update=named)))
            elif self._errors < _MOST_ERRORS:
                self._errors += 1
                self._keep(ReplyPiece(error=outcome))

    def take_back(self, count: int) -> None:
        """Let only the first ``count`` pieces belong to the reply: the rest was thinking."""
        del self._kept[count:]
        self._text_at = _NOWHERE if self._text_at >= count else self._text_at
        while self._call_places and self._call_places[-1] >= count:
            self._call_places.pop()

    def _keep(self, piece: ReplyPiece) -> None:
        if not piece.text:
            self._call_places.append(len(self._kept))
        self._new.append(piece)
        self._kept.append(piece)
