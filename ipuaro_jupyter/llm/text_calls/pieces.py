"""What a reply's text is taken apart into, as it comes."""

from dataclasses import dataclass
from itertools import groupby

from ipuaro_jupyter.records.chat import ParsedReply, ToolCall
from ipuaro_jupyter.records.record import Record

_MOST_ERRORS = 20

Outcomes = tuple[ToolCall | str, ...]
"""Calls, and a sentence for the model for each that cannot be run."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """Thinking that has begun.

    ``ends`` are the marks that end it and belong to it, ``begins`` those with which something else
    begins, ``opening`` the one by which it may be opened again inside. ``is_quoted``: it stands in
    a fence, as an example.
    """

    ends: tuple[str, ...]
    begins: tuple[str, ...] = ()
    opening: str = ""
    is_quoted: bool = False


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

    Attributes:
        has_calls: There are calls so far, or what was to be some.
        has_text: There is text so far that is no blank.
    """

    def __init__(self, ids: str | None) -> None:
        self._ids = ids
        self._calls = 0
        self._errors = 0
        self._begun = -1
        self._new: list[ReplyPiece] = []
        self._kept: list[ReplyPiece] = []
        self.has_calls = self.has_text = False

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
        self.has_text = self.has_text or text.strip() != ""
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
        self.has_calls = self.has_calls or bool(outcomes)
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
        if count < len(self._kept):
            del self._kept[count:]
            self.has_calls = any(not piece.text for piece in self._kept)
            self.has_text = any(piece.text.strip() for piece in self._kept)

    def _keep(self, piece: ReplyPiece) -> None:
        self._new.append(piece)
        self._kept.append(piece)
