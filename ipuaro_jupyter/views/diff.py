r"""A file before and after: unified, with line numbers, signs and the changed words marked.

Removed and added lines are ``<del>`` and ``<ins>`` in a ``<pre>``, so that the diff is still one
where style sheets are taken away.
"""

from collections.abc import Iterator

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views.highlight import Line, highlighted, line_html
from ipuaro_jupyter.views.hunks import Hunk, Row, differing, hunks
from ipuaro_jupyter.views.markup import counted, element, escape, folded, scrolling, visible

STYLES = ("code", "diff")
FOLD_ROWS = 60
MAX_ROWS = 3000
RETURN = "\u240d"
BARE_END = "\\ No newline at end of file"


def text(diff: Diff) -> str:
    """Return a unified diff under its title."""
    found = hunks(diff.old, diff.new)
    lines = [f"{visible(diff.title)} ({visible(_remark(diff, found))})"]
    if found:
        lines += [f"--- {_name(diff, diff.old)}", f"+++ {_name(diff, diff.new)}"]
    for hunk in _cut(found):
        lines.append(hunk.header)
        for row in hunk.rows:
            lines.append(f"{row.sign}{_shown(row, diff)}")
            if row.ends_file_bare:
                lines.append(BARE_END)
    return "\n".join([*lines, *_left_out(found)])


def html(diff: Diff) -> str:
    """Return the diff; one of more than 60 lines is folded under its title."""
    found = hunks(diff.old, diff.new)
    remark = element("span", escape(_remark(diff, found)), class_="ipuaro-note")
    heading = f"{element('strong', escape(diff.title))} {remark}"
    if not found:
        return element("div", heading)
    rows = sum(len(hunk.rows) for hunk in found)
    return folded(heading, lines_html(diff, found), is_open=rows <= FOLD_ROWS)


def lines_html(diff: Diff, found: list[Hunk] | None = None) -> str:
    """Return only the lines of the diff, in a box that scrolls."""
    found = hunks(diff.old, diff.new) if found is None else found
    if not found:
        return element("p", escape(_remark(diff, found)))
    width = len(str(max(row.old or row.new or 0 for row in found[-1].rows)))
    before, after = (_highlighted(side, diff.path) for side in (diff.old, diff.new))
    lines: list[str] = []
    for hunk in _cut(found):
        lines.append(element("span", escape(hunk.header), class_="ipuaro-hunk"))
        for row in hunk.rows:
            lines += _row_html(row, diff, before if row.sign == "-" else after, width)
    body = element("span", "\n".join(lines), class_="ipuaro-rows")
    note = "".join(element("p", escape(line), class_="ipuaro-note") for line in _left_out(found))
    label = f"Changes in {diff.path}"
    return scrolling(body, label=label, tag="pre", class_="ipuaro-code ipuaro-diff") + note


def heading_text(diff: Diff) -> str:
    """Return how many lines come and go, in words."""
    return _remark(diff, hunks(diff.old, diff.new))


def _row_html(row: Row, diff: Diff, lines: list[Line] | None, width: int) -> Iterator[str]:
    number = (row.old if row.sign == "-" else row.new) or 0
    shown = _shown(row, diff)
    coloured = lines[number - 1] if lines and number <= len(lines) else ()
    words = row.text.removesuffix("\r")
    # Spelled-out characters move the columns, then the words are not marked.
    plain = "".join(piece.text for piece in coloured) == words == shown.removesuffix(RETURN)
    end = RETURN if shown.endswith(RETURN) else ""
    inner = line_html(coloured, row.marks) + end if plain else escape(shown)
    numbers = f"{row.old or '':>{width}} {row.new or '':>{width}} "
    gutter = f'<span class="ipuaro-n">{numbers}</span>{row.sign} '
    tag = {"-": "del", "+": "ins", " ": "span"}[row.sign]
    yield element(tag, gutter, inner, class_="ipuaro-row")
    if row.ends_file_bare:
        yield element("span", BARE_END, class_="ipuaro-note")


def _highlighted(side: str | None, path: str) -> list[Line] | None:
    if side is None:
        return None
    return highlighted([line.removesuffix("\r") for line in side.split("\n")], path)


def _shown(row: Row, diff: Diff) -> str:
    """Return the line as it is drawn: a carriage return shows where the sides differ in it."""
    line = row.text
    if line.endswith("\r"):
        line = line[:-1] + ("" if _same_ends(diff) else RETURN)
    return visible(line).replace("\n", "")


def _same_ends(diff: Diff) -> bool:
    ends = [side.count("\r\n") == side.count("\n") for side in (diff.old, diff.new) if side]
    return all(ends)


def _remark(diff: Diff, found: list[Hunk]) -> str:
    added, removed = differing(found)
    if diff.old is None:
        return f"new file, {counted(added, 'line')}"
    if diff.new is None:
        return f"deleted, {counted(removed, 'line')}"
    if not found:
        return "no difference"
    return f"{counted(added, 'line')} added (+), {removed} removed (\u2212)"


def _name(diff: Diff, side: str | None) -> str:
    return "/dev/null" if side is None else visible(diff.path)


def _cut(found: list[Hunk]) -> Iterator[Hunk]:
    room = MAX_ROWS
    for hunk in found:
        if room <= 0:
            return
        yield hunk._replace(rows=hunk.rows[:room])
        room -= len(hunk.rows)


def _left_out(found: list[Hunk]) -> list[str]:
    more = sum(len(hunk.rows) for hunk in found) - MAX_ROWS
    return [f"\u2026 {counted(more, 'more line')} not shown"] if more > 0 else []
