"""Insert a cell into a notebook."""

from functools import partial
from typing import Literal

from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.cell_edits import CellEdit, apply_edit, confirmation, moved_note
from ipuaro_jupyter.tools.content import Around, unwrapped
from ipuaro_jupyter.tools.edited_notebook import EditedNotebook
from ipuaro_jupyter.tools.open_notebooks import CellChange
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
    notebook = EditedNotebook.open(project, path)
    above, named = notebook.place_after(after)
    number = above + 1
    language = notebook.language(kind)
    given = unwrapped(f"cell.{language or 'txt'}", None, content, Around())
    text = given.text.replace("\r\n", "\n")
    change = CellChange("insert", number, kind=kind)
    place = f"after cell {above} of" if above else "at the beginning of"
    edit = CellEdit(
        tool="insert_cell",
        title=f"Insert a {kind} cell {place} {notebook.path}",
        part=FilePart(
            name=f"cell {number}",
            language=language,
            old="",
            new=text if not text or text.endswith("\n") else f"{text}\n",
            make=partial(notebook.made, change),
            moves=(PartMove(LineSpan(after + 1, after), 1),),
            is_new=True,
        ),
        change=change,
        named=named,
        reason=given.note,
    )
    written = apply_edit(notebook, edit)
    told = [f"Inserted cell {number} ({kind}) into {notebook.path}."]
    if number <= len(notebook.versions):
        told.append("The cells after it are numbered one higher now.")
    told += [*filter(None, [given.note]), *moved_note(named)]
    return confirmation(notebook, edit, written, told)
