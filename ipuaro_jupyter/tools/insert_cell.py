"""Insert a cell into a notebook."""

from typing import Literal

from ipuaro_jupyter.project.cells.changed_cells import with_cell
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.cell_edits import (
    CellEdit,
    CellText,
    EditedNotebook,
    apply_edit,
    checked,
    confirmation,
    moved_note,
)
from ipuaro_jupyter.tools.content import Around, unwrapped
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.changes.file_part import FilePart, PartMove
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan


@tool(
    asks_first=True,
    foreign=("add_cell", "new_cell", "create_cell", "append_cell"),
    names={"path": "file"},
)
def insert_cell(
    project: Project,
    path: str,
    after: int,
    content: str,
    kind: Literal["code", "markdown", "raw"] = "code",
) -> TextOutput:
    """Insert a cell into a notebook. It is not run. The user is asked first.

    Args:
        path: Project-relative path of the notebook.
        after: The cell before the new one, 1-based, as numbered before this reply; 0: put it first.
        content: The text of the new cell.
        kind: code, markdown or raw. Default: code.
    """
    notebook = EditedNotebook.open(project.workspace, path)
    above, named = notebook.place_after(after)
    number = above + 1
    language = notebook.language(kind)
    given = unwrapped(f"cell.{language or 'txt'}", None, content, Around())
    text = given.text.replace("\r\n", "\n")
    text = text if not text or text.endswith("\n") else f"{text}\n"
    cells = notebook.cells.cells

    def make(text: str) -> bytes:
        made = with_cell(notebook.layout, above, kind, CellText(text).source())
        return checked(notebook, made, [*cells[:above], None, *cells[above:]])

    place = f"after cell {above} of" if above else "at the beginning of"
    edit = CellEdit(
        tool="insert_cell",
        title=f"Insert a {kind} cell {place} {notebook.path}",
        part=FilePart(
            f"cell {number}",
            language,
            "",
            text,
            make,
            (PartMove(LineSpan(after + 1, after), 1),),
            is_new=True,
        ),
        after=make(text),
        named=named,
        versions=lambda known, cells: [*known[:above], cells[above].version, *known[above:]],
        reason=given.note,
    )
    written = apply_edit(notebook, edit)
    told = [f"Inserted cell {number} ({kind}) into {notebook.path}."]
    if above < len(cells):
        told.append("The cells after it are numbered one higher now.")
    told += [*([given.note] if given.note else []), *moved_note(named)]
    return confirmation(edit, written, number=number, told=told)
