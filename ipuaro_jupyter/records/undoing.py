"""What can be undone, and what the user has undone between two messages."""

from typing import Literal

from ipuaro_jupyter.records.record import Record


class UndoableFile(Record):
    """A file of a change that can be undone, and how many lines the change adds and removes."""

    path: str
    kind: Literal["create", "edit", "delete"]
    added: int
    removed: int


class UndoableChange(Record):
    """A change that can be undone, or made again, once those with lower numbers have been.

    ``number`` counts from 1, the newest. ``title`` is the message that it was made for, or the tool
    that the user called. ``problem`` is why it cannot be undone, "" when it can. ``at`` is when it
    was made, in seconds since the epoch; 0 when an older version made it.
    """

    number: int
    files: tuple[UndoableFile, ...]
    title: str = ""
    by_user: bool = False
    problem: str = ""
    at: float = 0.0


class UndoAction(Record):
    """An undo or redo by the user of what a model had changed, as a session keeps it.

    ``turns`` is the number of the user's messages before it; ``files`` are those that were
    concerned, sorted, and ``told`` is what was said of it. ``act`` "turn" is the undo of all
    changes of a turn, "skip" the forgetting of a change.
    """

    act: Literal["undo", "turn", "redo", "skip"]
    turns: int
    files: tuple[str, ...] = ()
    told: str = ""
    at: float = 0.0
