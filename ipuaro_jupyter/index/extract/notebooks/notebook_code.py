"""The code of a notebook as one text in the language of its kernel.

The text has a line for each line of the notebook, as `cell_lines` counts them: lines of other
cells are empty, and a cell with a syntax error is blank from the error on.
"""

from typing import NamedTuple

from ipuaro_jupyter.index.extract.notebooks.cell_lines import (
    Cell,
    CellLine,
    Notebook,
    NotebookError,
    read_notebook,
)
from ipuaro_jupyter.languages.bounded import ParsingTooSlow, parse
from ipuaro_jupyter.languages.ipython_source import plain_python
from ipuaro_jupyter.languages.language import Language, Node
from ipuaro_jupyter.languages.registry import language_for, language_named
from ipuaro_jupyter.languages.tables import Cells

_TRIES = 4
_PARSING_S = 1.0


class NotebookCode(NamedTuple):
    """The code of a notebook; ``errors`` are the places of each broken cell's first error."""

    text: bytes
    errors: tuple[CellLine, ...] = ()

    @property
    def problem(self) -> str | None:
        """The syntax errors, in a sentence; None when there are none."""
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
        how: The language's table for reading cells.
        language: The language of the code.

    Raises:
        NotebookError: The file is not a notebook.
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
    """The text that the lines and offsets of a file's facts refer to.

    It is the file itself, or a notebook's code; empty for a notebook that cannot be read.
    """
    language = language_for(path)
    if language is None or language.reader != "cells":
        return data
    try:
        return code_of(data, language.cells, language_named(language.cells.language)).text
    except (NotebookError, ParsingTooSlow):
        return b""


def shown_text(path: str, data: bytes | None) -> str | None:
    """The text of `text_of`, decoded; None where there is no file."""
    return None if data is None else text_of(path, data).decode(errors="replace")


def _is_ours(notebook: Notebook, how: Cells) -> bool:
    return not notebook.language or notebook.language in how.kernels


def _plain(cell: Cell, how: Cells) -> list[str]:
    # any other line ending would shift everything after it
    lines = [line.replace("\r", " ").replace("\0", " ") for line in cell.lines]
    return plain_python(lines, how.foreign)


def _without_errors(lines: list[str], language: Language) -> tuple[list[str], int | None]:
    """The lines of a cell without its syntax error, and the error's 1-based line, if any."""
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
    """The 0-based row of the first syntax error in a tree that has one."""
    row = root.end_point.row
    open_ = [root]
    while open_:
        node = open_.pop()
        if node.is_error or node.is_missing:
            row = min(row, node.start_point.row)
        open_.extend(child for child in node.children if child.has_error)
    return row
