"""The changes of an edit during the decision: unified or side by side, each selectable.

One set of elements serves both layouts; a class on a parent (`ipuaro-sides`) switches between them.
The lasting record in a notebook is drawn by `diff`.
"""

from itertools import groupby

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views.diff import note_html
from ipuaro_jupyter.views.diff_rows import BARE_END, DrawnRows, cut
from ipuaro_jupyter.views.hunks import Hunk, Row, hunks
from ipuaro_jupyter.views.markup import counted, element, escape, scrolling

STYLES = ("code", "diff", "changes")


def html(diff: Diff) -> str:
    """The changes, with a checkbox for each when there are several.

    The value of a checkbox is the 1-based number of its change; "5-9" for the one that stands for
    changes not shown.
    """
    found = hunks(diff.old, diff.new)
    shown = cut(found)
    drawn = DrawnRows(diff, shown.hunks)
    parts: list[str] = []
    for number, hunk in enumerate(shown.hunks, 1):
        parts.append(_change(hunk, drawn, number, len(found)))
    if shown.hunks_left and shown.hunks:
        first = len(shown.hunks) + 1
        name = f"{counted(shown.hunks_left, 'more change')} not shown"
        box = _checkbox(f"{first}-{len(found)}", escape(name))
        parts.append(element("div", box, class_="ipuaro-change"))
    label = f"Changes in {diff.path}"
    classes = f"ipuaro-code ipuaro-diff ipuaro-changes ipuaro-digits-{drawn.digits}"
    return scrolling("".join(parts), label=label, class_=classes) + note_html(shown.note)


def _change(hunk: Hunk, drawn: DrawnRows, number: int, count: int) -> str:
    header = element("span", escape(hunk.header), class_="ipuaro-note")
    if count > 1:
        heading = _checkbox(str(number), f"Change {number:,} of {count:,} {header}")
    else:
        heading = element("div", header, class_="ipuaro-hunk")
    groups = groupby(hunk.rows, key=lambda row: row.sign == " ")
    lines = "".join(_pairs(list(rows), drawn) for _, rows in groups)
    return element("div", heading, lines, class_="ipuaro-change")


def _checkbox(value: str, name: str) -> str:
    box = element("input", type="checkbox", checked="", value=value).removesuffix("</input>")
    return element("label", box, element("span", name), class_="ipuaro-hunk")


def _pairs(rows: list[Row], drawn: DrawnRows) -> str:
    """Unchanged lines, each twice (once for each side), or changed lines."""
    parts: list[str] = []
    for row in rows:
        line = drawn.html(row, numbers=_numbers(row, drawn))
        if row.ends_file_bare:
            line += element("div", BARE_END, class_="ipuaro-note")
        if row.sign == "-":
            parts.append(element("div", line, class_="ipuaro-gone"))
        elif row.sign == "+":
            parts.append(element("div", line, class_="ipuaro-come"))
        else:
            parts.append(element("div", line, class_="ipuaro-old"))
            parts.append(element("div", line, class_="ipuaro-new", aria_hidden="true"))
    return element("div", *parts, class_="ipuaro-pairs")


def _numbers(row: Row, drawn: DrawnRows) -> str:
    old, new = (f"{number or '':>{drawn.digits}} " for number in (row.old, row.new))
    return (
        f'<span class="ipuaro-n ipuaro-n-old">{old}</span>'
        f'<span class="ipuaro-n ipuaro-n-new">{new}</span>'
    )
