"""Undo and redo changes: all that belong together, or none."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes.joined_changes import made_by, undoing
from ipuaro_jupyter.workspace.changes.transactions import Transactions
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry, UndoneStep, UndoStack
from ipuaro_jupyter.workspace.files import disk

NOTHING = "There is nothing to undo."
NOTHING_UNDONE = "There is nothing to redo."
_LOST = "There is nothing left to undo: the server has lost its data."

_WORDS = {"undo": "undone", "redo": "redone"}


class Undoable(NamedTuple):
    """An entry of the stack, and why it cannot be undone, "" when it can.

    That is after the newer ones have been undone.
    """

    entry: UndoEntry
    problem: str


class Undone(NamedTuple):
    """What was done to entries, newest first, and the changes that this made.

    ``act`` is "turn" where all entries of a turn were undone as one, and "skip" where one was
    forgotten. ``refused`` is the error to raise once this is told: somebody had done by hand what
    was wanted, so only the stack has changed; None when there is none.
    """

    act: Literal["undo", "turn", "redo", "skip"]
    entries: tuple[UndoEntry, ...]
    changes: tuple[Change, ...]
    refused: ToolError | None = None


class UndoChanges:
    """Undoes changes on top of a stack, and makes them again.

    Args:
        root: The project's folder.
        stack: The applied changes.
        transactions: Changes stack and files.
        relative: Returns the real path of a path, or raises.
    """

    def __init__(
        self,
        root: Path,
        stack: UndoStack,
        transactions: Transactions,
        relative: Callable[[str], str],
    ) -> None:
        self._root = root
        self._stack = stack
        self._transactions = transactions
        self._relative = relative

    def newest(self) -> Undone:
        """Undo the newest entry; the changes are the reverse ones."""
        self._transactions.recover()
        entry = self._stack.newest()
        if entry is None:
            raise self._nothing()
        return self._take_back("undo", [entry])

    def turn(self) -> Undone:
        """Undo the changes of the newest turn; the changes are the reverse ones, newest first.

        A file that was changed several times is written once, and not at all if the changes cancel
        out: one that was created and deleted, for instance.
        """
        self._transactions.recover()
        entries = self._stack.turn()
        if not entries:
            raise self._nothing()
        if entries[-1].position and entries[-1].turn:
            raise ToolError(
                "validation",
                f"Not undone as a whole: of this turn only the newest {len(entries)} of its "
                f"{entries[0].position + 1} changes are kept.",
                suggestion="Take them back one by one.",
            )
        return self._take_back("turn", entries)

    def redo(self) -> Undone:
        """Make again what the latest undo took back, if nothing else was changed since."""
        self._transactions.recover()
        step = self._stack.undone()
        if step is None:
            raise ToolError("validation", NOTHING_UNDONE)
        changes = made_by(step.entries)
        with self._transactions.locked(*(change.path for change in changes)):
            if self._stack.undone() != step:
                raise ToolError("conflict", "Not redone: there is a newer change by now.")
            wanted = self._carry_out("redo", step, changes)
        refused = _so_already(changes, "after the change") if changes and not wanted else None
        return Undone("redo", step.entries, wanted, refused)

    def all(self) -> list[Undoable]:
        """The entries that there are, newest first, with what prevents their undo.

        A problem of an entry is one for older ones of the same file too.
        """
        self._transactions.recover()
        if self._stack.is_lost:
            raise self._nothing()
        found: dict[str, bytes | None] = {}
        return [Undoable(entry, self._problem(entry, found)) for entry in self._stack.all()]

    def undone(self) -> list[Undoable]:
        """The entries that the next redo makes again, newest first; none when there are none."""
        self._transactions.recover()
        step = self._stack.undone()
        return [] if step is None else [Undoable(entry, "") for entry in step.entries]

    def skip(self) -> tuple[UndoEntry, str]:
        """Drop the newest entry that cannot be undone; return it and the reason.

        Files stay as they are. The check assumes that the newer changes have been undone, so the
        change may lie below them on the stack.
        """
        self._transactions.recover()
        found: dict[str, bytes | None] = {}
        reasons: list[str] = []

        def is_blocked(entry: UndoEntry) -> bool:
            reasons.append(self._problem(entry, found))
            return bool(reasons[-1])

        skipped = self._stack.remove_first(is_blocked)
        if skipped is None and not len(self._stack):
            raise self._nothing()
        if skipped is None:
            raise ToolError(
                "validation",
                "Nothing was forgotten: every change can be taken back.",
                suggestion="Undo takes back the newest.",
            )
        return skipped, reasons[-1]

    def _problem(self, entry: UndoEntry, found: dict[str, bytes | None]) -> str:
        """Why an entry cannot be undone; "" when it can.

        Args:
            entry: The entry.
            found: The content of the files once the newer ones have been undone; the older content
                is put in.
        """
        problem = ""
        for change in entry.changes:
            try:
                if change.path not in found:
                    found[change.path] = _data(self._checked(change.inverse(), "undo"))
                elif found[change.path] not in (change.before, change.after):
                    problem = problem or f"{change.path} was changed by somebody else in between."
            except ToolError as error:
                problem = problem or error.message.removeprefix("Not undone: ")
            found[change.path] = change.before
        return problem

    def _nothing(self) -> ToolError:
        if not self._stack.is_lost:
            return ToolError("validation", NOTHING)
        return ToolError("storage", _LOST, suggestion="Files are as they are; git may know more.")

    def _take_back(self, act: Literal["undo", "turn"], entries: Sequence[UndoEntry]) -> Undone:
        backs = _undoing(entries)
        with self._transactions.locked(*(back.path for back in backs)):
            if self._stack.newest() != entries[0]:
                raise ToolError("conflict", "Not undone: there is a newer change by now.")
            step = UndoneStep(entries=tuple(entries), onto=self._stack.below(len(entries)))
            wanted = self._carry_out("undo", step, backs)
        refused = _so_already(backs, "before the change") if backs and not wanted else None
        return Undone(act, tuple(entries), wanted, refused)

    def _carry_out(
        self, act: Literal["undo", "redo"], step: UndoneStep, changes: Sequence[Change]
    ) -> tuple[Change, ...]:
        """Make the changes, those that are made already left out; return the others."""
        found = {change.path: self._checked(change, act) for change in changes}
        wanted = [change for change in changes if _data(found[change.path]) != change.after]
        if act == "undo" and changes and not wanted:
            self._stack.settle(step, on="neither")
        else:
            self._transactions.carry_out(act, step, wanted, found)
        return tuple(wanted)

    def _checked(self, change: Change, act: Literal["undo", "redo"]) -> disk.Content | None:
        """The present content on disk, which must be one side of ``change``."""
        done = f"Not {_WORDS[act]}: {change.path}"
        if self._relative(change.path) != change.path:
            raise _blocked(f"{done} is a symlink by now.", act)
        current = disk.read(self._root, change.path)
        data = _data(current)
        if data not in (change.before, change.after):
            gone = "deleted" if data is None else "changed"
            raise _blocked(f"{done} has been {gone} since.", act)
        if current is not None and not disk.is_writable(self._root, change.path):
            raise ToolError("file", f"{done} is write-protected; tell the user.")
        return current


def _undoing(entries: Sequence[UndoEntry]) -> list[Change]:
    try:
        return undoing(entries)
    except ToolError as error:
        raise ToolError(
            error.type,
            f"Not undone: {error.message}",
            suggestion="Take the changes back one by one.",
        ) from error


def _data(content: disk.Content | None) -> bytes | None:
    return None if content is None else content.data


def _blocked(message: str, act: Literal["undo", "redo"]) -> ToolError:
    forget = (
        "To take back earlier changes, forget this one: %ipuaro undo --skip leaves the file as it "
        "is."
    )
    again = "Put it back as it was after the undo, or make the change anew."
    return ToolError("conflict", message, suggestion=forget if act == "undo" else again)


def _so_already(changes: Sequence[Change], when: str) -> ToolError:
    paths = ", ".join(change.path for change in changes)
    verb = "is" if ", " not in paths else "are"
    undo = when.startswith("before")
    return ToolError(
        "conflict",
        f"{paths} {verb} as {when} already.",
        suggestion="Undo once more to undo the change before." if undo else None,
    )
