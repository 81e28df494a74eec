"""Rows under headings."""

from collections.abc import Callable
from functools import partial

from ipuaro_jupyter.records.outputs import Place, Table
from ipuaro_jupyter.views.file_links import place_link
from ipuaro_jupyter.views.markup import (
    counted,
    element,
    escape,
    scrolling,
    visible,
)

STYLES = ("table",)

Cell = str | int | float | bool | None
FOLD_ROWS = 20
MOST_ROWS = 1000


def first_rows(table: Table) -> Table:
    """A table of at most 1000 rows, with the number of those left out in its note."""
    left = len(table.rows) - MOST_ROWS
    if left <= 0:
        return table
    told = f"and {counted(left, 'more row')}; .to_pandas() has all"
    note = f"{table.note}; {told}" if table.note else told
    first = {"rows": table.rows[:MOST_ROWS], "places": table.places[:MOST_ROWS], "note": note}
    return table.model_copy(update=first)


def text(table: Table) -> str:
    """The title, aligned columns and the note."""
    table = first_rows(table)
    rows = [tuple(map(visible, table.columns))]
    rows += [tuple(_cell(cell) for cell in row) for row in table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.columns))]
    right = [is_numeric(table, column) for column in range(len(table.columns))]
    rows.insert(1, tuple("-" * width for width in widths))
    lines = [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]
    if not table.rows:
        lines = ["Nothing."]
    return "\n".join([visible(table.title), *lines, *([visible(table.note)] if table.note else [])])


def html(table: Table) -> str:
    """A table whose first column names its row."""
    table = first_rows(table)
    right = [is_numeric(table, column) for column in range(len(table.columns))]
    paths = [table.kinds.get(name) == "path" for name in table.columns]
    head = "".join(
        element("th", escape(name), scope="col", class_=_side(to_right))
        for name, to_right in zip(table.columns, right, strict=True)
    )
    places = table.places if len(table.places) == len(table.rows) else (None,) * len(table.rows)
    body = "".join(
        element("tr", *_row(row, right, paths, partial(_linked, table.root, place)))
        for row, place in zip(table.rows, places, strict=True)
    )
    caption = element("caption", element("strong", escape(table.title)))
    content = element(
        "table", caption, element("thead", element("tr", head)), element("tbody", body)
    )
    if len(table.rows) > FOLD_ROWS:
        content = scrolling(content, label=table.title)
    if not table.rows:
        content += element("p", "Nothing.")
    return content + (element("p", escape(table.note), class_="ipuaro-note") if table.note else "")


def _row(
    row: tuple[Cell, ...], right: list[bool], paths: list[bool], link: Callable[[str], str]
) -> list[str]:
    cells = [
        link(escape(_cell(cell)).replace("/", "/<wbr>")) if is_path else escape(_cell(cell))
        for cell, is_path in zip(row, paths, strict=True)
    ]
    return [element("th", cells[0], scope="row", class_=_side(right[0]))] + [
        element("td", cell, class_=_side(to_right))
        for cell, to_right in zip(cells[1:], right[1:], strict=True)
    ]


def _linked(root: str, place: Place | None, label: str) -> str:
    """A path of a row, as a link where it is known which file that is."""
    return label if place is None else place_link(root, label, place.path, place.line)


def _side(to_right: bool) -> str | None:  # noqa: FBT001 - one flag of one cell
    return "ipuaro-right" if to_right else None


def is_numeric(table: Table, column: int) -> bool:
    """Whether a column holds numbers alone, which are aligned right."""
    cells = [row[column] for row in table.rows if row[column] is not None]
    return bool(cells) and all(
        isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells
    )


def _cell(cell: Cell) -> str:
    if cell is None:
        return "\u2013"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:,g}"
    return f"{cell:,}" if isinstance(cell, int) else visible(cell)
