"""Forget what the user's data folder holds of a project's changes."""

from pathlib import Path

from ipuaro_jupyter.workspace.changes import write_ahead
from ipuaro_jupyter.workspace.changes.transactions import Transactions
from ipuaro_jupyter.workspace.changes.undo_stack import UndoStack


def has_journals(root: Path) -> bool:
    """Whether there is anything to forget."""
    return bool(write_ahead.left(root))


def put_right(root: Path, stack: UndoStack) -> tuple[str, ...]:
    """Put interrupted changes right, if the project is still there; say what became of each.

    Args:
        root: The project's folder.
        stack: The stack of any of its sessions.

    Raises:
        ToolError: "file" when that is not possible.
        StorageError: Redis has gone.
    """
    if not root.is_dir():
        return ()
    changes = Transactions(root, stack)
    changes.recover()
    return tuple(recovery.told for recovery in changes.recovered)


def forget_journals(root: Path) -> None:
    """Delete the journals for good, except one that a living writer has in hand."""
    write_ahead.forget(root)
