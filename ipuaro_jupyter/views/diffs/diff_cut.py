"""Which lines of a long diff are shown: the first and the last of each side."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ipuaro_jupyter.views.hunks import Hunk
from ipuaro_jupyter.views.markup import counted

# A longer line is no use to a reader: it is from a file without line breaks.
LINE_CHARACTERS = 1000
_FEW = 10


class DiffLimit(NamedTuple):
    """The size of a drawn diff.

    ``least`` removed lines and as many added ones are shown from the beginning, and again from the
    end, even if there is room for fewer.
    """

    rows: int
    characters: int
    least: int

    def shared(self, count: int) -> "DiffLimit":
        """The limit of each of ``count`` diffs: many together take the room of a few."""
        if count <= _FEW:
            return self
        rows, characters, least = (_FEW * most // count for most in self)
        return DiffLimit(max(10, rows), max(1000, characters), max(3, least))


QUESTION = DiffLimit(2000, 200_000, 100)
RECORD = DiffLimit(1000, 100_000, 100)
"""A record stays in the saved notebook."""
TERMINAL = DiffLimit(500, 60_000, 50)
BESIDE_HTML = DiffLimit(60, 6000, 10)
"""The text of an output whose HTML shows more."""
LOG = DiffLimit(300, 16_000, 20)


class HunkPart(NamedTuple):
    """Consecutive rows of a hunk, all shown or all left out; 0-based, the end excluded."""

    hunk: int
    start: int
    end: int
    is_shown: bool


class ChangedLines(NamedTuple):
    """The number of changed lines."""

    removed: int
    added: int

    @property
    def total(self) -> int:
        """Both together."""
        return self.removed + self.added

    def __str__(self) -> str:
        """``2 removed and 3 added lines``."""
        if not self.removed or not self.added:
            word = "removed line" if self.removed else "added line"
            return counted(self.total, word)
        return f"{self.removed:,} removed and {counted(self.added, 'added line')}"


def cut(found: Sequence[Hunk], limit: DiffLimit) -> tuple[HunkPart, ...]:
    """All rows of the hunks in order, in parts: as many shown as the limit allows.

    Unchanged lines are shown where a changed line beside them is.
    """
    every = _Rows(found)
    most = limit.rows
    if every.fits(range(len(every.costs)), limit):
        return tuple(
            HunkPart(number, 0, len(hunk.rows), is_shown=True) for number, hunk in enumerate(found)
        )
    low, high = min(limit.least, most), most
    while low < high:
        middle = (low + high + 1) // 2
        if every.fits(every.ends(middle), limit):
            low = middle
        else:
            high = middle - 1
    shown = every.ends(max(low, limit.least))
    return tuple(_parts(found, shown))


def left_out(found: Sequence[Hunk], parts: Sequence[HunkPart]) -> ChangedLines:
    """The changed lines of the parts that are not shown."""
    signs = [
        row.sign
        for part in parts
        if not part.is_shown
        for row in found[part.hunk].rows[part.start : part.end]
    ]
    return ChangedLines(signs.count("-"), signs.count("+"))


def grouped(parts: Sequence[HunkPart]) -> Iterator[list[HunkPart]]:
    """Yield each shown part alone, and those left out between two of them together."""
    for is_shown, group in groupby(parts, key=lambda part: part.is_shown):
        if is_shown:
            yield from ([part] for part in group)
        else:
            yield list(group)


class _Rows:
    """The rows of all hunks in one sequence; a selection is a set of their numbers."""

    def __init__(self, found: Sequence[Hunk]) -> None:
        rows = [row for hunk in found for row in hunk.rows]
        self.costs = [min(len(row.text), LINE_CHARACTERS) for row in rows]
        self._signs = [row.sign for row in rows]
        self._removed = [number for number, sign in enumerate(self._signs) if sign == "-"]
        self._added = [number for number, sign in enumerate(self._signs) if sign == "+"]
        self._starts = {0}
        at = 0
        for hunk in found:
            at += len(hunk.rows)
            self._starts.add(at)

    def fits(self, selected: "set[int] | range", limit: DiffLimit) -> bool:
        """Whether the rows are few enough."""
        if len(selected) > limit.rows:
            return False
        return sum(self.costs[number] for number in selected) <= limit.characters

    def ends(self, count: int) -> set[int]:
        """The first and the last ``count`` changed lines of each side, and what is around them."""
        changed = {
            number
            for side in (self._removed, self._added)
            for number in (*side[:count], *side[-count:])
        }
        around = {near for number in changed for near in self._around(number)}
        return changed | around

    def _around(self, number: int) -> Iterator[int]:
        """Yield the unchanged rows directly before and after a row of the same hunk."""
        before = number
        while before not in self._starts and self._signs[before - 1] == " ":
            before -= 1
            yield before
        after = number + 1
        while after not in self._starts and self._signs[after] == " ":
            yield after
            after += 1


def _parts(found: Sequence[Hunk], shown: set[int]) -> Iterator[HunkPart]:
    at = 0
    for number, hunk in enumerate(found):
        start = 0
        flags = [at + row in shown for row in range(len(hunk.rows))]
        for is_shown, group in groupby(flags):
            end = start + len(list(group))
            yield HunkPart(number, start, end, is_shown)
            start = end
        at += len(hunk.rows)
