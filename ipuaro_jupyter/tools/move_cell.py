"""Move a cell of a notebook."""

from collections.abc import Sequence
from typing import TypeVar

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.notebooks.cell_lines import Cell
from ipuaro_jupyter.project.cells.changed_cells import with_moved_cell
from ipuaro_jupyter.records.outputs import Diff, TextOutput
from ipuaro_jupyter.tools.cell_edits import (
    CellEdit,
    EditedNotebook,
    apply_edit,
    checked,
    moved_note,
)
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.changes.file_part import FilePart, PartMove
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan

T = TypeVar("T")
_WIDTH = 100


@tool(asks_first=True, foreign=("reorder_cell", "reorder_cells"), names={"path": "file"})
def move_cell(project: Project, path: str, cell: int, after: int) -> TextOutput:
    """Move a cell of a notebook to another place in it. The user is asked first.

    Args:
        path: Project-relative path of the notebook.
        cell: The cell, 1-based, as numbered before this reply.
        after: The cell that it is to follow, numbered likewise; 0: put it first.
    """
    notebook = EditedNotebook.open(project.workspace, path)
    number = notebook.placed(cell)
    above, named = notebook.place_after(after)
    if above in {number, number - 1}:
        raise ToolError(
            "validation",
            f"Cell {cell} of {notebook.path} is there already.",
            suggestion="Give another place with after.",
        )
    cells = notebook.cells.cells
    made = with_moved_cell(notebook.layout, number, above)
    kind = notebook.kind(number)
    place = f"after cell {above}" if above else "to the beginning"
    part = FilePart(
        "cells",
        "",
        _outline(cells),
        _outline(_moved(cells, number, above)),
        moves=_moves(cell, after),
    )
    edit = CellEdit(
        tool="move_cell",
        title=f"Move cell {number} ({kind}) of {notebook.path} {place}",
        part=part,
        after=checked(notebook, made, _moved(cells, number, above)),
        named=((cell, number), *named),
        versions=lambda known, _: _moved(known, number, above),
    )
    apply_edit(notebook, edit)
    now = above + 1 if above < number else above
    told = [
        f"Moved cell {number} ({kind}) of {notebook.path} {place}: it is cell {now} now.",
        *moved_note(edit.named),
    ]
    shown = Diff(
        title=edit.title, path=f"{notebook.path} cells", old=part.old, new=part.new, language="txt"
    )
    return TextOutput(content="\n".join(told), shown=shown)


def _moves(cell: int, after: int) -> tuple[PartMove, ...]:
    """What becomes of the numbers: one goes, and one comes."""
    return PartMove(LineSpan(cell, cell), 0), PartMove(LineSpan(after + 1, after), 1)


def _moved(items: Sequence[T], number: int, above: int) -> list[T]:
    """The list with an item, 1-based, after another one, as numbered before."""
    rest = [*items[: number - 1], *items[number:]]
    rest.insert(above if above < number else above - 1, items[number - 1])
    return rest


def _outline(cells: Sequence[Cell]) -> str:
    """A line for each cell: its kind, and its first line with text."""
    return "".join(
        f"{cell.kind}: {next((line for line in cell.lines if line.strip()), '')[:_WIDTH]}\n"
        for cell in cells
    )
