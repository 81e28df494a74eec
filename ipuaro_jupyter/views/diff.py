r"""A file before and after: unified, with line numbers, signs and the changed words marked.

Removed and added lines are ``<del>`` and ``<ins>`` in a ``<pre>``, so that the diff stays readable
without style sheets.
"""

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views.diff_rows import BARE_END, DrawnRows, cut
from ipuaro_jupyter.views.hunks import Hunk, differing, hunks
from ipuaro_jupyter.views.markup import (
    counted,
    element,
    escape,
    folded,
    scrolling,
    visible,
)

STYLES = ("code", "diff")
FOLD_ROWS = 60


def text(diff: Diff, *, numbered: bool = False) -> str:
    """A unified diff under its title; ``numbered`` adds hunk numbers to the headers."""
    found = hunks(diff.old, diff.new)
    shown = cut(found)
    lines = [f"{visible(diff.title)} ({visible(_remark(diff, found))})"]
    if found:
        lines += [f"--- {_name(diff, diff.old)}", f"+++ {_name(diff, diff.new)}"]
    drawn = DrawnRows(diff, shown.hunks)
    for number, hunk in enumerate(shown.hunks, 1):
        count = f" change {number:,} of {len(found):,}" if numbered and len(found) > 1 else ""
        lines.append(hunk.header + count)
        for row in hunk.rows:
            lines.append(f"{row.sign}{drawn.text(row)}")
            if row.ends_file_bare:
                lines.append(BARE_END)
    return "\n".join([*lines, *([shown.note] if shown.note else [])])


def html(diff: Diff) -> str:
    """The diff; one of more than 60 lines is folded under its title."""
    found = hunks(diff.old, diff.new)
    remark = element("span", escape(_remark(diff, found)), class_="ipuaro-note")
    heading = f"{element('strong', escape(diff.title))} {remark}"
    if not found:
        return element("div", heading)
    rows = sum(len(hunk.rows) for hunk in found)
    return folded(heading, lines_html(diff), is_open=rows <= FOLD_ROWS)


def lines_html(diff: Diff) -> str:
    """The lines of the diff alone, in a scrolling box."""
    found = hunks(diff.old, diff.new)
    if not found:
        return element("p", escape(_remark(diff, found)))
    shown = cut(found)
    drawn = DrawnRows(diff, shown.hunks)
    lines: list[str] = []
    for hunk in shown.hunks:
        lines.append(element("span", escape(hunk.header), class_="ipuaro-hunk"))
        for row in hunk.rows:
            lines.append(drawn.html(row))
            if row.ends_file_bare:
                lines.append(element("span", BARE_END, class_="ipuaro-note"))
    body = element("span", "\n".join(lines), class_="ipuaro-rows")
    label = f"Changes in {diff.path}"
    classes = f"ipuaro-code ipuaro-diff ipuaro-digits-{drawn.digits}"
    return scrolling(body, label=label, tag="pre", class_=classes) + note_html(shown.note)


def note_html(note: str) -> str:
    """A line about the parts left out; nothing for an empty note."""
    return element("p", escape(note), class_="ipuaro-note") if note else ""


def heading_text(diff: Diff) -> str:
    """The numbers of added and removed lines, in words."""
    return _remark(diff, hunks(diff.old, diff.new))


def _remark(diff: Diff, found: list[Hunk]) -> str:
    added, removed = differing(found)
    if diff.old is None:
        return f"new file, {counted(added, 'line')}"
    if diff.new is None:
        return f"deleted, {counted(removed, 'line')}"
    if not found:
        return "no difference"
    return f"{counted(added, 'line')} added (+), {removed:,} removed (\u2212)"


def _name(diff: Diff, side: str | None) -> str:
    return "/dev/null" if side is None else visible(diff.path)
