"""Changes of a notebook's cells: the question, the write and its result."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.notebooks.cell_lines import Cell
from ipuaro_jupyter.records.change import Change, Decision
from ipuaro_jupyter.records.outputs import Diff, TextOutput
from ipuaro_jupyter.tools.content import told_problems
from ipuaro_jupyter.tools.edited_notebook import CellText, EditedNotebook, as_shown
from ipuaro_jupyter.tools.known_lines import UnreadFile
from ipuaro_jupyter.tools.open_notebooks import CellChange, ChangedCells, OpenNotebook
from ipuaro_jupyter.tools.source_lines import NOT_SHOWN, cells_of, numbered
from ipuaro_jupyter.workspace.approval import refusal
from ipuaro_jupyter.workspace.changes.change_proposal import (
    DecodedChange,
    as_decided,
    part_problems,
    proposal,
    typed_lines,
)
from ipuaro_jupyter.workspace.changes.file_part import FilePart
from ipuaro_jupyter.workspace.files.text_file import TextFile
from ipuaro_jupyter.workspace.processes.head_tail import shortened

_SHOWN_BYTES = 16_000
_READ_AGAIN = "Read the notebook again, then decide what to change."
_SAVE_FIRST = (
    "It is open in the user's front end, and may have changes that are not saved: ask the user to "
    "save it, then read it again."
)
_OPEN = "It is open: the change is made there, and undone there, not with %ipuaro undo."
_MAY_BE_OPEN = "If it is open in JupyterLab, save it there first, and reload it afterwards."
_SHARED = "it is a collaborative document: the change reaches everybody who has it open"
_SAVED = "It was changed in the open notebook, which was saved."
_UNSAVED = "It was changed in the open notebook, which is not saved: the file does not have it yet."
_NOT_SAVED = (
    "It was changed in the open notebook, which could not be saved: {}. The change stands there, "
    "and is not to be made again; ask the user to save the notebook."
)


@dataclass(frozen=True)
class CellEdit:
    """A change of a notebook's cells, to be proposed.

    Attributes:
        tool: The tool.
        title: The question.
        part: What is shown of it.
        change: What becomes of the cells.
        named: The cells that the call names: their numbers from before the reply, and of now.
        reason: What the user should know of it.
    """

    tool: str
    title: str
    part: FilePart
    change: CellChange
    named: Sequence[tuple[int, int]]
    reason: str = ""


class WrittenCells(NamedTuple):
    """What was written: the cells after it, and whether the text is as proposed.

    ``told`` is what the model is told of where it was written.
    """

    cells: tuple[Cell, ...]
    as_proposed: bool
    told: tuple[str, ...] = ()


def apply_edit(notebook: EditedNotebook, edit: CellEdit) -> WrittenCells:
    """Propose and make a change of cells.

    Raises:
        ToolError: "conflict" when a cell is not what was shown; else as `Workspace.apply`.
    """
    workspace, path = notebook.workspace, notebook.path
    known = _unread(notebook, edit)
    if notebook.live is None:
        written = _in_file(notebook, edit, known)
    else:
        written = _in_front_end(notebook, notebook.live, edit, known)
    shown = workspace.parts_shown(path).latest
    if shown is None or len(shown) != len(notebook.versions):
        shown = (NOT_SHOWN,) * len(notebook.versions)
    new = written.cells[edit.change.number - 1 : edit.change.number]
    version = new[0].version if new else NOT_SHOWN
    workspace.note_parts_shown(path, edit.change.applied(shown, version))
    return written


def _in_file(notebook: EditedNotebook, edit: CellEdit, known: UnreadFile) -> WrittenCells:
    file = notebook.file
    after = notebook.made(edit.change, edit.part.new)
    may_be_open = _MAY_BE_OPEN if notebook.may_be_open else ""
    written = notebook.workspace.apply(
        Change(
            path=file.path,
            before=file.data,
            after=after,
            mode=file.mode,
            part=drawn(notebook, edit, edit.part.new),
        ),
        tool=edit.tool,
        title=edit.title,
        read=file,
        reason=" ".join(filter(None, (edit.reason, known.reason, may_be_open))),
        unseen=known.unseen,
        part=edit.part,
    )
    cells = cells_of(TextFile(file.path, written.after or b"", 0)).cells
    return WrittenCells(cells, written.after == after)


def _in_front_end(
    notebook: EditedNotebook, live: OpenNotebook, edit: CellEdit, known: UnreadFile
) -> WrittenCells:
    """The change of a notebook that is open: it is made there, and undone there."""
    workspace, path = notebook.workspace, notebook.path
    part = edit.part
    if edit.change.action in {"edit", "delete"} and _is_asking(live, edit.change.number):
        raise ToolError(
            "validation",
            f"Cell {edit.change.number} of {path} is the one that asks you; it is not changed "
            "while it runs.",
            suggestion="Insert a cell below it, or show the user the text.",
        )
    if edit.change.action == "edit" and part.old == part.new:
        raise ToolError("validation", f"The change of {path} would change nothing.")
    change = Change(path=path, before=part.old.encode(), after=part.new.encode())
    decoded = DecodedChange(change, part=part)
    question = proposal(
        decoded,
        tool=edit.tool,
        title=edit.title,
        reason=" ".join(filter(None, (edit.reason, known.reason, _OPEN))),
        problems=(_SHARED,) if live.is_shared else (),
    )
    if known.unseen and workspace.is_unseen(question):
        raise ToolError("validation", known.unseen)
    decision = workspace.decide(question)
    if decision.action == "reject":
        raise refusal(question, decision, typed=typed_lines(question, decision))
    text = (as_decided(decoded, question, decision).after or b"").decode()
    done = _made_there(notebook, live, edit, text, decision)
    workspace.note_parts_moved(path, part.moves)
    cells = as_shown(done.cells, "", has_ids=notebook.layout.has_ids).cells
    return WrittenCells(cells, text == part.new, (_told(done),))


def _made_there(
    notebook: EditedNotebook, live: OpenNotebook, edit: CellEdit, text: str, decision: Decision
) -> ChangedCells:
    """Have the front end make a change that was decided, and note it."""
    workspace, file = notebook.workspace, notebook.file
    change = Change(
        path=file.path,
        before=file.data,
        after=file.data,
        mode=file.mode,
        part=drawn(notebook, edit, text),
    )
    workspace.note_coming([change], decision)
    done = live.change(edit.change, CellText(text).source())
    if done.is_saved:
        with suppress(ToolError):  # it is made, whatever has become of the file since
            saved = workspace.read(file.path).data
            change = change.model_copy(update={"after": saved})
    workspace.note_made(change, decision)
    return done


def _told(done: ChangedCells) -> str:
    """What is told of where a change in the front end stands now."""
    if done.problem:
        return _NOT_SAVED.format(done.problem.rstrip("."))
    return _SAVED if done.is_saved else _UNSAVED


def _is_asking(live: OpenNotebook, number: int) -> bool:
    return bool(live.asking) and live.cells[number - 1].id == live.asking


def confirmation(
    notebook: EditedNotebook, edit: CellEdit, written: WrittenCells, told: Sequence[str]
) -> TextOutput:
    """The result of an edit or insertion: the cell as it was written.

    Args:
        notebook: The notebook before.
        edit: The change.
        written: What was written.
        told: What is told before its lines.
    """
    cell = written.cells[edit.change.number - 1]
    text = CellText.of("\n".join(cell.lines)).text
    before = None if edit.part.is_new else edit.part.old
    problems = part_problems(edit.part.language, before, text)
    lines = [*told, *written.told]
    if not written.as_proposed:
        lines.append(
            "The user changed your text, or left out a part of it; this is what was written:"
        )
    lines += [shortened(numbered(cell.lines, 1), _SHOWN_BYTES), *told_problems(problems)]
    shown = drawn(notebook, edit, text)
    return TextOutput(content="\n".join(lines), shown=shown, problems=problems)


def drawn(notebook: EditedNotebook, edit: CellEdit, new: str) -> Diff:
    """The change as it was made, with this new text."""
    part = edit.part
    return Diff(
        title=edit.title,
        path=f"{notebook.path} {part.name}",
        old=part.old,
        new=new,
        language=part.language or "txt",
    )


def moved_note(named: Sequence[tuple[int, int]]) -> list[str]:
    """What is told of cells that have other numbers by now than before the reply."""
    return [
        f"What was cell {old} before this reply is cell {new} by now."
        for old, new in named
        if old != new
    ]


def _unread(notebook: EditedNotebook, edit: CellEdit) -> UnreadFile:
    """Whether a cell is changed that its author has not seen."""
    for given, present in edit.named:
        known = _unread_cell(notebook, given, present)
        if known.unseen:
            return known
    return UnreadFile()


def _unread_cell(notebook: EditedNotebook, given: int, present: int) -> UnreadFile:
    """The same for one cell.

    Raises:
        ToolError: "conflict" when it is not what was shown, or was first shown by the same reply.
    """
    path, workspace = notebook.path, notebook.workspace
    version = notebook.versions[present - 1]
    parts = workspace.parts_shown(path)
    shown = {
        versions[given - 1]
        for versions in (parts.before, parts.by_user)
        if versions is not None and given <= len(versions)
    } - {NOT_SHOWN}
    if version in shown:
        return UnreadFile()
    if parts.now is not None and version in parts.now[present - 1 : present]:
        raise _handed_back(notebook, present)
    known = "changed" if shown else workspace.known(notebook.file)
    if known == "changed":
        raise ToolError(
            "conflict",
            f"Cell {given} of {path} is not what you last saw there.",
            suggestion=_READ_AGAIN if notebook.live is None else _SAVE_FIRST,
        )
    if known == "read in this reply":
        raise _handed_back(notebook, present)
    if known == "seen" or workspace.reply is None or workspace.is_by_user:
        return UnreadFile()
    return UnreadFile(
        f"{path} was not changed: you had not read it, and nobody looks at your changes "
        "before they are made. Read it first, then decide what to change.",
        "The model had not read this notebook.",
    )


def _handed_back(notebook: EditedNotebook, number: int) -> ToolError:
    lines = shortened(numbered(notebook.cells.cells[number - 1].lines, 1), _SHOWN_BYTES)
    return ToolError(
        "conflict",
        f"{notebook.path} was not changed: this reply reads it for the first time, so you had not "
        f"seen cell {number} when you wrote the edit.",
        suggestion=f"See it now, and make the edit again if it is still right:\n{lines}",
    )
