"""Where an error was, and the functions that have to do with it."""

from typing import NamedTuple

from ipuaro_jupyter.languages.language import Node


class FailedFrame(NamedTuple):
    """A frame of an error: a line of a file, or of a text beside the index, such as a cell.

    Attributes:
        path: The file; "" for a text.
        line: 1-based.
        root: The syntax tree of a text; None for a file.
    """

    path: str
    line: int
    root: Node | None = None


class ValueSource(NamedTuple):
    """A function that has to do with a value of a line that failed.

    Attributes:
        path: Its file.
        qualified: Its qualified name.
        line: 1-based: its own, or the one in it that assigns the value.
        why: What it has to do with it, in words.
    """

    path: str
    qualified: str
    line: int
    why: str
