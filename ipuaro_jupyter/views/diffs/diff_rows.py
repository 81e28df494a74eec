"""The lines of a diff as text and as HTML, and how much of a long line is shown."""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views.diffs.diff_cut import LINE_CHARACTERS, HunkPart
from ipuaro_jupyter.views.highlight import HighlightToken, Line, highlighted, line_html
from ipuaro_jupyter.views.hunks import Hunk, Row
from ipuaro_jupyter.views.markup import counted, element, escape, visible

RETURN = "\u240d"
BARE_END = "\\ No newline at end of file"
_TAGS = {"-": "del", "+": "ins", " ": "span"}


class Span(NamedTuple):
    """Characters of a line; 0-based, the end excluded."""

    start: int
    end: int


class DrawnRows:
    """Draws the rows of one diff; only HTML has the two sides highlighted.

    Args:
        diff: The two texts.
        found: Their hunks.
        parts: Those that are drawn: highlighting reads no further.
        is_coloured: Whether HTML is highlighted at all.

    Attributes:
        found: The hunks.
        digits: The number of digits of the longest line number.
    """

    def __init__(
        self,
        diff: Diff,
        found: Sequence[Hunk],
        parts: Sequence[HunkPart],
        *,
        is_coloured: bool = True,
    ) -> None:
        numbers = (max(row.old or 0, row.new or 0) for hunk in found[-1:] for row in hunk.rows)
        self.digits = len(str(max(numbers, default=1)))
        self.found = found
        self._same_ends = _same_ends(diff)
        self._diff = diff
        self._language = (diff.language or diff.path) if is_coloured else ""
        self._shown = [
            row
            for part in parts
            if part.is_shown
            for row in found[part.hunk].rows[part.start : part.end]
        ]

    def text(self, row: Row) -> str:
        """The content of the line."""
        shown = window(row)
        before, after = (f"[{rest_note(rest)}]" if rest else "" for rest in rests(row))
        line = self.text_of(row, shown)
        return f"{before} \u2026" * bool(before) + line + f"\u2026 {after}" * bool(after)

    def text_of(self, row: Row, span: Span) -> str:
        """Some characters of the line; with the last of them, the sign of how it ends."""
        line = visible(_words(row)[span.start : span.end]).replace("\n", "")
        return line + (self._end(row) if span.end == len(_words(row)) else "")

    def html(
        self, row: Row, *, numbers: str | None = None, more: Callable[[Span], str] | None = None
    ) -> str:
        """The line with its numbers and its sign, as `<del>`, `<ins>` or `<span>`.

        Args:
            row: The line.
            numbers: HTML of the numbers; None puts both in one column each.
            more: Draws what stands for characters that are left out; None: a note.
        """
        if numbers is None:
            width = self.digits
            both = f"{row.old or '':>{width}} {row.new or '':>{width}} "
            numbers = f'<span class="ipuaro-n">{both}</span>'
        gutter = f"{numbers}{row.sign} "
        before, after = (
            "" if not rest else more(rest) if more else _note(rest) for rest in rests(row)
        )
        inner = f"{before}{self.html_of(row, window(row))}{after}"
        return element(_TAGS[row.sign], gutter, inner, class_="ipuaro-row")

    def html_of(self, row: Row, span: Span) -> str:
        """Some characters of the line; with the last of them, the sign of how it ends."""
        words, (start, end) = _words(row), span
        lines = self._old if row.sign == "-" else self._new
        number = (row.old if row.sign == "-" else row.new) or 0
        coloured: Line = lines[number - 1] if 0 < number <= len(lines) else ()
        # Spelled-out characters shift the columns, so the words are not marked.
        if "".join(piece.text for piece in coloured) == words:
            marks = [(max(0, a - start), b - start) for a, b in row.marks if b > start]
            inner = line_html(_sliced(coloured, start, end), marks)
        else:
            inner = escape(words[start:end])
        return inner + (self._end(row) if end == len(words) else "")

    @cached_property
    def _old(self) -> tuple[Line, ...]:
        """The lines before the change, highlighted, up to the last removed line that is shown."""
        gone = (row.old or 0 for row in self._shown if row.sign == "-")
        return _highlighted(self._diff.old, self._language, max(gone, default=0))

    @cached_property
    def _new(self) -> tuple[Line, ...]:
        """The lines after the change, highlighted, up to the last line that is shown."""
        there = (row.new or 0 for row in self._shown)
        return _highlighted(self._diff.new, self._language, max(there, default=0))

    def _end(self, row: Row) -> str:
        """The sign of a carriage return, where the two sides differ in it."""
        return RETURN if row.text.endswith("\r") and not self._same_ends else ""


def window(row: Row) -> Span:
    """The characters of a line that are shown at first: in a long one, those around the change."""
    length = len(_words(row))
    if length <= LINE_CHARACTERS:
        return Span(0, length)
    first = row.marks[0][0] if row.marks else 0
    start = min(max(0, first - LINE_CHARACTERS // 4), length - LINE_CHARACTERS)
    return Span(start, start + LINE_CHARACTERS)


def rests(row: Row) -> tuple[Span | None, Span | None]:
    """The rest of a long line, before and after what is shown of it."""
    length, shown = len(_words(row)), window(row)
    before = Span(0, shown.start) if shown.start else None
    return before, Span(shown.end, length) if shown.end < length else None


def rest_note(rest: Span) -> str:
    """The number of characters that are left out, in words."""
    return f"{counted(rest.end - rest.start, 'character')} not shown"


def _note(rest: Span) -> str:
    dots = ("", " \u2026") if rest.start == 0 else ("\u2026 ", "")
    return element("span", f"{dots[0]}[{rest_note(rest)}]{dots[1]}", class_="ipuaro-note")


def _words(row: Row) -> str:
    return row.text.removesuffix("\r")


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
