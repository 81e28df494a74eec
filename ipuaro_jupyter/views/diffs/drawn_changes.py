"""Draws some of the changes of a diff as elements that a page makes interactive."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ipuaro_jupyter.views.diffs.diff_cut import HunkPart, left_out
from ipuaro_jupyter.views.diffs.diff_rows import BARE_END, DrawnRows, Span, rest_note
from ipuaro_jupyter.views.hunks import Hunk, Row
from ipuaro_jupyter.views.markup import checkbox, counted, element, escape

PAGE_ROWS = 500
PAGE_CHARACTERS = 20_000


class RowPlace(NamedTuple):
    """A row of a hunk; both 0-based."""

    hunk: int
    row: int

    def __str__(self) -> str:
        """The number of the change, from 1, and of its row."""
        return f"{self.hunk + 1}:{self.row}"

    def key(self, rest: Span) -> str:
        """What stands for characters of the row."""
        return f"{self}:{rest.start}-{rest.end}"


class DrawnChanges:
    """Draws parts of the hunks of a diff.

    Args:
        rows: Draws the rows of these parts.
    """

    def __init__(self, rows: DrawnRows) -> None:
        self._drawn = rows
        self._found = rows.found

    def html(self, parts: Sequence[HunkPart]) -> str:
        """Whole changes; those of which nothing is shown have one element together."""
        drawn: list[str] = []
        for is_shown, group in groupby(parts, key=self._is_begun):
            if is_shown:
                for number, of in groupby(group, key=lambda part: part.hunk):
                    drawn.append(self._change(number, list(of)))
            else:
                drawn.append(self._changes_left_out(list(group)))
        return "".join(drawn)

    def lines(self, hunk: int, start: int, end: int) -> str:
        """The first of some rows of a change, and an element for the others."""
        middle = min(end, start + PAGE_ROWS)
        parts = [HunkPart(hunk, start, middle, is_shown=True)]
        if middle < end:
            parts.append(HunkPart(hunk, middle, end, is_shown=False))
        # Rows of one side are drawn within their block, where the other side is beside them.
        is_inside = _sign(self._found[hunk].rows[start:end])
        return "".join(self._items(parts) if is_inside else self._blocks(parts))

    def characters(self, place: RowPlace, rest: Span) -> str:
        """Characters of a long line, from the side that is shown already."""
        row = self._found[place.hunk].rows[place.row]
        if rest.start == 0 and rest.end < len(row.text.removesuffix("\r")):
            middle = max(0, rest.end - PAGE_CHARACTERS)
            left = self._more(place, Span(0, middle)) if middle else ""
            return left + self._drawn.html_of(row, Span(middle, rest.end))
        middle = min(rest.end, rest.start + PAGE_CHARACTERS)
        left = self._more(place, Span(middle, rest.end)) if middle < rest.end else ""
        return self._drawn.html_of(row, Span(rest.start, middle)) + left

    def _is_begun(self, part: HunkPart) -> bool:
        whole = part.start == 0 and part.end == len(self._found[part.hunk].rows)
        return part.is_shown or not whole

    def _change(self, number: int, parts: Sequence[HunkPart]) -> str:
        count = len(self._found)
        header = element("span", escape(self._found[number].header), class_="ipuaro-note")
        if count > 1:
            name = f"Change {number + 1:,} of {count:,} {header}"
            heading = checkbox(str(number + 1), name, class_="ipuaro-hunk")
        else:
            heading = element("div", header, class_="ipuaro-hunk")
        return element("div", heading, *self._blocks(parts), class_="ipuaro-change")

    def _changes_left_out(self, parts: Sequence[HunkPart]) -> str:
        first, last, count = parts[0].hunk + 1, parts[-1].hunk + 1, len(parts)
        page = sum(part.is_shown for part in next_changes(self._found, first - 1, last))
        name = f"{counted(count, 'more change')} not shown"
        key, lines = f"{first}-{last}", left_out(self._found, parts).total
        more = counted(page, "more change")
        return element(
            "div",
            checkbox(key if count > 1 else str(first), escape(name), class_="ipuaro-hunk"),
            _button(key, f"Show {more}"),
            class_="ipuaro-change ipuaro-gap",
            data_page=key,
            data_lines=str(lines),
        )

    def _blocks(self, parts: Sequence[HunkPart]) -> Iterator[str]:
        """Yield unchanged lines, changed lines, and what is left out of both."""
        pieces: list[tuple[str, str]] = []
        for part in parts:
            if part.is_shown:
                for number in range(part.start, part.end):
                    kind = "same" if self._found[part.hunk].rows[number].sign == " " else "changed"
                    pieces.append((kind, self._row(RowPlace(part.hunk, number))))
            else:
                kind = "changed" if _sign(self._rows(part)) else "gap"
                pieces.append((kind, self._gap(part)))
        for kind, group in groupby(pieces, key=lambda piece: piece[0]):
            inner = "".join(drawn for _, drawn in group)
            yield inner if kind == "gap" else element("div", inner, class_="ipuaro-pairs")

    def _items(self, parts: Sequence[HunkPart]) -> Iterator[str]:
        for part in parts:
            if part.is_shown:
                for number in range(part.start, part.end):
                    yield self._row(RowPlace(part.hunk, number))
            else:
                yield self._gap(part)

    def _rows(self, part: HunkPart) -> tuple[Row, ...]:
        return self._found[part.hunk].rows[part.start : part.end]

    def _gap(self, part: HunkPart) -> str:
        lines = left_out(self._found, (part,))
        key = f"{part.hunk + 1}:{part.start}-{part.end}"
        page = min(PAGE_ROWS, part.end - part.start)
        button = _button(key, f"Show {page:,} of {lines} not shown")
        side = {"-": " ipuaro-gone", "+": " ipuaro-come", "": ""}[_sign(self._rows(part))]
        return element(
            "div",
            button,
            class_=f"ipuaro-gap{side}",
            data_page=key,
            data_lines=str(lines.total),
        )

    def _row(self, place: RowPlace) -> str:
        """An unchanged line twice (once for each side), or a changed line."""
        row = self._found[place.hunk].rows[place.row]
        numbers = _numbers(row, self._drawn)
        line = self._drawn.html(row, numbers=numbers, more=lambda rest: self._more(place, rest))
        bare = element("div", BARE_END, class_="ipuaro-note") if row.ends_file_bare else ""
        if row.sign != " ":
            side = "ipuaro-gone" if row.sign == "-" else "ipuaro-come"
            return element("div", line, bare, class_=side)
        twin = self._drawn.html(row, numbers=numbers, more=lambda rest: _noted(place, rest))
        return element("div", line, bare, class_="ipuaro-old") + element(
            "div", twin, bare, class_="ipuaro-new", aria_hidden="true"
        )

    def _more(self, place: RowPlace, rest: Span) -> str:
        """What stands for characters of a line that are left out."""
        key = place.key(rest)
        is_changed = self._found[place.hunk].rows[place.row].sign != " "
        return element(
            "span",
            _button(key, f"\u2026 {rest_note(rest)}"),
            class_="ipuaro-gap",
            data_page=key,
            data_line=str(place) if is_changed else None,
        )


def _noted(place: RowPlace, rest: Span) -> str:
    """What stands for characters in the second copy of a line, which has no controls."""
    note = escape(f"\u2026 {rest_note(rest)}")
    return element("span", note, class_="ipuaro-note", data_page=place.key(rest))


def next_changes(found: Sequence[Hunk], start: int, end: int) -> list[HunkPart]:
    """Some changes from the first, 0-based and the end excluded; the others left out."""
    parts: list[HunkPart] = []
    room = PAGE_ROWS
    for number in range(start, end):
        size = len(found[number].rows)
        shown = size if size <= room else PAGE_ROWS if number == start else 0
        room -= shown or room
        parts += [HunkPart(number, 0, shown, is_shown=True)] if shown else []
        parts += [HunkPart(number, shown, size, is_shown=False)] if shown < size else []
    return parts


def _sign(rows: Sequence[Row]) -> str:
    """The sign of rows that are all removed or all added, "" for others."""
    signs = {row.sign for row in rows}
    return signs.pop() if len(signs) == 1 and " " not in signs else ""


def _button(key: str, name: str) -> str:
    return element("button", escape(name), type="button", value=key)


def _numbers(row: Row, drawn: DrawnRows) -> str:
    old, new = (f"{number or '':>{drawn.digits}} " for number in (row.old, row.new))
    return (
        f'<span class="ipuaro-n ipuaro-n-old">{old}</span>'
        f'<span class="ipuaro-n ipuaro-n-new">{new}</span>'
    )
