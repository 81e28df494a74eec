"""Write changes: only over content that was read and shown, and so that they can be undone."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.errors import StorageError, ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes.change_proposal import DecodedChange
from ipuaro_jupyter.workspace.changes.undo_changes import put
from ipuaro_jupyter.workspace.changes.undo_stack import ShownFiles, UndoEntry, UndoStack, UndoTurn
from ipuaro_jupyter.workspace.files import disk, folders
from ipuaro_jupyter.workspace.files.git_data import check_writable
from ipuaro_jupyter.workspace.files.paths import relative_path
from ipuaro_jupyter.workspace.files.text_file import TextFile, content_hash


class CheckedChange(NamedTuple):
    """A change that may be proposed, with the file's real path and mode.

    Attributes:
        decoded: The change.
        links: The number of names the file has.
    """

    decoded: DecodedChange
    links: int


class ChangeWriter:
    """Writes changes of a project's files.

    Args:
        root: The project's folder.
        undo: The session's undo stack.
        shown: The file versions that the session's model has seen.
    """

    def __init__(self, root: Path, undo: UndoStack, shown: ShownFiles) -> None:
        self._root = root
        self._undo = undo
        self._shown = shown

    def checked(
        self, change: Change, read: TextFile | None, turn: UndoTurn | None
    ) -> CheckedChange:
        """Check a change before it is proposed.

        Args:
            change: Its ``before`` must be the content on disk.
            read: The file that ``before`` was taken from; it is only read again when it has been
                touched since, or for None.
            turn: The turn that the change belongs to.

        Raises:
            ToolError: It cannot be written as it is.
        """
        path = relative_path(self._root, change.path, must_exist=False)
        check_writable(self._root, path)
        if change.before == change.after:
            raise ToolError(
                "validation",
                f"The change of {path} would change nothing.",
                suggestion="The text is so already: go on, or change something else.",
            )
        if change.after is not None and len(change.after) > disk.LARGEST_BYTES:
            raise ToolError("validation", f"The new content of {path} is too large.")
        current = self._current(path, change.before, read)
        if current is None:
            new = change.model_copy(update={"path": path, "mode": None})
            return CheckedChange(DecodedChange(new), 1)
        if not disk.is_writable(self._root, path):
            raise ToolError("file", f"{path} is write-protected; tell the user.")
        whole = change.model_copy(update={"path": path, "mode": current.mode})
        decoded = DecodedChange(whole, read)
        if not self._is_known(path, content_hash(current.data), turn):
            raise _conflict(f"{path} has been changed since you last saw it.")
        return CheckedChange(decoded, current.links)

    def write(self, change: Change, turn: UndoTurn | None) -> None:
        """Write an approved change, after recording an undo entry.

        Args:
            change: As it was `checked`; the new content may differ.
            turn: The turn that it belongs to.

        Raises:
            ToolError: "conflict" when the file has changed since it was checked; "file" when it
                cannot be written. The file is unchanged then.
        """
        with folders.locked(self._root, change.path):
            current = self._expect(change.path, change.before, "while the user was deciding")
            self._shown.note_written(change.path)  # first: a kernel may be killed at any time
            self._push(change, turn)
            try:
                put(self._root, change, current)
            except ToolError:
                self._undo.drop()
                raise
            with suppress(StorageError):  # it is written; the model has to read it once more
                self._note_known(change)

    def _current(
        self, path: str, before: bytes | None, read: TextFile | None
    ) -> disk.Content | None:
        """The content on disk, which must equal ``before``; ``read`` is reused if still right."""
        content = None if read is None or read.path != path else read.content
        is_meant = content is not None and content.data is before
        if content is not None and is_meant and disk.stamp(self._root, path) == content.stamp:
            return content
        return self._expect(path, before, "since it was read")

    def _expect(self, path: str, before: bytes | None, when: str) -> disk.Content | None:
        """The content on disk, which must equal ``before``."""
        current = disk.read(self._root, path)
        if current is not None and before is None:
            raise ToolError(
                "file", f"{path} exists already.", suggestion="Change it with edit_lines instead."
            )
        if current is None and before is not None:
            raise _conflict(f"{path} has been deleted {when}.")
        if current is not None and current.data != before:
            raise _conflict(f"{path} has been changed {when}.")
        return current

    def _is_known(self, path: str, hash_: str, turn: UndoTurn | None) -> bool:
        """Whether the author of a change knows this version, or has never seen the file.

        The user knows the result of an undo; the model has to read it first.
        """
        if self._shown.get(path) in (None, hash_):
            return True
        by_user = turn is not None and turn.by_user
        return by_user and self._shown.restored(path) == hash_

    def _push(self, change: Change, turn: UndoTurn | None) -> None:
        new = folders.missing(self._root, change.path) if change.before is None else ()
        entry = UndoEntry(change=change, folders=new)
        if turn is not None:
            entry = entry.model_copy(update={"turn": turn.id, "position": turn.count})
            turn.count += 1
        self._undo.push(entry)

    def _note_known(self, change: Change) -> None:
        if change.after is None:
            self._shown.forget(change.path)
        else:
            self._shown.note(change.path, content_hash(change.after))


def _conflict(message: str) -> ToolError:
    return ToolError(
        "conflict", message, suggestion="Read the file again, then decide what to change."
    )
