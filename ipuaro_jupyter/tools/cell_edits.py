"""What the tools that change cells of a notebook have in common."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.notebooks.cell_lines import Cell, Notebook
from ipuaro_jupyter.languages.registry import language_named
from ipuaro_jupyter.project.cells.cell_bytes import CellBytes, CellsError, items
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.outputs import Diff, TextOutput
from ipuaro_jupyter.tools.content import told_problems
from ipuaro_jupyter.tools.known_lines import UnreadFile
from ipuaro_jupyter.tools.source_lines import NOT_SHOWN, cells_of, is_notebook, numbered
from ipuaro_jupyter.workspace.changes.change_proposal import part_problems
from ipuaro_jupyter.workspace.changes.file_part import FilePart
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.text_file import TextFile
from ipuaro_jupyter.workspace.processes.head_tail import shortened
from ipuaro_jupyter.workspace.workspace import Workspace

_SHOWN_BYTES = 16_000
_RUNNING = "JPY_SESSION_NAME"
_EXTENSIONS = {"markdown": "md", "raw": ""}


@dataclass(frozen=True)
class EditedNotebook:
    """A notebook of which cells may be changed, as it is now.

    Attributes:
        workspace: The project.
        file: The notebook.
        cells: Its cells, as they are shown.
        layout: Where they stand in the file.
    """

    workspace: Workspace
    file: TextFile
    cells: Notebook
    layout: CellBytes

    @classmethod
    def open(cls, workspace: Workspace, path: str) -> "EditedNotebook":
        """The notebook.

        Raises:
            ToolError: "validation" when the file is no notebook; "parse" when it cannot be read.
        """
        path = workspace.relative(path, kind="file")
        if not is_notebook(path):
            raise ToolError(
                "validation", f"{path} is no notebook.", suggestion="Use edit_lines for its lines."
            )
        file = workspace.read(path)
        _check_not_running(workspace, path)
        cells = cells_of(file)
        try:
            return cls(workspace, file, cells, CellBytes(file.data))
        except CellsError as error:
            raise _unreadable(path, error) from None

    @property
    def path(self) -> str:
        """Its path in the project."""
        return self.file.path

    def source(self, number: int) -> str:
        """The text of a cell, 1-based, with the line ends that it has.

        Raises:
            ToolError: "parse" when it has none.
        """
        try:
            return self.layout.source(number)
        except CellsError as error:
            raise _unreadable(self.path, error) from None

    def kind(self, number: int) -> str:
        """What a cell is: "code", "markdown" or "raw"."""
        return self.cells.cells[number - 1].kind

    def language(self, kind: str) -> str:
        """The extension, or the name, of the language of such a cell; "" for none."""
        python = language_named("notebook").cells.kernels
        is_python = not self.cells.language or self.cells.language in python
        return _EXTENSIONS.get(kind, "py" if is_python else self.cells.language)

    def has_outputs(self, number: int) -> bool:
        """Whether a cell, 1-based, has outputs."""
        outputs = self.layout.cell(number).get("outputs")
        return outputs is not None and next(items(self.file.data, outputs), None) is not None

    @cached_property
    def versions(self) -> tuple[str, ...]:
        """The versions of its cells."""
        return tuple(cell.version for cell in self.cells.cells)

    def placed(self, number: int) -> int:
        """The present number of a cell that a call names, numbered as before the reply.

        Raises:
            ToolError: "validation" when there is none; "conflict" when the reply has changed it.
        """
        reply = self.workspace.reply
        given = LineSpan(number, number)
        if number >= 1 and reply is not None:
            given = reply.place_part(self.path, given)
        self._check("cell", number, given.start, least=1)
        return given.start

    def place_after(self, after: int) -> "PlaceAfter":
        """The place after a cell that a call names, numbered as before the reply.

        Raises:
            ToolError: "validation" when there is no such cell.
        """
        reply = self.workspace.reply
        if after < 1 or reply is None:
            above = after
        else:
            above = reply.place_part(self.path, LineSpan(after + 1, after)).start - 1
        self._check("after", after, above, least=0)
        is_named = after > 0 and not (reply is not None and reply.has_changed(self.path, after))
        return PlaceAfter(above, ((after, above),) if is_named else ())

    def _check(self, name: str, given: int, present: int, *, least: int) -> None:
        count = len(self.cells.cells)
        if least <= present <= count:
            return
        raise ToolError(
            "validation",
            f"{name}={given} is outside of {self.path}, which has {counted(count, 'cell')}.",
            suggestion=f"Use a number from {least} to {count}." if count >= least else None,
        )


class PlaceAfter(NamedTuple):
    """A place between cells: the number of the cell above it, 0 for the beginning.

    ``named`` are the cells that the call names by it, with the numbers from before the reply and
    those of now; none where this reply has changed it.
    """

    above: int
    named: tuple[tuple[int, int], ...]


class CellText(NamedTuple):
    """A text of a cell as questions show it: every line with its end."""

    text: str

    @classmethod
    def of(cls, source: str) -> "CellText":
        """The text of a source."""
        return cls(f"{source}\n".replace("\r\n", "\n") if source else "")

    def source(self, old: str = "") -> str:
        """The source of the text, with the line ends of the old one.

        Raises:
            ToolError: "validation" when it is no text.
        """
        before = TextFile("", old.encode(), 0)
        return before.rewritten(self.text.removesuffix("\n")).decode()


@dataclass(frozen=True)
class CellEdit:
    """A change of a notebook's cells, to be proposed.

    Attributes:
        tool: The tool.
        title: The question.
        part: What is shown of it.
        after: The file's new bytes.
        named: The cells that the call names: their numbers from before the reply, and of now.
        versions: Returns the versions of all cells from those before, and from the new cells.
        reason: What the user should know of it.
    """

    tool: str
    title: str
    part: FilePart
    after: bytes
    named: Sequence[tuple[int, int]]
    versions: Callable[[Sequence[str], Sequence[Cell]], list[str]]
    reason: str = ""


class WrittenCells(NamedTuple):
    """What was written: the change, the cells after it, and whether the text is as proposed."""

    change: Change
    cells: tuple[Cell, ...]
    as_proposed: bool


def apply_edit(notebook: EditedNotebook, edit: CellEdit) -> WrittenCells:
    """Propose and make a change of cells.

    Raises:
        ToolError: "conflict" when a cell is not what was shown; else as `Workspace.apply`.
    """
    workspace, file = notebook.workspace, notebook.file
    known = _unread(notebook, edit)
    change = Change(path=file.path, before=file.data, after=edit.after, mode=file.mode)
    written = workspace.apply(
        change,
        tool=edit.tool,
        title=edit.title,
        read=file,
        reason=" ".join(filter(None, (edit.reason, known.reason))),
        unseen=known.unseen,
        part=edit.part,
    )
    cells = cells_of(TextFile(file.path, written.after or b"", 0)).cells
    shown = workspace.parts_shown(file.path).latest
    if shown is None or len(shown) != len(notebook.versions):
        shown = (NOT_SHOWN,) * len(notebook.versions)
    workspace.note_parts_shown(file.path, edit.versions(shown, cells))
    return WrittenCells(written, cells, written.after == edit.after)


def checked(notebook: EditedNotebook, made: bytes, expected: Sequence[Cell | None]) -> bytes:
    """The new bytes of a notebook, if they hold the cells that they should.

    Args:
        notebook: The notebook before.
        made: The bytes.
        expected: The cells; None where there is a new one.

    Raises:
        ToolError: "parse" when they hold others.
    """
    cells = cells_of(TextFile(notebook.path, made, 0)).cells
    is_as_expected = len(cells) == len(expected) and all(
        wanted is None or wanted.version == cell.version
        for wanted, cell in zip(expected, cells, strict=True)
    )
    if not is_as_expected:
        raise ToolError(
            "parse", f"{notebook.path} is written in a way that cannot be changed by cells."
        )
    return made


def confirmation(
    edit: CellEdit, written: WrittenCells, *, number: int, told: Sequence[str]
) -> TextOutput:
    """The result of an edit or insertion: the cell as it was written.

    Args:
        edit: The change.
        written: What was written.
        number: The number of the cell by now.
        told: What is told before its lines.
    """
    cell = written.cells[number - 1]
    text = CellText.of("\n".join(cell.lines)).text
    before = None if edit.part.is_new else edit.part.old
    problems = part_problems(edit.part.language, before, text)
    lines = [*told]
    if not written.as_proposed:
        lines.append(
            "The user changed your text, or left out a part of it; this is what was written:"
        )
    lines += [shortened(numbered(cell.lines, 1), _SHOWN_BYTES), *told_problems(problems)]
    shown = Diff(
        title=edit.title,
        path=f"{written.change.path} {edit.part.name}",
        old=edit.part.old,
        new=text,
        language=edit.part.language,
    )
    return TextOutput(content="\n".join(lines), shown=shown, problems=problems)


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
            suggestion="Read the notebook again, then decide what to change.",
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


def _check_not_running(workspace: Workspace, path: str) -> None:
    """Raise ToolError for the notebook in whose kernel this runs, as its server names it."""
    running = os.environ.get(_RUNNING)
    if running and os.path.realpath(running) == os.path.realpath(workspace.root / path):
        raise ToolError(
            "validation",
            f"{path} is the notebook that you run in: what is written to its file would be lost "
            "when it is saved.",
            suggestion="Show the user the new text of the cell.",
        )


def _unreadable(path: str, error: CellsError) -> ToolError:
    return ToolError("parse", f"{path} cannot be edited by cells: it is {error}.")
