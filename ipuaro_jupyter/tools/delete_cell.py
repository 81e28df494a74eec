"""Delete a cell of a notebook."""

from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.cell_edits import CellEdit, apply_edit, drawn, moved_note
from ipuaro_jupyter.tools.edited_notebook import CellText, EditedNotebook
from ipuaro_jupyter.tools.open_notebooks import CellChange
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
    notebook = EditedNotebook.open(project, path)
    number = notebook.placed(cell)
    kind = notebook.kind(number)
    part = FilePart(
        name=f"cell {number}",
        language=notebook.language(kind),
        old=CellText.of("\n".join(notebook.cells.cells[number - 1].lines)).text,
        new="",
        moves=(PartMove(LineSpan(cell, cell), 0),),
    )
    edit = CellEdit(
        tool="delete_cell",
        title=f"Delete cell {number} ({kind}) of {notebook.path}",
        part=part,
        change=CellChange("delete", number),
        named=((cell, number),),
        reason="Its outputs go with it." if notebook.has_outputs(number) else "",
    )
    written = apply_edit(notebook, edit)
    told = [f"Deleted cell {number} ({kind}) of {notebook.path}.", *written.told]
    if number < len(notebook.versions):
        told.append("The cells after it are numbered one lower now.")
    content = "\n".join([*told, *moved_note(edit.named)])
    return TextOutput(content=content, shown=drawn(notebook, edit, part.new))
