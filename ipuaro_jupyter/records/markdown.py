"""Text as Markdown: rows as a GitHub table, and what is to show as typed in a fence."""

import re
from collections.abc import Iterable, Sequence

from ipuaro_jupyter.records.visible import visible

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~#&$]")
_SPACES = re.compile(r"\s+")
_BACKTICKS = re.compile("`+")


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; formatting and HTML in cells are escaped, so that they show as typed."""
    ruler = "| " + " | ".join(["---"] * len(columns)) + " |"
    return "\n".join([_line(columns), ruler, *map(_line, rows)])


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(cell: object) -> str:
    if cell is None:
        return ""
    return _SPECIAL.sub(r"\\\g<0>", visible(_SPACES.sub(" ", str(cell)).strip()))


def fenced(text: str) -> str:
    """The text as a code block, with a fence that is longer than any in it."""
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    return f"{fence}\n{text}\n{fence}"
