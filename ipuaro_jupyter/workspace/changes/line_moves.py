"""Line numbers of a text as it was, found again after edits: pure arithmetic.

Between two lines, before the first and behind the last are boundaries, numbered from 0. Lines 3-5
lie between the boundaries 2 and 5; an insertion before line 3 has both at 2.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ipuaro_jupyter.records.counted import line_range
from ipuaro_jupyter.views.hunks import LINE_STEPS
from ipuaro_jupyter.views.sequence_diff import ComparisonBudget, MatchingBlock, matches


class LineSpan(NamedTuple):
    """Lines from ``start`` to ``end``, 1-based and included; ``end = start - 1`` is before start.

    Its text names it in a sentence: "line 3", "lines 3-5", "the place before line 3".
    """

    start: int
    end: int

    def __str__(self) -> str:
        if self.end < self.start:
            return f"the place before line {self.start}"
        return line_range(self.start, self.end)


class Replaced(NamedTuple):
    """What lies between two boundaries of the first text, and the number of lines there now."""

    begin: int
    end: int
    size: int

    @property
    def lines(self) -> LineSpan:
        """The lines of the first text that are gone."""
        return LineSpan(self.begin + 1, self.end)

    @property
    def added(self) -> int:
        """The number of lines by which the text has grown here."""
        return self.size - (self.end - self.begin)


@dataclass(frozen=True)
class LineMoves:
    """The way from the lines of a first text to those of the present one.

    Attributes:
        blocks: What was replaced, in order; no two of them overlap.
    """

    blocks: tuple[Replaced, ...] = ()

    @classmethod
    def between(cls, old: Sequence[str], new: Sequence[str]) -> "LineMoves":
        """The way from one text to another, as a comparison finds it."""
        return cls().rewritten(old, new)

    @property
    def added(self) -> int:
        """The number of lines by which the text has grown."""
        return sum(block.added for block in self.blocks)

    def overlapped(self, lines: LineSpan) -> LineSpan | None:
        """The first lines replaced so far that ``lines`` of the first text overlap, if any do.

        Insertions at the ends of replaced lines do not overlap them.
        """
        begin, end = lines.start - 1, lines.end
        for block in self.blocks:
            if begin < block.end and block.begin < end:
                return block.lines
        return None

    def place(self, lines: LineSpan) -> LineSpan:
        """The present numbers of ``lines`` of the first text, which overlap nothing replaced.

        What was inserted at a boundary before comes first.
        """
        moved = sum(block.added for block in self.blocks if block.end <= lines.start - 1)
        return LineSpan(lines.start + moved, lines.end + moved)

    def replaced(self, lines: LineSpan, count: int) -> "LineMoves":
        """With ``lines`` of the first text, which overlap nothing replaced, now ``count`` lines."""
        new = Replaced(lines.start - 1, lines.end, count)
        at = sum(block.end <= new.begin for block in self.blocks)
        return LineMoves((*self.blocks[:at], new, *self.blocks[at:]))

    def changed(self, lines: LineSpan, count: int) -> "LineMoves":
        """With ``lines`` of the present text now ``count`` lines; they may overlap anything."""
        begin, end = lines.start - 1, lines.end
        before, touched, after = [], [], []
        moved = 0
        for block in self.blocks:
            first = block.begin + moved
            last = first + block.size
            moved += block.added
            if begin < last and first < end:
                touched.append((block, first, last))
            elif last <= begin:
                before.append(block)
            else:
                after.append(block)
        moved = sum(block.added for block in before)
        new = Replaced(begin - moved, end - moved, count)
        if touched:
            moved += sum(block.added for block, _, _ in touched)
            (head, first, _), (tail, _, last) = touched[0], touched[-1]
            new = Replaced(
                new.begin if begin < first else head.begin,
                end - moved if end > last else tail.end,
                max(end, last) - min(begin, first) - (end - begin) + count,
            )
        return LineMoves((*before, new, *after))

    def rewritten(self, old: Sequence[str], new: Sequence[str]) -> "LineMoves":
        """With the lines of the present text, ``old``, now those of ``new``, as compared."""
        moves = self
        for begin, end, count in reversed([*_differences(old, new)]):
            moves = moves.changed(LineSpan(begin + 1, end), count)
        return moves


def _differences(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield where they differ: two boundaries in ``old``, and the number of lines in ``new``."""
    at_old = at_new = 0
    found = matches(old, new, ComparisonBudget(LINE_STEPS))
    for block in [*found, MatchingBlock(len(old), len(new), 0)]:
        if (at_old, at_new) != block[:2]:
            yield at_old, block.old, block.new - at_new
        at_old, at_new = block.old + block.size, block.new + block.size
