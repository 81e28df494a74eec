"""Several changes as one per file."""

from collections.abc import Sequence

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry


def made_by(entries: Sequence[UndoEntry]) -> list[Change]:
    """The changes that make entries, newest first, again: one per file, the first made first.

    A file that several entries change for nothing is not among them.

    Raises:
        ToolError: "conflict" when another writer has changed a file in between.
    """
    return _useful(entries, [change for entry in reversed(entries) for change in entry.changes])


def undoing(entries: Sequence[UndoEntry]) -> list[Change]:
    """The changes that take entries, newest first, back: one per file, the last made first.

    Raises:
        ToolError: As for `made_by`.
    """
    changes = [change for entry in entries for change in reversed(entry.changes)]
    return _useful(entries, [change.inverse() for change in changes])


def _useful(entries: Sequence[UndoEntry], changes: Sequence[Change]) -> list[Change]:
    return [one for one in _joined(changes) if len(entries) == 1 or one.before != one.after]


def _joined(changes: Sequence[Change]) -> list[Change]:
    """One change per file that does the same as ``changes``, one after the other.

    An edit leaves the permissions alone: its ``mode`` is None.

    Raises:
        ToolError: "conflict" when another writer has changed a file in between.
    """
    made: dict[str, Change] = {}
    for change in changes:
        earlier = made.get(change.path)
        if earlier is None:
            mode = None if change.kind == "edit" else change.mode
            made[change.path] = change.model_copy(update={"mode": mode})
            continue
        if earlier.after != change.before:
            raise ToolError("conflict", f"{change.path} was changed by somebody else in between.")
        mode = earlier.mode if change.kind == "edit" else change.mode
        joined = {"after": change.after, "mode": mode, "part": None}
        made[change.path] = earlier.model_copy(update=joined)
    return list(made.values())
