"""The changes of an edit during the decision: unified or side by side, each selectable.

One set of elements serves both layouts; a class on a parent (`ipuaro-sides`) switches between them.
What is left out of a long diff has a button, whose ``data-page`` is what `page` draws; the result
takes the place of every element with that ``data-page``. The lasting record in a notebook is drawn
by `diff`.
"""

import re

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views.diffs.diff_cut import QUESTION, DiffLimit, HunkPart, cut
from ipuaro_jupyter.views.diffs.diff_rows import DrawnRows, Span
from ipuaro_jupyter.views.diffs.drawn_changes import DrawnChanges, RowPlace, next_changes
from ipuaro_jupyter.views.hunks import hunks
from ipuaro_jupyter.views.markup import scrolling

STYLES = ("code", "diff", "changes")
_CHANGES = re.compile(r"(\d+)-(\d+)", re.ASCII)
_ROWS = re.compile(r"(\d+):(\d+)-(\d+)", re.ASCII)
_CHARACTERS = re.compile(r"(\d+):(\d+):(\d+)-(\d+)", re.ASCII)


def html(diff: Diff, *, limit: DiffLimit = QUESTION, is_coloured: bool = True) -> str:
    """The changes, with a checkbox for each when there are several.

    The value of a checkbox is the 1-based number of its change; "5-9" for the one that stands for
    changes not shown. An element that stands for lines has the number of changed ones in
    ``data-lines``; one that stands for characters of a changed line names the line in
    ``data-line``.
    """
    found = hunks(diff.old, diff.new)
    parts = cut(found, limit)
    rows = DrawnRows(diff, found, parts, is_coloured=is_coloured)
    label = f"Changes in {diff.path}"
    sided = " ipuaro-one-sided" * (diff.old is None or diff.new is None)
    classes = f"ipuaro-code ipuaro-diff ipuaro-changes{sided} ipuaro-digits-{rows.digits}"
    return scrolling(DrawnChanges(rows).html(parts), label=label, class_=classes)


def page(diff: Diff, key: str) -> str | None:
    """The next part of what ``data-page`` stands for, and an element for what is still left out.

    None for a key that no element of this diff has.
    """
    found = hunks(diff.old, diff.new)
    if read := _CHANGES.fullmatch(key):
        first, last = map(int, read.groups())
        if 1 <= first <= last <= len(found):
            parts = next_changes(found, first - 1, last)
            return DrawnChanges(DrawnRows(diff, found, parts)).html(parts)
    elif read := _ROWS.fullmatch(key):
        number, start, end = map(int, read.groups())
        if 1 <= number <= len(found) and start < end <= len(found[number - 1].rows):
            shown = HunkPart(number - 1, start, end, is_shown=True)
            drawn = DrawnChanges(DrawnRows(diff, found, (shown,)))
            return drawn.lines(number - 1, start, end)
    elif read := _CHARACTERS.fullmatch(key):
        number, row, start, end = map(int, read.groups())
        rows = found[number - 1].rows if 1 <= number <= len(found) else ()
        if row < len(rows) and start < end <= len(rows[row].text):
            shown = HunkPart(number - 1, row, row + 1, is_shown=True)
            place = RowPlace(number - 1, row)
            drawn = DrawnChanges(DrawnRows(diff, found, (shown,)))
            return drawn.characters(place, Span(start, end))
    return None
