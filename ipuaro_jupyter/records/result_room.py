"""The room that a result has in the model's window, and texts cut to it at sensible places."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.word_edges import word_begin

ENDS_SHARE = 0.3
"""What the beginning of a program's output gets of its room: its end says how it went."""

_NOTE_TOKENS = 60  # of a note on what is left out
_LEAST_TOKENS = 16
_MOST_GROUPS = 4
_HEAD_SHARE = 0.5  # of a head or a tail that is too long to be kept whole
_STEP = 0.95
_MOST_CHARACTERS = 100  # of a token, blanks included


@dataclass(frozen=True)
class ResultRoom:
    """The room of a text: ``tokens`` by the estimate of ``measure``."""

    tokens: float
    measure: Callable[[str], float]

    def holds(self, text: str) -> bool:
        """Whether the text fits."""
        if len(text) > _MOST_CHARACTERS * self.tokens:  # it takes long to measure
            return False
        return self.measure(text) <= self.tokens

    def less(self, *texts: str) -> "ResultRoom":
        """The room that is left beside the texts."""
        taken = sum(map(self.measure, texts))
        return ResultRoom(max(_LEAST_TOKENS, self.tokens - taken), self.measure)


class Parts(Record):
    """A text in parts, of which the last entries may be left out.

    Attributes:
        head: Its first lines.
        entries: The parts, each one or more lines.
        tail: Its last lines, which are kept.
        brief: The entries in a shorter form, if they have one.
        without: What is said of the shorter form.
        groups: For each entry, the file or the folder that it belongs to, if any.
        group: What the groups are.
        counts: For each entry the number of things in it; 1 each when empty.
        note: What is said of the rest: ``{left}`` things ``{inside}`` its files; ``{next}`` is the
            number of the first entry that is left out, counted from ``first``, and ``{last}`` that
            of the last.
        first: The number of the first entry.
    """

    head: str = ""
    entries: tuple[str, ...] = ()
    tail: str = ""
    brief: tuple[str, ...] = ()
    without: str = ""
    groups: tuple[str, ...] = ()
    group: Literal["file", "folder"] = "file"
    counts: tuple[int, ...] = ()
    note: str = "{left} more lines"
    first: int = 1

    def text(self) -> str:
        """The whole text."""
        return "\n".join([*self._around(self.head), *self.entries, *self._around(self.tail)])

    def within(self, room: ResultRoom) -> str:
        """As much of the text as fits, with a note on what is left out."""
        whole = self.text()
        if room.holds(whole):
            return whole
        head = cut(self.head, ResultRoom(_HEAD_SHARE * room.tokens, room.measure))
        tail = cut(self.tail, ResultRoom(_HEAD_SHARE / 2 * room.tokens, room.measure))
        left = ResultRoom(room.tokens - _NOTE_TOKENS, room.measure).less(head, tail)
        entries = self.entries
        if self.brief:
            if left.holds("\n".join(self.brief)):
                note = f"[… {self.without}]" if self.without else ""
                return "\n".join(filter(None, (head, *self.brief, note, tail)))
            entries = self.brief
        kept = _count_that_fits(entries, left)
        while True:
            shown = entries[:kept] or (cut(entries[0], left) if entries else "",)
            note = self._note(max(kept, 1))
            told = [*self._around(head), *shown, *self._around(note), *self._around(tail)]
            if kept <= 1 or room.holds("\n".join(told)):
                return cut("\n".join(told), room)
            kept = min(kept - 1, int(kept * _STEP))

    def _note(self, kept: int) -> str:
        """What is said of the entries after the first ``kept`` ones."""
        left = sum(self.counts[kept:]) if self.counts else len(self.entries) - kept
        if not left:
            return ""
        values = {
            "left": f"{left:,}",
            "inside": self._inside(kept),
            "next": f"{self.first + kept}",
            "last": f"{self.first + len(self.entries) - 1}",
        }
        told = self.note
        for name, value in values.items():
            told = told.replace(f"{{{name}}}", value)
        return f"[… {' '.join(told.split()).replace(' :', ':')}]"

    def _inside(self, kept: int) -> str:
        """Where the rest lies: the number of files or folders, and those with most of it."""
        rest: Counter[str] = Counter()
        for place, group in enumerate(self.groups[kept:], kept):
            rest[group] += self.counts[place] if self.counts else 1
        if not rest:
            return ""
        if len(rest) == 1:
            return f"in {next(iter(rest))}"
        most = ", ".join(f"{group} {count:,}" for group, count in rest.most_common(_MOST_GROUPS))
        others = ", …" if len(rest) > _MOST_GROUPS else ""
        return f"in {len(rest):,} {self.group}s ({most}{others})"

    @staticmethod
    def _around(text: str) -> tuple[str, ...]:
        return (text,) if text else ()


def cut(text: str, room: ResultRoom, *, head: float = 1.0, note: str = "") -> str:
    """The text without some of its lines, and a note on them; whole if it fits.

    Args:
        text: The text.
        room: Its room.
        head: The share of the room that its beginning gets; the rest is for its end.
        note: Said of what is left out, after the number of lines.
    """
    if room.holds(text):
        return text
    lines = text.split("\n")
    left = ResultRoom(max(room.tokens - _NOTE_TOKENS, room.tokens / 2), room.measure)
    while True:
        first = _count_that_fits(lines, ResultRoom(head * left.tokens, room.measure))
        rest = lines[first:][::-1]
        last = _count_that_fits(rest, ResultRoom((1 - head) * left.tokens, room.measure))
        out = len(lines) - first - last
        told = f"[… {out:,} more line{'s' * (out != 1)}{f': {note}' if note else ''}]"
        if first + last == 0:
            return _begun(lines, room, told)
        short = "\n".join([*lines[:first], told, *lines[len(lines) - last :]])
        if room.holds(short):
            return short
        left = ResultRoom(left.tokens * _STEP, room.measure)


def _begun(lines: Sequence[str], room: ResultRoom, note: str) -> str:
    """The beginning of a text whose first line is too long already."""
    line = lines[0]
    keep = min(len(line), int(room.tokens * 8))
    while True:
        shown = word_begin(line, keep) or keep
        told = f"{line[:shown]}\n[… {len(line) - shown:,} more characters of the line]"
        told += f"\n{note}" if len(lines) > 1 else ""
        if keep == 0 or room.holds(told):
            return told
        keep = int(keep * 0.8)


def _count_that_fits(texts: Iterable[str], room: ResultRoom) -> int:
    """How many of the texts fit, one below the other."""
    return sum(1 for _ in _taken(texts, room))


def _taken(texts: Iterable[str], room: ResultRoom) -> Iterator[str]:
    tokens = 0.0
    for text in texts:
        tokens += room.measure(f"{text}\n")
        if tokens > room.tokens:
            return
        yield text
