"""The cells of a notebook file, with lines numbered throughout.

A notebook is read as if the sources of its cells, of all kinds, stood one below the other: each
cell begins a line, and an empty cell has one empty line. `Notebook.place` maps a line of that text
to its cell and the line in it.
"""

import hashlib
from bisect import bisect_right
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from ipuaro_jupyter.languages.data_errors import conflict_line, without_nan


class NotebookError(ValueError):
    """A file is not a notebook; the message says why, in a sentence."""


class Cell(NamedTuple):
    """A cell: its kind ("code", "markdown", "raw"), its lines, and the number of its first line.

    ``first`` is 1-based and counts through the notebook; ``id`` is "" where there is none.
    """

    kind: str
    lines: tuple[str, ...]
    first: int
    id: str = ""

    @property
    def version(self) -> str:
        """What tells it from what it was, and from other cells: a hash of id, kind and lines."""
        text = "\0".join([self.id, self.kind, *self.lines])
        return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


class CellLine(NamedTuple):
    """A line of a notebook: the number of the cell and of the line in it, both 1-based."""

    cell: int
    line: int


class Notebook:
    """The cells of a notebook in order.

    Args:
        cells: The cells.
        language: The language that the metadata names, in lower case; "" for none.
    """

    def __init__(self, cells: tuple[Cell, ...], language: str) -> None:
        self.cells = cells
        self.language = language

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of all cells, without their ends."""
        return tuple(line for cell in self.cells for line in cell.lines)

    @cached_property
    def _firsts(self) -> list[int]:
        return [cell.first for cell in self.cells]

    def place(self, line: int) -> CellLine:
        """The place of a line (1-based, counted throughout); beyond the end, the last cell."""
        number = max(1, bisect_right(self._firsts, line))
        return CellLine(number, line - self._firsts[number - 1] + 1 if self._firsts else line)


class _Sheet(msgspec.Struct):
    cells: list["_RawCell"] = []


class _RawCell(msgspec.Struct):
    cell_type: str = "code"
    source: str | list[str] = ""
    input: str | list[str] = ""
    id: Any = ""


class _NotebookFile(msgspec.Struct):
    cells: list[_RawCell] | None = None
    worksheets: list[_Sheet] | None = None
    metadata: msgspec.Raw = msgspec.Raw(b"{}")


_decode = msgspec.json.Decoder(_NotebookFile).decode


def read_notebook(data: bytes) -> Notebook:
    """Return the cells of a notebook file, version 3 or later.

    Raises:
        NotebookError: The file is not JSON, or has no list of cells where a notebook has one.
    """
    try:
        file = _read(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        if (marked := conflict_line(data)) is not None:
            raise NotebookError(
                f"not a notebook now: it has the marks of a merge conflict, first in line {marked}"
            ) from error
        raise NotebookError(f"not a notebook: {str(error) or 'nested too deeply'}") from error
    if file.cells is not None:
        found = file.cells
    elif file.worksheets is not None:
        found = [cell for sheet in file.worksheets for cell in sheet.cells]
    else:
        raise NotebookError("not a notebook: there is no list of cells")
    cells: list[Cell] = []
    first = 1
    for cell in found:
        lines = cell_lines(cell.source or cell.input)
        id_ = cell.id if isinstance(cell.id, str) else ""
        cells.append(Cell(cell.cell_type, lines, first, id_))
        first += len(lines)
    return Notebook(tuple(cells), _language(file.metadata))


def _read(data: bytes) -> _NotebookFile:
    try:
        return _decode(data)
    except msgspec.MsgspecError:
        if (finite := without_nan(data)) == data:
            raise
        return _decode(finite)


def cell_lines(source: str | list[str]) -> tuple[str, ...]:
    """Return the lines of a cell; at least one."""
    text = source if isinstance(source, str) else "".join(source)
    text = text.encode(errors="replace").decode()  # half of a surrogate pair cannot be encoded
    lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return tuple(lines)


def _language(metadata: msgspec.Raw) -> str:
    """The language that the metadata of a notebook names; "" for none."""
    try:
        said: Any = msgspec.json.decode(metadata)
    except (msgspec.MsgspecError, RecursionError):
        return ""
    for section, key in (("kernelspec", "language"), ("language_info", "name")):
        entry = said.get(section) if isinstance(said, dict) else None
        name = entry.get(key) if isinstance(entry, dict) else None
        if isinstance(name, str) and name:
            return name.lower()
    return ""
