"""The text of a reply as far as it has come, and the marks in it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

BLANKS = " \t\r\n"
LEAST_TICKS = 3  # of a fence of lines
_MOST_BLANKS = 1000
_QUOTES = "`\"'"
_BLANK_RUN = re.compile(f"[{BLANKS}]*")
_LINE_BLANKS = re.compile(r"[ \t\r]*")


class CutOff(Exception):  # noqa: N818 - an end, not a fault
    """The text ends inside what is being read; see `ReplyText.calling`."""


@dataclass
class Fence:
    """A code fence that is open.

    ``ticks`` is how many backticks it has, or each other ``sign``; fewer than three stand in a
    line, around a call alone. ``has_turns``: marks of turns stand in it.
    ``held`` is its text so far, kept back as long as it holds nothing but calls and blanks; None
    once there was more.
    """

    ticks: int
    held: str | None
    language: str = ""
    has_calls: bool = False
    has_turns: bool = False
    sign: str = "`"


class ReplyText:
    """A text that grows until it ``has_ended``.

    Its methods say only what no further text can change, and raise `CutOff` otherwise: so whatever
    reads a text by them reads the same, however the text comes in pieces.

    ``begin`` is where the text begins, or goes on after a call or thinking; ``has_shown`` whether
    text that may be seen came before what is being read; ``fence`` the fence that is open there;
    ``calling`` the tool that is being called in what is being read, "" while its name is not known:
    None, as long as that may be text.
    """

    def __init__(self) -> None:
        self.text = ""
        self.begin = 0
        self.has_ended = self.has_shown = False
        self.calling: str | None = None
        self.fence: Fence | None = None

    @property
    def block(self) -> Fence | None:
        """The fence that is open, if it is one of lines."""
        return self.fence if self.fence is not None and self.fence.ticks >= LEAST_TICKS else None

    @property
    def is_in_code(self) -> bool:
        """Whether a fence is open that holds more than calls."""
        return self.fence is not None and self.fence.held is None

    @property
    def is_alone(self) -> bool:
        """Whether nothing but calls has come so far, in the fence that is open or in the reply."""
        return not self.has_shown if self.fence is None else self.fence.held is not None

    def append(self, more: str) -> None:
        """Add what has come."""
        text, self.text = self.text, ""  # the only reference: CPython then extends it in place
        text += more
        self.text = text

    def char(self, at: int) -> str:
        """The character at ``at``; "" where the text has ended."""
        self.wait(at, 1)
        return self.text[at : at + 1]

    def sure_char(self, at: int) -> str:
        """The character at ``at``; what is being read is cut off where the text has ended."""
        if not (letter := self.char(at)):
            raise CutOff
        return letter

    def wait(self, at: int, length: int) -> None:
        """Raise `CutOff` unless so much of the text from ``at`` on is there, or all of it."""
        if not self.has_ended and len(self.text) < at + length:
            raise CutOff

    def run(self, pattern: re.Pattern[str], at: int) -> int:
        """The end of what matches at ``at``, for patterns that match as much as there is."""
        match = pattern.match(self.text, at)
        end = at if match is None else match.end()
        self.wait(end, 1)
        return end

    def after_blanks(self, at: int) -> int:
        """The position of the next character that is no blank, or of the text's end."""
        return self.run(_BLANK_RUN, at)

    def starts(self, word: str, at: int) -> bool:
        """Whether ``word`` stands at ``at``."""
        here = self.text[at : at + len(word)]
        if word.startswith(here):
            self.wait(at, len(word))
        return here == word

    def is_mention(self, start: int, end: int) -> bool:
        """Whether what stands there is in quotes or backticks by itself: spoken of, not used."""
        before = self.text[start - 1 : start]
        return before != "" and before in _QUOTES and self.char(end) == before

    def begins_line(self, at: int) -> bool:
        """Whether nothing but blanks stands in the line before ``at``."""
        line = max(self.begin, self.text.rfind("\n", 0, at) + 1)
        return at - line <= _MOST_BLANKS and not self.text[line:at].strip(" \t\r")

    def ends_line(self, at: int) -> bool:
        """Whether nothing but blanks stands in the line from ``at`` on."""
        return self.char(self.run(_LINE_BLANKS, at)) in {"", "\n"}


class Mark(NamedTuple):
    """A mark at ``start``, in lower case if it begins with ``<``; ``text`` is "" where none is."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The position after it."""
        return self.start + len(self.text)


class MarkFinder:
    """Finds marks, of several at one place the longest; those with ``<`` in any case.

    Args:
        marks: Those that count anywhere.
        line_marks: Those that count only where a line begins.
    """

    def __init__(self, marks: Iterable[str], line_marks: Iterable[str] = ()) -> None:
        marks, line_marks = list(marks), list(line_marks)
        first = re.escape("".join({mark[0] for mark in marks}))
        in_line = rf"[ \t\r]*(?P<line_mark>{one_of(line_marks)})" if line_marks else r"(?!)"
        self._line = re.compile(in_line)
        self._pattern = re.compile(rf"(?<![^\n]){in_line}|(?=[{first}])(?P<mark>{one_of(marks)})")
        self._longest = max(map(len, (*marks, *line_marks)))
        self._beginnings, self._line_beginnings = _beginnings(marks), _beginnings(line_marks)

    def find(self, reply: ReplyText, at: int) -> Mark:
        """The next mark from ``at`` on.

        Without one, "" where the text ends, or where what may still become a mark begins.
        """
        found = self._line.match(reply.text, at) if reply.begins_line(at) else None
        found = found or self._pattern.search(reply.text, at)
        mark, start = "", len(reply.text)
        if found is not None:
            kind = found.lastgroup or ""
            mark, start = found[kind], found.start(kind)
        for begun in range(max(at, len(reply.text) - self._longest + 1), start + 1):
            rest = "" if reply.has_ended else reply.text[begun:].lower()
            in_line = rest in self._line_beginnings and reply.begins_line(begun)
            if in_line or rest in self._beginnings:
                return Mark("", begun)  # or a longer mark
        return Mark(mark.lower() if mark.startswith("<") else mark, start)


def one_of(marks: Iterable[str]) -> str:
    """The pattern of these marks, the longest first; those with ``<`` match in any case."""
    return "|".join(
        f"(?ai:{re.escape(mark)})" if mark.startswith("<") else re.escape(mark)
        for mark in sorted(marks, key=len, reverse=True)
    )


def _beginnings(marks: Iterable[str]) -> set[str]:
    return {mark[:n].lower() for mark in marks for n in range(1, len(mark))}
