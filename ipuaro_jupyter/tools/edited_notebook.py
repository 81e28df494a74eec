"""A notebook whose cells are to be changed: in its file, or where it is open."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.notebooks.cell_lines import Cell, Notebook, cell_lines
from ipuaro_jupyter.languages.registry import language_named
from ipuaro_jupyter.project.cells.cell_bytes import CellBytes, CellsError, items
from ipuaro_jupyter.project.cells.changed_cells import (
    with_cell,
    with_moved_cell,
    with_source,
    without_cell,
)
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.tools.open_notebooks import CellChange, OpenCell, OpenNotebook
from ipuaro_jupyter.tools.source_lines import cells_of, is_notebook
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.text_file import TextFile
from ipuaro_jupyter.workspace.workspace import Workspace

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
        live: The notebook as it is open in the front end, whose cells these are then; None where
            the file is changed.
        may_be_open: Whether the file is changed without anybody having said that it is not open.
    """

    workspace: Workspace
    file: TextFile
    cells: Notebook
    layout: CellBytes
    live: OpenNotebook | None = None
    may_be_open: bool = False

    @classmethod
    def open(cls, project: Project, path: str) -> "EditedNotebook":
        """The notebook.

        Raises:
            ToolError: "validation" when the file is no notebook, or the front end does not say
                whether it is open; "parse" when it cannot be read.
        """
        workspace = project.workspace
        path = workspace.relative(path, kind="file")
        if not is_notebook(path):
            raise ToolError(
                "validation", f"{path} is no notebook.", suggestion="Use edit_lines for its lines."
            )
        file = workspace.read(path)
        cells = cells_of(file)
        try:
            layout = CellBytes(file.data)
        except CellsError as error:
            raise _unreadable(path, error) from None
        found = None if project.notebooks is None else project.notebooks.find(workspace.root / path)
        if found is None:
            _check_not_running(workspace, path)
            may_be_open = project.notebooks is None
            return cls(workspace, file, cells, layout, may_be_open=may_be_open)
        shown = as_shown(found.cells, cells.language, has_ids=layout.has_ids)
        return cls(workspace, file, shown, layout, found)

    @property
    def path(self) -> str:
        """Its path in the project."""
        return self.file.path

    def source(self, number: int) -> str:
        """The text of a cell, 1-based, with the line ends that it has.

        Raises:
            ToolError: "parse" when it has none.
        """
        if self.live is not None:
            return self.live.cells[number - 1].source
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
        if self.live is not None:
            return self.live.cells[number - 1].has_outputs
        outputs = self.layout.cell(number).get("outputs")
        return outputs is not None and next(items(self.file.data, outputs), None) is not None

    def made(self, change: CellChange, text: str) -> bytes:
        """What is written: the file's new bytes; for one that is open, the text alone.

        Args:
            change: The change.
            text: The new text of the cell, as questions show it.

        Raises:
            ToolError: "validation" when it is no text; "parse" when the file is written in a way
                that cannot be changed so.
        """
        if self.live is not None:
            return text.encode()
        layout, number = self.layout, change.number
        if change.action == "edit":
            old = self.source(number)
            made = with_source(layout, number, CellText(text).source(old))
        elif change.action == "insert":
            made = with_cell(layout, number - 1, change.kind, CellText(text).source())
        elif change.action == "delete":
            made = without_cell(layout, number)
        else:
            made = with_moved_cell(layout, number, change.above)
        cells: list[Cell | None] = [*self.cells.cells]
        return _checked(self, made, change.applied(cells, None))

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


def as_shown(cells: Sequence[OpenCell], language: str, *, has_ids: bool) -> Notebook:
    """The cells of an open notebook in the form of those of a file.

    Where the file has no ids, those of the front end change with each opening.
    """
    found, first = [], 1
    for cell in cells:
        lines = cell_lines(cell.source)
        found.append(Cell(cell.kind, lines, first, cell.id if has_ids else ""))
        first += len(lines)
    return Notebook(tuple(found), language)


def _checked(notebook: EditedNotebook, made: bytes, expected: Sequence[Cell | None]) -> bytes:
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
