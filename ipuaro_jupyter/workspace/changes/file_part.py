"""The part of a file that a question is about, such as a cell of a notebook."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ipuaro_jupyter.workspace.changes.line_moves import LineMoves, LineSpan


class PartMove(NamedTuple):
    """Parts of a file that are replaced, numbered as before the reply, and how many come instead.

    They are counted as lines are: ``end = start - 1`` is the place before start.
    """

    parts: LineSpan
    comes: int


@dataclass(frozen=True)
class FilePart:
    """The texts that a question about a change shows in place of the whole file.

    Attributes:
        name: What the user calls it, such as "cell 3".
        language: The extension of the language of the texts; "" for none.
        old: The text as it is.
        new: The text as it would be.
        make: Returns the file's bytes for another new text, or raises ToolError; None where the
            change cannot be another one.
        moves: What becomes of the numbers of the file's parts.
        is_new: Whether there is no such part yet.
    """

    name: str
    language: str
    old: str
    new: str
    make: Callable[[str], bytes] | None = None
    moves: Sequence[PartMove] = ()
    is_new: bool = False


@dataclass(frozen=True)
class WrittenChanges:
    """What is known of changes beside their bytes.

    Attributes:
        proposed: The new content of the only file, as the tool has proposed it.
        lines: As for `Workspace.apply`.
        part: The same.
        computed: The files whose new content its author knows only with the old one.
    """

    proposed: bytes | None = None
    lines: LineSpan | None = None
    part: FilePart | None = None
    computed: Collection[str] = ()


def moved(moves: LineMoves, changes: Sequence[PartMove]) -> LineMoves:
    """The moves of a file's parts after further changes."""
    for parts, comes in changes:
        moves = moves.replaced(parts, comes)
    return moves
