"""Writing, undoing and redoing changes of a project, and telling others of it."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes.change_set import CheckedPart, SetFile, check_disjoint
from ipuaro_jupyter.workspace.changes.change_writer import ChangeWriter
from ipuaro_jupyter.workspace.changes.transactions import Transactions
from ipuaro_jupyter.workspace.changes.undo_changes import Undoable, UndoChanges, Undone
from ipuaro_jupyter.workspace.changes.undo_stack import ShownFiles, UndoEntry, UndoStack, UndoTurn
from ipuaro_jupyter.workspace.files.text_file import content_hash


def _ignore(_: object) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Listeners:
    """Who is told of changes.

    Attributes:
        changed: Told of every change, once it is written.
        settled: Told after that of all changes that were written together.
        undone: Told of every undo and redo, after that, and of changes that were forgotten.
        recovered: Told, in a sentence, what became of an interrupted change.
    """

    changed: Callable[[Change], None]
    settled: Callable[[Sequence[Change]], None] = _ignore
    undone: Callable[[Undone], None] = _ignore
    recovered: Callable[[str], None] = _ignore


class ProjectChanges:
    """The changes of a project in one session.

    Args:
        root: The project's folder.
        stack: The session's undo stack.
        shown: The file versions that the session's model has seen.
        relative: Returns the real path of a path, or raises.
        listeners: Who is told.

    Attributes:
        checked: Checks a change before it is proposed: `ChangeWriter.checked`.
    """

    def __init__(
        self,
        root: Path,
        stack: UndoStack,
        shown: ShownFiles,
        *,
        relative: Callable[[str], str],
        listeners: Listeners,
    ) -> None:
        self._transactions = Transactions(root, stack)
        self._writer = ChangeWriter(root, stack, self._transactions, shown)
        self.checked = self._writer.checked
        self._undo = UndoChanges(root, stack, self._transactions, relative)
        self._shown = shown
        self._listeners = listeners

    def recover(self) -> tuple[str, ...]:
        """Put right what killed kernels have left; return a sentence about each.

        See `Transactions.recover`.
        """
        try:
            self._transactions.recover()
        finally:
            told = self._tell_recovered()
        return told

    def write(
        self,
        changes: Sequence[Change],
        turn: UndoTurn | None,
        computed: Collection[str] = (),
        *,
        by_person: bool = False,
    ) -> None:
        """Write approved changes, all or none; see `ChangeWriter.write`."""
        try:
            self._writer.write(changes, turn, computed, by_person=by_person)
        finally:
            self._tell_recovered()
        self._tell(changes)

    def note_made(self, change: Change) -> None:
        """Tell of a change that was made where its file is open; there is no entry to undo."""
        if change.before != change.after:
            with suppress(StorageError):  # it is made, which matters more
                self._shown.note_written(change.path)
        self._tell([change])

    def checked_set(self, files: Sequence[SetFile], turn: UndoTurn | None) -> list[CheckedPart]:
        """Check the files of a set; see `Workspace.apply_set` for the errors."""
        checked = [
            CheckedPart(
                *self.checked(file.change, file.read, turn, is_computed=file.is_computed), file
            )
            for file in files
        ]
        check_disjoint(checked)
        return checked

    def undo(self, *, turn: bool) -> tuple[Change, ...]:
        """Undo the newest entry, or turn; return the reverse changes."""
        return self._done(self._undo.turn if turn else self._undo.newest)

    def redo(self) -> tuple[Change, ...]:
        """Make again what the latest undo took back; return the changes."""
        return self._done(self._undo.redo)

    def undoable(self) -> list[Undoable]:
        """The entries that there are, newest first."""
        try:
            return self._undo.all()
        finally:
            self._tell_recovered()

    def redoable(self) -> list[Undoable]:
        """The entries that the next redo makes again, newest first."""
        try:
            return self._undo.undone()
        finally:
            self._tell_recovered()

    def skip(self) -> tuple[UndoEntry, str]:
        """Drop the newest entry that cannot be undone; return it and the reason."""
        try:
            entry, reason = self._undo.skip()
        finally:
            self._tell_recovered()
        self._listeners.undone(Undone("skip", (entry,), ()))
        return entry, reason

    def _done(self, act: Callable[[], Undone]) -> tuple[Change, ...]:
        try:
            done = act()
        finally:
            self._tell_recovered()
        with suppress(StorageError):  # they are written, which matters more
            for change in done.changes:
                if change.after is not None:
                    self._shown.note_for_user({change.path: content_hash(change.after)})
        self._tell(done.changes)
        self._listeners.undone(done)
        if done.refused is not None:
            raise done.refused
        return done.changes

    def _tell(self, changes: Sequence[Change]) -> None:
        for change in changes:
            self._listeners.changed(change)
        self._listeners.settled(changes)

    def _tell_recovered(self) -> tuple[str, ...]:
        found, self._transactions.recovered[:] = [*self._transactions.recovered], []
        for recovery in found:
            self._listeners.settled(recovery.written)
            self._listeners.recovered(recovery.told)
        return tuple(recovery.told for recovery in found)
