r"""A file before and after: unified, with line numbers, signs and the changed words marked.

Removed and added lines are ``<del>`` and ``<ins>`` in a ``<pre>``, so that the diff stays readable
without style sheets.
"""

from collections.abc import Sequence

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views.diffs.diff_cut import (
    RECORD,
    TERMINAL,
    DiffLimit,
    HunkPart,
    cut,
    grouped,
    left_out,
)
from ipuaro_jupyter.views.diffs.diff_rows import BARE_END, DrawnRows
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


def text(
    diff: Diff,
    *,
    found: Sequence[Hunk] | None = None,
    numbered: bool = False,
    limit: DiffLimit = TERMINAL,
    is_titled: bool = True,
) -> str:
    """A unified diff under its title.

    Args:
        diff: The two texts.
        found: Their hunks; None: those that a comparison finds.
        numbered: Whether the headers of hunks say which change they are.
        limit: How much of a long diff is shown; a line stands for what is left out.
        is_titled: Whether the title is in front of the number of lines; it may be above already.
    """
    found = hunks(diff.old, diff.new) if found is None else found
    remark = visible(_remark(diff, found))
    lines = [f"{visible(diff.title)} ({remark})" if is_titled else remark]
    if found:
        lines += [f"--- {_name(diff, diff.old)}", f"+++ {_name(diff, diff.new)}"]
    parts = cut(found, limit)
    drawn = DrawnRows(diff, found, parts)
    last = None
    for group in grouped(parts):
        if not group[0].is_shown:
            lines.append(gap_note(found, group, numbered=numbered))
            continue
        if group[0].hunk != last:
            last = group[0].hunk
            lines.append(_header(found, last, numbered=numbered))
        lines += part_text(found, group[0], drawn)
    return "\n".join(lines)


def part_text(found: Sequence[Hunk], part: HunkPart, drawn: DrawnRows) -> list[str]:
    """The rows of a part, each with its sign."""
    lines: list[str] = []
    for row in found[part.hunk].rows[part.start : part.end]:
        lines.append(f"{row.sign}{drawn.text(row)}")
        if row.ends_file_bare:
            lines.append(BARE_END)
    return lines


def gap_note(found: Sequence[Hunk], parts: Sequence[HunkPart], *, numbered: bool = False) -> str:
    """What is left out between two shown parts, in words."""
    note = f"\u2026 {left_out(found, parts)} not shown"
    if not numbered or len(found) == 1:
        return note
    first, last = parts[0].hunk + 1, parts[-1].hunk + 1
    which = f"change {first:,}" if first == last else f"changes {first:,} to {last:,}"
    return f"{note} ({which})"


def html(diff: Diff, *, limit: DiffLimit = RECORD, is_one_of_many: bool = False) -> str:
    """The diff; one of more than 60 lines, or one of many, is folded under its title."""
    found = hunks(diff.old, diff.new)
    heading = heading_html(diff, found)
    if not found:
        return element("div", heading)
    drawn = lines_html(diff, limit=limit, is_coloured=not is_one_of_many)
    return folded(heading, drawn, is_open=is_short(found) and not is_one_of_many)


def heading_html(diff: Diff, found: Sequence[Hunk]) -> str:
    """The title, and the numbers of added and removed lines."""
    remark = element("span", escape(_remark(diff, found)), class_="ipuaro-note")
    return f"{element('strong', escape(diff.title))} {remark}"


def is_short(found: Sequence[Hunk]) -> bool:
    """Whether a diff has at most 60 lines."""
    return sum(len(hunk.rows) for hunk in found) <= FOLD_ROWS


def lines_html(
    diff: Diff,
    *,
    found: Sequence[Hunk] | None = None,
    limit: DiffLimit = RECORD,
    is_coloured: bool = True,
) -> str:
    """The lines of the diff alone, in a scrolling box; ``found`` is as in `text`."""
    found = hunks(diff.old, diff.new) if found is None else found
    if not found:
        return element("p", escape(_remark(diff, found)))
    parts = cut(found, limit)
    drawn = DrawnRows(diff, found, parts, is_coloured=is_coloured)
    lines: list[str] = []
    last = None
    for group in grouped(parts):
        if not group[0].is_shown:
            lines.append(element("span", escape(gap_note(found, group)), class_="ipuaro-note"))
            continue
        (part,) = group
        if part.hunk != last:
            last = part.hunk
            lines.append(element("span", escape(found[last].header), class_="ipuaro-hunk"))
        for row in found[part.hunk].rows[part.start : part.end]:
            lines.append(drawn.html(row))
            if row.ends_file_bare:
                lines.append(element("span", BARE_END, class_="ipuaro-note"))
    body = element("span", "\n".join(lines), class_="ipuaro-rows")
    label = f"Changes in {diff.path}"
    classes = f"ipuaro-code ipuaro-diff ipuaro-digits-{drawn.digits}"
    return scrolling(body, label=label, tag="pre", class_=classes)


def note_html(note: str) -> str:
    """A line about the parts left out; nothing for an empty note."""
    return element("p", escape(note), class_="ipuaro-note") if note else ""


def heading_text(diff: Diff) -> str:
    """The numbers of added and removed lines, in words."""
    return _remark(diff, hunks(diff.old, diff.new))


def counts_text(found: Sequence[Hunk]) -> str:
    """The numbers of lines that some changes add and remove, in words."""
    added, removed = differing(found)
    return f"{counted(added, 'line')} added (+), {removed:,} removed (\u2212)"


def _remark(diff: Diff, found: Sequence[Hunk]) -> str:
    added, removed = differing(found)
    if diff.old is None:
        return f"new file, {counted(added, 'line')}"
    if diff.new is None:
        return f"deleted, {counted(removed, 'line')}"
    if not found:
        return "no difference"
    return counts_text(found)


def _header(found: Sequence[Hunk], number: int, *, numbered: bool) -> str:
    count = f" change {number + 1:,} of {len(found):,}" if numbered and len(found) > 1 else ""
    return found[number].header + count


def _name(diff: Diff, side: str | None) -> str:
    return "/dev/null" if side is None else visible(diff.path)
