"""The lines of a diff as text and as HTML: which are shown, and how much of a long one."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views.highlight import HighlightToken, Line, highlighted, line_html
from ipuaro_jupyter.views.hunks import Hunk, Row
from ipuaro_jupyter.views.markup import counted, element, escape, visible

MAX_ROWS = 2000
MAX_CHARACTERS = 200_000
# A longer line is no use to a reader: it is from a file without line breaks.
LINE_CHARACTERS = 1000
RETURN = "\u240d"
BARE_END = "\\ No newline at end of file"
_TAGS = {"-": "del", "+": "ins", " ": "span"}


class Cut(NamedTuple):
    """The hunks that are shown, maybe with fewer rows, and the number of what is left out."""

    hunks: tuple[Hunk, ...]
    rows_left: int
    hunks_left: int

    @property
    def note(self) -> str:
        """The parts left out, in words; empty when nothing is."""
        if not self.rows_left:
            return ""
        return f"\u2026 {counted(self.rows_left, 'more line')} not shown"


def cut(found: Sequence[Hunk]) -> Cut:
    """Limit hunks to what a reader, and a notebook that stores them, can take."""
    rows, characters, kept = MAX_ROWS, MAX_CHARACTERS, []
    for hunk in found:
        shown = 0
        for row in hunk.rows[: max(0, rows)]:
            if characters <= 0:
                break
            characters -= min(len(row.text), LINE_CHARACTERS)
            shown += 1
        if all(row.sign == " " for row in hunk.rows[:shown]):
            break  # context lines are no use without their change
        rows -= shown
        kept.append(hunk._replace(rows=hunk.rows[:shown]))
    every = sum(len(hunk.rows) for hunk in found)
    left = every - sum(len(hunk.rows) for hunk in kept)
    return Cut(tuple(kept), left, len(found) - len(kept))


class DrawnRows:
    """Draws the rows of one diff; only HTML has the two sides highlighted.

    Attributes:
        digits: The number of digits of the longest line number.
    """

    def __init__(self, diff: Diff, shown: Sequence[Hunk]) -> None:
        numbers = (max(row.old or 0, row.new or 0) for hunk in shown[-1:] for row in hunk.rows)
        self.digits = len(str(max(numbers, default=1)))
        self._same_ends = _same_ends(diff)
        self._diff = diff
        self._shown = shown

    def text(self, row: Row) -> str:
        """The content of the line."""
        start, end = _window(row)
        line = visible(row.text.removesuffix("\r")[start:end]).replace("\n", "")
        before, after = _omitted(row, start, end)
        return before + line + after + self._end(row)

    def html(self, row: Row, *, numbers: str | None = None) -> str:
        """The line with its numbers and its sign, as `<del>`, `<ins>` or `<span>`.

        Args:
            row: The line.
            numbers: HTML of the numbers; None puts both in one column each.
        """
        if numbers is None:
            width = self.digits
            both = f"{row.old or '':>{width}} {row.new or '':>{width}} "
            numbers = f'<span class="ipuaro-n">{both}</span>'
        gutter = f"{numbers}{row.sign} "
        return element(_TAGS[row.sign], gutter, self._inner(row), class_="ipuaro-row")

    @cached_property
    def _old(self) -> tuple[Line, ...]:
        """The lines before the change, highlighted, up to the last removed line that is shown."""
        gone = (row.old or 0 for hunk in self._shown for row in hunk.rows if row.sign == "-")
        return _highlighted(self._diff.old, self._diff.path, max(gone, default=0))

    @cached_property
    def _new(self) -> tuple[Line, ...]:
        """The lines after the change, highlighted, up to the last line that is shown."""
        there = (row.new or 0 for hunk in self._shown for row in hunk.rows)
        return _highlighted(self._diff.new, self._diff.path, max(there, default=0))

    def _inner(self, row: Row) -> str:
        start, end = _window(row)
        words = row.text.removesuffix("\r")
        lines = self._old if row.sign == "-" else self._new
        number = (row.old if row.sign == "-" else row.new) or 0
        coloured: Line = lines[number - 1] if 0 < number <= len(lines) else ()
        # Spelled-out characters shift the columns, so the words are not marked.
        if "".join(piece.text for piece in coloured) == words:
            marks = [(max(0, a - start), b - start) for a, b in row.marks if b > start]
            inner = line_html(_sliced(coloured, start, end), marks)
        else:
            inner = escape(words[start:end])
        before, after = (
            element("span", escape(note), class_="ipuaro-note") if note else ""
            for note in _omitted(row, start, end)
        )
        return before + inner + after + self._end(row)

    def _end(self, row: Row) -> str:
        """The sign of a carriage return, where the two sides differ in it."""
        return RETURN if row.text.endswith("\r") and not self._same_ends else ""


def _window(row: Row) -> tuple[int, int]:
    """The range of characters of a line that is shown: in a long one, those around the change."""
    length = len(row.text.removesuffix("\r"))
    if length <= LINE_CHARACTERS:
        return 0, length
    first = row.marks[0][0] if row.marks else 0
    start = min(max(0, first - LINE_CHARACTERS // 4), length - LINE_CHARACTERS)
    return start, start + LINE_CHARACTERS


def _omitted(row: Row, start: int, end: int) -> tuple[str, str]:
    """The texts that replace the rest of a long line, before and after."""
    rest = len(row.text.removesuffix("\r")) - end
    return (
        f"[{counted(start, 'character')} not shown] \u2026" if start else "",
        f"\u2026 [{counted(rest, 'character')} not shown]" if rest else "",
    )


def _sliced(line: Line, start: int, end: int) -> Line:
    pieces: list[HighlightToken] = []
    at = 0
    for kind, text in line:
        pieces.append(HighlightToken(kind, text[max(0, start - at) : max(0, end - at)]))
        at += len(text)
    return tuple(piece for piece in pieces if piece.text)


@lru_cache(maxsize=8)
def _highlighted(side: str | None, path: str, wanted: int) -> tuple[Line, ...]:
    if side is None:
        return ()
    lines = [line.removesuffix("\r") for line in side.split("\n")]
    return tuple(highlighted(lines, path, wanted=wanted))


def _same_ends(diff: Diff) -> bool:
    ends = [side.count("\r\n") == side.count("\n") for side in (diff.old, diff.new) if side]
    return all(ends)
