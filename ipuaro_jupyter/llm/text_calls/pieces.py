"""What a reply's text is taken apart into, as it comes."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby

from ipuaro_jupyter.llm.text_calls.reply_text import Fence
from ipuaro_jupyter.records.chat import ParsedReply, ToolCall
from ipuaro_jupyter.records.record import Record

_MOST_ERRORS = 20
_TAG = re.compile(r"</[^<>\n]{0,60}>|<[|\uff5c][^<>\n]{0,60}>")
_WORD = re.compile(r"[^\W_]")
_THOUGHT = re.compile(r"[\s*]*Thought\b")
_NEXT = re.compile(r"\s*(?:And|Then|Next|Now)\b[^\n]{0,60}:\s*\Z")
_UNSURE = (
    "The call of {name} was not run: with text before it, it could be an example. To call it, "
    'write <tool_call name="{name}"><parameter>value</parameter>…</tool_call>. If it only explains '
    "a call, end with a sentence behind it."
)

Outcomes = tuple[ToolCall | str, ...]
"""Calls, and a sentence for the model for each that cannot be run."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """Thinking that has begun.

    ``ends`` are the marks that end it and belong to it, ``begins`` those with which something else
    begins, ``opening`` the one by which it may be opened again inside.
    """

    ends: tuple[str, ...]
    begins: tuple[str, ...] = ()
    opening: str = ""


@dataclass(frozen=True, slots=True)
class ParsedForm:
    """What a form's parser makes of a place in the text.

    ``end`` is where the text goes on, ``thinking`` what begins there, if that is thinking.
    ``needs_end``: it counts only where no prose follows, though its form may do without.
    ``ends_thinking``: what came before was thinking, unless thinking has already ended.
    """

    end: int
    outcomes: Outcomes = ()
    needs_end: bool = False
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


@dataclass(slots=True, eq=False)
class Part:
    """A part of the reply: text, or what a form was parsed into.

    ``text`` is what stands there; of it, ``opening`` opens a ``fence`` around the calls. For
    ``is_marked`` and ``needs_end`` see `Form`. ``counts``: it is more than text, as far as the
    reply has come. ``pieces`` are those that were made of it.
    """

    text: str
    outcomes: Outcomes = ()
    opening: str = ""
    fence: Fence | None = None
    is_marked: bool = True
    needs_end: bool = False
    counts: bool = True
    pieces: tuple[ReplyPiece, ...] = ()


class ReplyPieces:
    """What was found in a reply, and what of it is new.

    Args:
        ids: What the ids of the calls begin with; None gives them none.
        changing: The tools that change something.

    Attributes:
        has_text: There is text so far that is no blank.
        has_calls: There are calls so far that count, or what was to be some.
        has_marked: There are some in a form that is sure to be no data.
    """

    def __init__(self, ids: str | None, changing: Collection[str]) -> None:
        self._ids = ids
        self._changing = changing
        self._calls = self._errors = 0
        self._begun = -1
        self._new: list[Part | ReplyPiece] = []
        self._kept: list[Part] = []
        self.has_text = self.has_calls = self.has_marked = False

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def reply(self) -> ParsedReply:
        """All that counts of what was taken."""
        pieces = [piece for part in self._kept for piece in part.pieces]
        return ParsedReply(
            text="".join(piece.text for piece in pieces).strip(),
            calls=tuple(piece.call for piece in pieces if piece.call is not None),
            errors=tuple(piece.error for piece in pieces if piece.error),
        )

    def take(self) -> list[ReplyPiece]:
        """The new pieces."""
        new, self._new = self._new, []
        made = [(each,) if isinstance(each, ReplyPiece) else self._made_of(each) for each in new]
        return [piece for pieces in made for piece in pieces]

    def settle(self, *, has_marked: bool) -> bool:
        """Say which calls count when the reply ends here, and whether some are marked.

        Prose behind a call explains it, where its form says so; marks without words are none, nor
        is a thought before a call. Of calls without a mark none counts if there are others.
        """
        is_explained = is_followed = False
        for is_text, group in groupby(reversed(self._kept), key=lambda part: not part.outcomes):
            parts = list(group)
            passage = "".join(part.text for part in reversed(parts)) if is_text else ""
            is_thought = is_followed and (_THOUGHT.match(passage) or _NEXT.match(passage))
            is_prose = _WORD.search(_TAG.sub("", passage)) and not is_thought
            is_explained = is_explained or bool(is_prose)
            is_followed = is_followed or not is_text or bool(is_prose)
            for part in parts:
                part.counts = not (part.needs_end and is_explained)
        counting = [part for part in self._kept if part.outcomes and part.counts]
        has_marked = has_marked or any(part.is_marked for part in counting)
        for part in counting:
            part.counts = part.is_marked or not has_marked
        self._recount()
        return has_marked

    def add_text(self, text: str) -> None:
        """Add text that everybody may see."""
        self.has_text = self.has_text or text.strip() != ""
        last = self._new[-1] if self._new else None
        if isinstance(last, Part) and not last.outcomes and self._kept[-1:] == [last]:
            last.text += text
        elif text:
            self.add(Part(text))

    def add_thinking(self, text: str) -> None:
        """Add what the model thinks; it does not belong to the reply."""
        if text:
            self._new.append(ReplyPiece(thinking=text))

    def add_begun(self, name: str, at: int) -> None:
        """Say once that the call at ``at`` is being written; it is not in the reply yet."""
        if name and at > self._begun:
            self._begun = at
            self._new.append(ReplyPiece(begun=name))

    def add(self, part: Part) -> None:
        """Add calls, and sentences for those that cannot be run."""
        self._new.append(part)
        self._kept.append(part)
        self.has_calls = self.has_calls or bool(part.outcomes)
        self.has_marked = self.has_marked or _is_sure(part)

    def close_fence(self, text: str) -> None:
        """Add to the last calls what stands behind them up to the end of their fence."""
        self._kept[-1].text += text

    def take_back(self, count: int) -> None:
        """Let only the first ``count`` parts belong to the reply: the rest was thinking."""
        if count < len(self._kept):
            del self._kept[count:]
            self._recount()

    def _recount(self) -> None:
        self.has_text = any(not part.outcomes and part.text.strip() for part in self._kept)
        self.has_calls = any(part.outcomes and part.counts for part in self._kept)
        self.has_marked = any(map(_is_sure, self._kept))

    def _made_of(self, part: Part) -> tuple[ReplyPiece, ...]:
        """The pieces of a part; a number of errors says all, if a model repeats a mistake."""
        is_call, text = bool(part.outcomes) and part.counts, part.text
        if is_call:  # the fence stays if there is more in it
            text = part.opening if part.fence is not None and part.fence.held is None else ""
        pieces = [ReplyPiece(text=text)] if text else []
        for outcome in self._sure(part) if is_call else ():
            if isinstance(outcome, ToolCall):
                self._calls += 1
                named = {} if self._ids is None else {"id": f"{self._ids}{self._calls}"}
                pieces.append(ReplyPiece(call=outcome.model_copy(update=named)))
            elif self._errors < _MOST_ERRORS:
                self._errors += 1
                pieces.append(ReplyPiece(error=outcome))
        part.pieces = tuple(pieces)
        return part.pieces

    def _sure(self, part: Part) -> Outcomes:
        """What a part calls, or what to tell of a call that would change something behind prose.

        A thought, as ReAct has it, is no prose.
        """
        called = [outcome.name for outcome in part.outcomes if isinstance(outcome, ToolCall)]
        name = next((name for name in called if name in self._changing), "")
        before = self.reply.text if name and part.needs_end else ""
        is_prose = _WORD.search(before) and not _THOUGHT.match(before)
        return (_UNSURE.format(name=name),) if is_prose else part.outcomes


def _is_sure(part: Part) -> bool:
    return bool(part.outcomes) and part.is_marked and not part.needs_end
