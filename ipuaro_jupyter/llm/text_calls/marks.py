"""The next of several marks in a text that still comes."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText

_LONGEST_HELD = 1000
"""Characters of a line, blanks and all, that are kept back as they may become a mark."""


@dataclass(frozen=True, slots=True)
class Mark:
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
        longest_first = sorted(marks, key=len, reverse=True)
        first = f"[{re.escape(''.join({mark[0] for mark in longest_first}))}]"
        self._first = re.compile(first)
        self._pattern = re.compile(f"(?={first})(?:{_one_of(longest_first)})")
        self._longest = len(longest_first[0])
        self._beginnings = _beginnings(longest_first)
        in_lines = sorted(line_marks, key=len, reverse=True)
        self._line = re.compile(rf"[ \t\r]*({_one_of(in_lines)})") if in_lines else None
        self._line_beginnings = _beginnings(in_lines)

    def find(self, reply: ReplyText, at: int) -> Mark:
        """The next mark from ``at`` on.

        Without one, "" where the text ends, or where what may still become a mark begins.
        """
        text = reply.text
        found = self._pattern.search(text, at)
        end = len(text) if found is None else found.start()
        mark = "" if found is None else found[0]
        if self._line is not None:
            in_line = self._find_in_lines(self._line, reply, at, end)
            if in_line.start < end or len(in_line.text) > len(mark):
                return in_line
        if not reply.has_ended:
            tail = max(at, len(text) - self._longest + 1)
            for letter in self._first.finditer(text, tail, end + 1):
                if text[letter.start() :].lower() in self._beginnings:
                    return Mark("", letter.start())
        return _mark(mark, end)

    def _find_in_lines(self, line: re.Pattern[str], reply: ReplyText, at: int, end: int) -> Mark:
        """The first mark of a line from ``at`` to ``end``.

        Without one, "" where what may still become one begins, or at ``end``.
        """
        start = at
        for start in _line_starts(reply, at, end):
            if found := line.match(reply.text, start):
                return _mark(found[1], found.start(1))
        rest = reply.text[start : start + _LONGEST_HELD]
        begun = rest.lstrip(" \t\r")
        if not reply.has_ended and begun.lower() in self._line_beginnings:
            start += len(rest) - len(begun)
            return Mark("", start if reply.begins_line(start) else end)
        return Mark("", end)


def _mark(text: str, start: int) -> Mark:
    return Mark(text.lower() if text.startswith("<") else text, start)


def _line_starts(reply: ReplyText, at: int, end: int) -> Iterator[int]:
    if reply.begins_line(at):
        yield at
    while (at := reply.text.find("\n", at, end) + 1) > 0:
        yield at


def _one_of(marks: Iterable[str]) -> str:
    return "|".join(map(_spelled, marks))


def _beginnings(marks: Iterable[str]) -> set[str]:
    return {mark[:n].lower() for mark in marks for n in range(1, len(mark))}


def _spelled(mark: str) -> str:
    return f"(?ai:{re.escape(mark)})" if mark.startswith("<") else re.escape(mark)
