"""Undo changes: all that belong together, or none."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry, UndoStack
from ipuaro_jupyter.workspace.files import atomic_writes, disk, folders

NOTHING = "There is nothing to undo."


class UndoChanges:
    """Undoes changes on top of a stack.

    Args:
        root: The project's folder.
        stack: The applied changes.
        relative: Returns the real path of a path, or raises.
    """

    def __init__(self, root: Path, stack: UndoStack, relative: Callable[[str], str]) -> None:
        self._root = root
        self._stack = stack
        self._relative = relative

    def newest(self) -> tuple[Change, ...]:
        """Undo the newest entry and return the reverse changes."""
        entry = self._stack.newest()
        if entry is None:
            raise _nothing()
        return self._take_back([entry])

    def turn(self) -> tuple[Change, ...]:
        """Undo the changes of the newest turn and return the reverse changes, newest first.

        A file that was changed several times is written once, and not at all if the changes cancel
        out: one that was created and deleted, for instance.
        """
        entries = self._stack.turn()
        if not entries:
            raise _nothing()
        if entries[-1].position and entries[-1].turn:
            raise ToolError(
                "validation",
                f"Not undone as a whole: of this turn only the newest {len(entries)} of its "
                f"{entries[0].position + 1} changes are kept.",
                suggestion="Take them back one by one.",
            )
        return self._take_back(entries)

    def skip(self) -> tuple[UndoEntry, str]:
        """Drop the newest entry that cannot be undone; return it and the reason.

        Files stay as they are. The check assumes that the newer changes have been undone, so the
        change may lie below them on the stack.
        """
        found: dict[str, bytes | None] = {}
        reasons: list[str] = []

        def is_blocked(entry: UndoEntry) -> bool:
            for change in entry.changes:
                try:
                    if change.path not in found:
                        found[change.path] = _data(self._checked(change.inverse()))
                    elif found[change.path] not in (change.before, change.after):
                        reasons.append(f"{change.path} was changed by somebody else in between.")
                except ToolError as error:
                    reasons.append(error.message.removeprefix("Not undone: "))
                found[change.path] = change.before
            return bool(reasons)

        skipped = self._stack.remove_first(is_blocked)
        if skipped is None and not len(self._stack):
            raise _nothing()
        if skipped is None:
            raise ToolError(
                "validation",
                "Nothing was forgotten: every change can be taken back.",
                suggestion="Undo takes back the newest.",
            )
        return skipped, reasons[0]

    def _take_back(self, entries: Sequence[UndoEntry]) -> tuple[Change, ...]:
        backs = _combined(entries)
        with folders.locked(self._root, *(back.path for back in backs)):
            if self._stack.newest() != entries[0]:
                raise ToolError("conflict", "Not undone: there is a newer change by now.")
            found = {back.path: self._checked(back) for back in backs}
            wanted = [back for back in backs if _data(found[back.path]) != back.after]
            put_all(self._root, wanted, found)
            for entry in entries:
                folders.remove(self._root, entry.folders)
            self._stack.drop(len(entries))
        if backs and not wanted:
            raise _back_already(entries)
        return tuple(wanted)

    def _checked(self, back: Change) -> disk.Content | None:
        """The present content on disk, which must be one side of ``back``."""
        if self._relative(back.path) != back.path:
            raise _blocked(f"Not undone: {back.path} is a symlink by now.")
        current = disk.read(self._root, back.path)
        data = _data(current)
        if data not in (back.before, back.after):
            gone = "deleted" if data is None else "changed"
            raise _blocked(f"Not undone: {back.path} has been {gone} since.")
        if current is not None and not disk.is_writable(self._root, back.path):
            raise ToolError("file", f"Not undone: {back.path} is write-protected; tell the user.")
        return current


def put_all(
    root: Path, changes: Sequence[Change], found: Mapping[str, disk.Content | None]
) -> None:
    """Write the results of several changes, all or none.

    Args:
        root: The project's folder.
        changes: The desired contents, one change per file.
        found: The files as they are now.

    Raises:
        ToolError: One cannot be written; all are as before.
    """
    done: list[Change] = []
    try:
        for change in changes:
            put(root, change, found[change.path], mode=change.mode)
            done.append(change)
    except ToolError:
        for change in reversed(done):
            content = found[change.path]
            mode = None if content is None else content.mode
            with suppress(ToolError):
                put(root, change.inverse(), disk.read(root, change.path), mode=mode)
        raise


def put(
    root: Path, change: Change, current: disk.Content | None, *, mode: int | None = None
) -> None:
    """Write the result of a change in place of ``current``.

    Args:
        root: The project's folder.
        change: The desired content.
        current: The file as it is now; None where there is none.
        mode: The permission bits; None: the present ones, or those of any new file.

    Raises:
        ToolError: As `atomic_writes.write` and `atomic_writes.delete`.
    """
    if change.after is not None:
        atomic_writes.write(root, change.path, change.after, replaces=current, mode=mode)
    elif current is not None:
        atomic_writes.delete(root, change.path, current)


def _combined(entries: Sequence[UndoEntry]) -> list[Change]:
    """The changes that undo all entries, the newest first: one change per file.

    An undone edit leaves the permissions alone: ``mode`` is None.

    Raises:
        ToolError: "conflict" when another writer has changed a file in between.
    """
    backs: dict[str, Change] = {}
    for change in (change for entry in entries for change in reversed(entry.changes)):
        newer = backs.get(change.path)
        if newer is not None and newer.after != change.after:
            raise ToolError(
                "conflict",
                f"Not undone: {change.path} was changed by somebody else in between.",
                suggestion="Take the changes back one by one.",
            )
        back = change.inverse() if newer is None else newer
        mode = None if change.kind == "edit" else change.mode
        if change.kind == "edit" and newer is not None:
            mode = newer.mode
        backs[change.path] = back.model_copy(update={"after": change.before, "mode": mode})
    return [back for back in backs.values() if len(entries) == 1 or back.before != back.after]


def _data(content: disk.Content | None) -> bytes | None:
    return None if content is None else content.data


def _nothing() -> ToolError:
    return ToolError("validation", NOTHING)


def _blocked(message: str) -> ToolError:
    return ToolError(
        "conflict",
        message,
        suggestion="To take back earlier changes, forget this one: %ipuaro undo --skip leaves the "
        "file as it is.",
    )


def _back_already(entries: Sequence[UndoEntry]) -> ToolError:
    changes = (change for entry in entries for change in entry.changes)
    paths = ", ".join(dict.fromkeys(change.path for change in changes))
    verb = "is" if ", " not in paths else "are"
    return ToolError(
        "conflict",
        f"{paths} {verb} as before the change already.",
        suggestion="Undo once more to undo the change before.",
    )
