"""Changes of one text from several places, made together."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ipuaro_jupyter.views.hunks import Hunk


class LineEdit(NamedTuple):
    """Lines ``start`` to ``end`` of the old text, 0-based, the end excluded, and the new ones."""

    start: int
    end: int
    new: tuple[str, ...]


def edits_of(
    found: Sequence[Hunk], new: Sequence[str], numbers: Collection[int] | None = None
) -> Iterator[LineEdit]:
    """Yield the edits of some hunks, in order.

    Args:
        found: The hunks.
        new: The lines of the new version, with the ends that they are to have.
        numbers: The hunks that are wanted, 1-based; None: all.
    """
    for number, hunk in enumerate(found, 1):
        if numbers is None or number in numbers:
            yield from _edits_of_hunk(hunk, new)


def over(earlier: Iterable[LineEdit], later: Iterable[LineEdit]) -> list[LineEdit]:
    """The edits of both; a line that both replace by another one is as ``later`` has it."""
    first, last = [*_by_line(earlier)], [*_by_line(later)]
    replaced = {edit.start for edit in last if _is_line(edit)}
    return [*(edit for edit in first if not (_is_line(edit) and edit.start in replaced)), *last]


def overlapping(edits: Iterable[LineEdit]) -> int | None:
    """The first 1-based line that two of the edits change, or insert lines before; or None."""
    for edit, after in pairwise(sorted(edits)):
        if after.start < edit.end or (edit.start, edit.end) == (after.start, after.end):
            return after.start + 1
    return None


def merged(old: Sequence[str], edits: Iterable[LineEdit]) -> list[str]:
    """The lines of ``old`` after the edits, no two of which overlap."""
    made, at = list[str](), 0
    for edit in sorted(edits):
        made += [*old[at : edit.start], *edit.new]
        at = edit.end
    return [*made, *old[at:]]


def _edits_of_hunk(hunk: Hunk, new: Sequence[str]) -> Iterator[LineEdit]:
    start = at = next((row.old - 1 for row in hunk.rows if row.old is not None), 0)
    added: list[str] = []
    for row in hunk.rows:
        if row.sign == " ":
            if added or at > start:
                yield LineEdit(start, at, tuple(added))
            added = []
            start = at = row.old or 0
        elif row.new is not None:
            added.append(new[row.new - 1])
        else:
            at += 1
    if added or at > start:
        yield LineEdit(start, at, tuple(added))


def _by_line(edits: Iterable[LineEdit]) -> Iterator[LineEdit]:
    """Yield the edits; one that replaces lines by as many others, line by line."""
    for edit in edits:
        if edit.end - edit.start == len(edit.new):
            for at, line in enumerate(edit.new, edit.start):
                yield LineEdit(at, at + 1, (line,))
        else:
            yield edit


def _is_line(edit: LineEdit) -> bool:
    return edit.end - edit.start == len(edit.new) == 1
