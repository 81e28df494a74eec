"""What a reply's text is taken apart into, as it comes."""

from ipuaro_jupyter.llm.text_calls.found import Found
from ipuaro_jupyter.records.chat import ParsedReply, ToolCall
from ipuaro_jupyter.records.record import Record

_MOST_ERRORS = 20


class Piece(Record):
    """A part of a reply as it streams; one field is set.

    ``begun`` is the name of the tool whose call is being written.
    """

    text: str = ""
    thinking: str = ""
    begun: str = ""
    call: ToolCall | None = None
    error: str = ""


class Pieces:
    """What was found in a reply, and what of it is new.

    Args:
        ids: What the ids of the calls begin with; None gives them none.
    """

    def __init__(self, ids: str | None) -> None:
        self._ids = ids
        self._count = 0
        self._errors = 0
        self._new: list[Piece] = []
        self._kept: list[Piece] = []

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
        return any(piece.call is not None or piece.error for piece in self._kept)

    def branch(self) -> "Pieces":
        """Return a copy to which something else may be added."""
        branch = Pieces(self._ids)
        branch._count, branch._errors = self._count, self._errors
        branch._new, branch._kept = list(self._new), list(self._kept)
        return branch

    def take(self) -> list[Piece]:
        """Return the new pieces, neighbouring texts as one."""
        joined: list[Piece] = []
        texts: list[str] = []
        for piece in [*self._new, Piece()]:
            if piece.text:
                texts.append(piece.text)
                continue
            if texts:
                joined.append(Piece(text="".join(texts)))
                texts = []
            joined.append(piece)
        self._new = []
        return joined[:-1]

    def add_text(self, text: str) -> None:
        """Add text that everybody may see."""
        if text:
            self._add(Piece(text=text))

    def add_thinking(self, text: str) -> None:
        """Add what the model thinks; it does not belong to the reply."""
        if text:
            self._new.append(Piece(thinking=text))

    def add_begun(self, name: str) -> None:
        """Say that a call is being written; it does not belong to the reply yet."""
        self._new.append(Piece(begun=name))

    def add(self, found: Found) -> None:
        """Add calls and what is wrong with others.

        Models may repeat a mistake until their window is full: a number of them says it all.
        """
        for call in found.calls:
            self._count += 1
            named = {} if self._ids is None else {"id": f"{self._ids}{self._count}"}
            self._add(Piece(call=call.model_copy(update=named)))
        for error in found.errors[: _MOST_ERRORS - self._errors]:
            self._errors += 1
            self._add(Piece(error=error))

    def take_back(self, count: int) -> None:
        """Let only the first ``count`` pieces belong to the reply: the rest was thinking."""
        del self._kept[count:]

    def _add(self, piece: Piece) -> None:
        self._new.append(piece)
        self._kept.append(piece)
