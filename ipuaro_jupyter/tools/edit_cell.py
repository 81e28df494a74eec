"""Replace the text of a notebook's cell."""

from functools import partial

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.cell_edits import CellEdit, apply_edit, confirmation, moved_note
from ipuaro_jupyter.tools.content import Around, unwrapped
from ipuaro_jupyter.tools.edited_notebook import CellText, EditedNotebook
from ipuaro_jupyter.tools.open_notebooks import CellChange
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.changes.file_part import FilePart, PartMove
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.text_file import TextFile

_STAY = "Its outputs and its number stay until it is run again."


@tool(
    asks_first=True,
    foreign=("replace_cell", "update_cell", "modify_cell", "notebook_edit", "edit_notebook"),
    rare=("start", "end"),
    names={"path": "file"},
)
def edit_cell(
    project: Project,
    path: str,
    cell: int,
    content: str,
    *,
    start: int | None = None,
    end: int | None = None,
) -> TextOutput:
    """Replace the text of a cell of a notebook. The user is asked first.

    Args:
        path: Project-relative path of the notebook.
        cell: The cell, 1-based, as numbered before this reply.
        content: The new text of the cell; with start and end, of these lines.
        start: First line of the cell to replace, 1-based. Default: all lines.
        end: Last line, included; start - 1 inserts before start.
    """
    notebook = EditedNotebook.open(project, path)
    number = notebook.placed(cell)
    old = notebook.source(number)
    kind = notebook.kind(number)
    text, note = _new_text(notebook, number, old, content, _lines(start, end))
    change = CellChange("edit", number)
    stay = _STAY if notebook.has_outputs(number) else ""
    edit = CellEdit(
        tool="edit_cell",
        title=f"Edit {_named(number, start, end)} ({kind}) of {notebook.path}",
        part=FilePart(
            name=f"cell {number}",
            language=notebook.language(kind),
            old=CellText.of(old).text,
            new=text,
            make=partial(notebook.made, change),
            moves=(PartMove(LineSpan(cell, cell), 1),),
        ),
        change=change,
        named=((cell, number),),
        reason=" ".join(filter(None, (note, stay))),
    )
    written = apply_edit(notebook, edit)
    told = [f"Edited cell {number} of {notebook.path}.", *filter(None, (note, stay))]
    return confirmation(notebook, edit, written, [*told, *moved_note(edit.named)])


def _lines(start: int | None, end: int | None) -> LineSpan | None:
    """The lines that a call names; None for all.

    Raises:
        ToolError: "validation" when it gives only one end.
    """
    if start is None and end is None:
        return None
    if start is None or end is None:
        raise ToolError(
            "validation",
            "Only one of start and end was given.",
            suggestion="Give both, or neither to replace the whole cell.",
        )
    return LineSpan(start, end)


def _named(number: int, start: int | None, end: int | None) -> str:
    lines = _lines(start, end)
    return f"cell {number}" if lines is None else f"{lines} of cell {number}"


def _new_text(
    notebook: EditedNotebook, number: int, old: str, content: str, lines: LineSpan | None
) -> tuple[str, str]:
    """The cell's new text as it is shown, and what was put right in the given one."""
    before = TextFile(f"cell {number} of {notebook.path}", old.encode(), 0)
    count = len(before.lines)
    place = LineSpan(1, count) if lines is None else lines
    named = f"cell.{notebook.language(notebook.kind(number)) or 'txt'}"
    around = Around.of(before.lines, place.start, place.end)
    given = unwrapped(named, before.data, content, around)
    if lines is None:
        text = given.text.replace("\r\n", "\n")
        return (text if not text or text.endswith("\n") else f"{text}\n"), given.note
    made = before.replaced(lines.start, lines.end, given.text).decode()
    return CellText.of(made.removesuffix("\n") if not old else made).text, given.note
