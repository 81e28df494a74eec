"""The code of a notebook as one text in the language of its kernel.

The text has a line for each line of the notebook, as `notebook_cells` counts them: those of other
cells are empty, and what is broken in a cell is blank from there to the end of that cell.
"""

from typing import NamedTuple

from ipuaro_jupyter.index.extract.notebooks.ipython_source import plain_python
from ipuaro_jupyter.index.extract.notebooks.notebook_cells import (
    Cell,
    CellLine,
    Notebook,
    NotebookError,
    read_notebook,
)
from ipuaro_jupyter.languages.bounded import ParsingTooSlow, parse
from ipuaro_jupyter.languages.language import Language, Node
from ipuaro_jupyter.languages.registry import language_for, language_named
from ipuaro_jupyter.languages.tables import Cells

_TRIES = 4
_PARSING_S = 1.0


class NotebookCode(NamedTuple):
    """The code of a notebook; ``errors`` are the places of the first error of each broken cell."""

    text: bytes
    errors: tuple[CellLine, ...] = ()

    @property
    def problem(self) -> str | None:
        """What is broken, in a sentence; None for nothing."""
        if not self.errors:
            return None
        cell, line = self.errors[0]
        others = len(self.errors) - 1
        more = f", and in {others} more cell{'s' * (others > 1)}" if others else ""
        return f"Syntax error in cell {cell} at line {line}{more}."


def code_of(data: bytes, how: Cells, language: Language) -> NotebookCode:
    """Return the code of a notebook file.

    Args:
        data: The file.
        how: How its cells are read.
        language: What the code is in.

    Raises:
        NotebookError: The file is no notebook.
        ParsingTooSlow: The parser takes too long over one of its cells.
    """
    notebook = read_notebook(data)
    is_ours = _is_ours(notebook, how)
    parts: list[bytes] = []
    errors: list[CellLine] = []
    for number, cell in enumerate(notebook.cells, 1):
        lines = [""] * len(cell.lines)
        if cell.kind == "code" and is_ours:
            lines, broken = _without_errors(_plain(cell, how), language)
            if broken is not None:
                errors.append(CellLine(number, broken))
        parts.append("".join(f"{line}\n" for line in lines).encode())
    return NotebookCode(b"".join(parts), tuple(errors))


def text_of(path: str, data: bytes) -> bytes:
    """Return the text that the lines and offsets of a file's facts are about.

    It is the file itself, but for a notebook its code; nothing for one that cannot be read.
    """
    language = language_for(path)
    if language is None or language.reader != "cells":
        return data
    try:
        return code_of(data, language.cells, language_named(language.cells.language)).text
    except (NotebookError, ParsingTooSlow):
        return b""


def _is_ours(notebook: Notebook, how: Cells) -> bool:
    return not notebook.language or notebook.language in how.kernels


def _plain(cell: Cell, how: Cells) -> list[str]:
    # other signs of a line's end would move all that follows
    lines = [line.replace("\r", " ").replace("\0", " ") for line in cell.lines]
    return plain_python(lines, how.foreign)


def _without_errors(lines: list[str], language: Language) -> tuple[list[str], int | None]:
    """Return a cell that has no syntax error, and the 1-based line of the first one it had."""
    broken: int | None = None
    for _ in range(_TRIES):
        tree = parse(language, "\n".join([*lines, ""]).encode(), seconds=_PARSING_S)
        if not tree.root_node.has_error:
            return lines, broken
        row = min(_first_error(tree.root_node), len(lines) - 1)
        broken = row + 1 if broken is None else min(broken, row + 1)
        lines = lines[:row] + [""] * (len(lines) - row)
    return [""] * len(lines), broken


def _first_error(root: Node) -> int:
    """Return the 0-based row of the first syntax error in a tree that has some."""
    row = root.end_point.row
    open_ = [root]
    while open_:
        node = open_.pop()
        if node.is_error or node.is_missing:
            row = min(row, node.start_point.row)
        open_.extend(child for child in node.children if child.has_error)
    return row
