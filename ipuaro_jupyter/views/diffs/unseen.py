"""What a terminal has left out of long diffs, to be shown page by page."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views import diff as view
from ipuaro_jupyter.views.diffs.diff_cut import TERMINAL, DiffLimit, HunkPart, cut, left_out
from ipuaro_jupyter.views.diffs.diff_rows import DrawnRows, Span, rests
from ipuaro_jupyter.views.hunks import Hunk, hunks
from ipuaro_jupyter.views.markup import counted, visible

PAGE_ROWS = 200
PAGE_CHARACTERS = 20_000


class _Rest(NamedTuple):
    """Rows that were left out, or characters of one row."""

    diff: Diff
    found: Sequence[Hunk]
    part: HunkPart
    span: Span | None = None


class Unseen:
    """The lines of diffs that `diff.text` has left out, in order.

    Args:
        diffs: The diffs that were shown.
        limits: The limit with which each was; None for one of which nothing was shown; () where
            all were shown with `TERMINAL`.
    """

    def __init__(self, diffs: Sequence[Diff], limits: Sequence[DiffLimit | None] = ()) -> None:
        self._rests: deque[_Rest] = deque()
        for diff, limit in zip(diffs, limits or [TERMINAL] * len(diffs), strict=True):
            found = hunks(diff.old, diff.new)
            for part in _nothing(found) if limit is None else cut(found, limit):
                rest = _Rest(diff, found, part)
                self._rests.extend(_long_lines(rest) if part.is_shown else [rest])

    @property
    def lines(self) -> int:
        """The number of changed lines that were not shown, or not to their end."""
        whole = sum(
            left_out(rest.found, (rest.part,)).total for rest in self._rests if rest.span is None
        )
        return whole + len(
            {(id(rest.diff), rest.part) for rest in self._rests if rest.span and _is_changed(rest)}
        )

    def page(self) -> str:
        """The next lines; "" when all were shown."""
        lines: list[str] = []
        rows, characters = PAGE_ROWS, PAGE_CHARACTERS
        place = None
        while self._rests and rows > 0 and characters > 0:
            rest = self._rests.popleft()
            if (rest.diff, rest.part.hunk) != place:
                place = (rest.diff, rest.part.hunk)
                lines += _heading(rest)
            if rest.span is not None:
                lines.append(self._characters(rest, rest.span))
                rows, characters = rows - 1, characters - len(lines[-1])
                continue
            middle = min(rest.part.end, rest.part.start + rows)
            shown = rest._replace(part=rest.part._replace(end=middle, is_shown=True))
            drawn = DrawnRows(rest.diff, rest.found, (shown.part,))
            lines += (told := view.part_text(rest.found, shown.part, drawn))
            if middle < rest.part.end:
                self._rests.appendleft(rest._replace(part=rest.part._replace(start=middle)))
            self._rests.extendleft(reversed(_long_lines(shown)))
            rows, characters = rows - len(told), characters - sum(map(len, told))
        return "\n".join(lines)

    def _characters(self, rest: _Rest, span: Span) -> str:
        end = min(span.end, span.start + PAGE_CHARACTERS)
        row = rest.found[rest.part.hunk].rows[rest.part.start]
        if end < span.end:
            self._rests.appendleft(rest._replace(span=Span(end, span.end)))
        shown = DrawnRows(rest.diff, rest.found, (rest.part,)).text_of(row, Span(span.start, end))
        return f"{row.sign}[characters {span.start + 1:,} to {end:,}] {shown}"


def _nothing(found: Sequence[Hunk]) -> list[HunkPart]:
    return [HunkPart(n, 0, len(hunk.rows), is_shown=False) for n, hunk in enumerate(found)]


def _long_lines(rest: _Rest) -> list[_Rest]:
    """What is left out within the lines of a shown part."""
    hunk, start, end, _ = rest.part
    return [
        rest._replace(part=HunkPart(hunk, number, number + 1, is_shown=True), span=span)
        for number in range(start, end)
        for span in rests(rest.found[hunk].rows[number])
        if span is not None
    ]


def _is_changed(rest: _Rest) -> bool:
    return rest.found[rest.part.hunk].rows[rest.part.start].sign != " "


def _heading(rest: _Rest) -> list[str]:
    header = rest.found[rest.part.hunk].header
    count = len(rest.found)
    number = f" change {rest.part.hunk + 1:,} of {count:,}" if count > 1 else ""
    return [f"{visible(rest.diff.path)}: {header}{number}"]


def unseen_note(lines: int) -> str:
    """``2,800 lines not seen``; "" for none."""
    return f"{counted(lines, 'line')} not seen" if lines else ""
