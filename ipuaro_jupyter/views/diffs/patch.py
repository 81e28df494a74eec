"""Changes of files as git reports them: each file as a diff, unified or side by side.

Side by side they are a table, which stays one without style sheets.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest

from ipuaro_jupyter.records.outputs import GitPatch
from ipuaro_jupyter.views import diff
from ipuaro_jupyter.views.diffs.diff_cut import RECORD, TERMINAL, DiffLimit, cut, grouped
from ipuaro_jupyter.views.diffs.diff_rows import BARE_END, DrawnRows
from ipuaro_jupyter.views.diffs.patched_files import PatchedFile, patched_files
from ipuaro_jupyter.views.hunks import Row
from ipuaro_jupyter.views.markup import element, escape, folded, scrolling, visible
from ipuaro_jupyter.views.markup import title as heading

STYLES = ("code", "diff", "table")
MANY_FILES = 30


def text(patch: GitPatch, *, limit: DiffLimit = TERMINAL) -> str:
    """The title, and a unified diff for each file."""
    found = patched_files(patch.text)
    each = limit.shared(len(found))
    return "\n".join(
        [visible(patch.title), *(part for file in found for part in _text(file, each))]
    )


def html(patch: GitPatch) -> str:
    """The title, and each file under its name; of many files, all are folded."""
    found = patched_files(patch.text)
    limit = RECORD.shared(len(found))
    is_many = len(found) > MANY_FILES
    drawn = (_html(file, patch, limit=limit, is_many=is_many) for file in found)
    return heading(patch.title) + "".join(element("div", one) for one in drawn)


def _text(file: PatchedFile, limit: DiffLimit) -> list[str]:
    notes = [visible(note) for note in file.notes]
    if not file.hunks:
        return [visible(file.diff.title), *notes]
    return [*notes, diff.text(file.diff, found=file.hunks, limit=limit)]


def _html(file: PatchedFile, patch: GitPatch, *, limit: DiffLimit, is_many: bool) -> str:
    notes = "".join(element("div", escape(note), class_="ipuaro-note") for note in file.notes)
    if not file.hunks:
        return element("div", element("strong", escape(file.diff.title))) + notes
    is_coloured = file.is_short and not is_many
    if patch.is_beside:
        drawn = _beside(file, limit=limit, is_coloured=is_coloured)
    else:
        drawn = diff.lines_html(file.diff, found=file.hunks, limit=limit, is_coloured=is_coloured)
    is_open = diff.is_short(file.hunks) and not is_many
    return folded(diff.heading_html(file.diff, file.hunks), notes + drawn, is_open=is_open)


def _beside(file: PatchedFile, *, limit: DiffLimit, is_coloured: bool) -> str:
    """The lines before and after the change in two columns."""
    parts = cut(file.hunks, limit)
    drawn = DrawnRows(file.diff, file.hunks, parts, is_coloured=is_coloured)
    rows: list[str] = []
    last = None
    for group in grouped(parts):
        if not group[0].is_shown:
            rows.append(_across(diff.gap_note(file.hunks, group), "ipuaro-note"))
            continue
        (part,) = group
        if part.hunk != last:
            last = part.hunk
            rows.append(_across(file.hunks[last].header, "ipuaro-hunk"))
        rows += _pairs(file.hunks[last].rows[part.start : part.end], drawn)
    columns = "".join(element("th", name, scope="col") for name in ("Before", "After"))
    head = element("thead", element("tr", columns))
    table = element("table", head, element("tbody", *rows), class_="ipuaro-beside")
    classes = f"ipuaro-code ipuaro-diff ipuaro-digits-{drawn.digits}"
    return scrolling(table, label=f"Changes in {file.diff.path}", class_=classes)


def _across(said: str, class_: str) -> str:
    """A row for both sides."""
    return element(
        "tr", element("td", escape(said), class_=class_, colspan="2"), class_="ipuaro-pair"
    )


def _pairs(rows: Sequence[Row], drawn: DrawnRows) -> Iterator[str]:
    """Yield a row of the table for each line, what is gone beside what has come."""
    for is_same, group in groupby(rows, key=lambda row: row.sign == " "):
        found = list(group)
        old = found if is_same else [row for row in found if row.sign == "-"]
        new = found if is_same else [row for row in found if row.sign == "+"]
        for gone, come in zip_longest(old, new):
            cells = (
                _cell(gone, gone and gone.old, drawn),
                _cell(come, come and come.new, drawn),
            )
            yield element("tr", *cells, class_="ipuaro-pair")


def _cell(row: Row | None, number: int | None, drawn: DrawnRows) -> str:
    if row is None:
        return element("td")
    numbers = f'<span class="ipuaro-n">{number or "":>{drawn.digits}} </span>'
    bare = element("div", BARE_END, class_="ipuaro-note") if row.ends_file_bare else ""
    return element("td", element("pre", drawn.html(row, numbers=numbers)), bare)
