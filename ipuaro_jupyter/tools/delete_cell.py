"""Delete a cell of a notebook."""

from ipuaro_jupyter.project.cells.changed_cells import without_cell
from ipuaro_jupyter.records.outputs import Diff, TextOutput
from ipuaro_jupyter.tools.cell_edits import (
    CellEdit,
    CellText,
    EditedNotebook,
    apply_edit,
    checked,
    moved_note,
)
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.changes.file_part import FilePart, PartMove
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan


@tool(asks_first=True, foreign=("remove_cell", "drop_cell"), names={"path": "file"})
def delete_cell(project: Project, path: str, cell: int) -> TextOutput:
    """Delete a cell of a notebook with its outputs. The user is asked first.

    Args:
        path: Project-relative path of the notebook.
        cell: The cell, 1-based, as numbered before this reply.
    """
    notebook = EditedNotebook.open(project.workspace, path)
    number = notebook.placed(cell)
    kind = notebook.kind(number)
    cells = notebook.cells.cells
    made = without_cell(notebook.layout, number)
    part = FilePart(
        f"cell {number}",
        notebook.language(kind),
        CellText.of("\n".join(cells[number - 1].lines)).text,
        "",
        moves=(PartMove(LineSpan(cell, cell), 0),),
    )
    edit = CellEdit(
        tool="delete_cell",
        title=f"Delete cell {number} ({kind}) of {notebook.path}",
        part=part,
        after=checked(notebook, made, [*cells[: number - 1], *cells[number:]]),
        named=((cell, number),),
        versions=lambda known, _: [*known[: number - 1], *known[number:]],
        reason="Its outputs go with it." if notebook.has_outputs(number) else "",
    )
    apply_edit(notebook, edit)
    told = [f"Deleted cell {number} ({kind}) of {notebook.path}."]
    if number < len(cells):
        told.append("The cells after it are numbered one lower now.")
    told += moved_note(edit.named)
    shown = Diff(
        title=edit.title,
        path=f"{notebook.path} {part.name}",
        old=part.old,
        new=part.new,
        language=part.language,
    )
    return TextOutput(content="\n".join(told), shown=shown)
