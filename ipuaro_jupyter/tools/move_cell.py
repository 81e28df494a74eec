"""Move a cell of a notebook."""

from collections.abc import Sequence

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.notebooks.cell_lines import Cell
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.cell_edits import CellEdit, apply_edit, drawn, moved_note
from ipuaro_jupyter.tools.edited_notebook import EditedNotebook
from ipuaro_jupyter.tools.open_notebooks import CellChange
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.changes.file_part import FilePart, PartMove
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan

_WIDTH = 100


@tool(asks_first=True, foreign=("reorder_cell", "reorder_cells"), names={"path": "file"})
def move_cell(project: Project, path: str, cell: int, after: int) -> TextOutput:
    """Move a cell of a notebook to another place in it. The user is asked first.

    Args:
        path: Project-relative path of the notebook.
        cell: The cell, 1-based, as numbered before this reply.
        after: The cell that it is to follow, numbered likewise; 0: put it first.
    """
    notebook = EditedNotebook.open(project, path)
    number = notebook.placed(cell)
    above, named = notebook.place_after(after)
    if above in {number, number - 1}:
        raise ToolError(
            "validation",
            f"Cell {cell} of {notebook.path} is there already.",
            suggestion="Give another place with after.",
        )
    cells = notebook.cells.cells
    change = CellChange("move", number, above)
    kind = notebook.kind(number)
    place = f"after cell {above}" if above else "to the beginning"
    part = FilePart(
        name="cells",
        language="",
        old=_outline(cells),
        new=_outline(change.applied(cells, cells[number - 1])),
        moves=(PartMove(LineSpan(cell, cell), 0), PartMove(LineSpan(after + 1, after), 1)),
    )
    edit = CellEdit(
        tool="move_cell",
        title=f"Move cell {number} ({kind}) of {notebook.path} {place}",
        part=part,
        change=change,
        named=((cell, number), *named),
    )
    written = apply_edit(notebook, edit)
    now = above + 1 if above < number else above
    told = [
        f"Moved cell {number} ({kind}) of {notebook.path} {place}: it is cell {now} now.",
        *written.told,
        *moved_note(edit.named),
    ]
    return TextOutput(content="\n".join(told), shown=drawn(notebook, edit, part.new))


def _outline(cells: Sequence[Cell]) -> str:
    """A line for each cell: its kind, and its first line with text."""
    return "".join(
        f"{cell.kind}: {next((line for line in cell.lines if line.strip()), '')[:_WIDTH]}\n"
        for cell in cells
    )
