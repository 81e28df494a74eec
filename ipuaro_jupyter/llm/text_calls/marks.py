"""The next of several marks in a text that still comes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText


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
    """Finds marks, of several at one place the longest; those with ``<`` in any case."""

    def __init__(self, marks: Iterable[str]) -> None:
        longest_first = sorted(marks, key=len, reverse=True)
        first = f"[{re.escape(''.join({mark[0] for mark in longest_first}))}]"
        self._first = re.compile(first)
        self._pattern = re.compile(f"(?={first})(?:{'|'.join(map(_spelled, longest_first))})")
        self._longest = len(longest_first[0])
        self._beginnings = {mark[:n].lower() for mark in longest_first for n in range(1, len(mark))}

    def find(self, reply: ReplyText, at: int) -> Mark:
        """The next mark from ``at`` on.

        Without one, "" where the text ends, or where what may still become a mark begins.
        """
        text = reply.text
        found = self._pattern.search(text, at)
        end = len(text) if found is None else found.start()
        if not reply.has_ended:
            tail = max(at, len(text) - self._longest + 1)
            for letter in self._first.finditer(text, tail, end + 1):
                if text[letter.start() :].lower() in self._beginnings:
                    return Mark("", letter.start())
        mark = "" if found is None else found[0]
        return Mark(mark.lower() if mark.startswith("<") else mark, end)


def _spelled(mark: str) -> str:
    return f"(?ai:{re.escape(mark)})" if mark.startswith("<") else re.escape(mark)
