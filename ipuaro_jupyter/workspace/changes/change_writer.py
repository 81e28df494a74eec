"""Write changes: only over content that was read and shown, and so that they can be undone."""

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from ipuaro_jupyter.errors import StorageError, ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes.change_proposal import DecodedChange
from ipuaro_jupyter.workspace.changes.file_part import FilePart
from ipuaro_jupyter.workspace.changes.transactions import Transactions
from ipuaro_jupyter.workspace.changes.undo_stack import (
    ShownFiles,
    UndoEntry,
    UndoneStep,
    UndoStack,
    UndoTurn,
)
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
        transactions: Changes stack and files.
        shown: The file versions that the session's model has seen.
    """

    def __init__(
        self, root: Path, undo: UndoStack, transactions: Transactions, shown: ShownFiles
    ) -> None:
        self._root = root
        self._undo = undo
        self._transactions = transactions
        self._shown = shown

    def checked(
        self,
        change: Change,
        read: TextFile | None,
        turn: UndoTurn | None,
        *,
        is_computed: bool = False,
        part: FilePart | None = None,
    ) -> CheckedChange:
        """Check a change before it is proposed.

        Args:
            change: Its ``before`` must be the content on disk.
            read: The file that ``before`` was taken from; it is only read again when it has been
                touched since, or for None.
            turn: The turn that the change belongs to.
            is_computed: Whether it follows from the present content, whatever the model has seen.
            part: What of the file is shown. Its author has seen that, whatever the rest is by now.

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
        decoded = DecodedChange(whole, read, part)
        is_computed = is_computed or part is not None
        if not is_computed and not self._is_known(path, content_hash(current.data), turn):
            raise _conflict(f"{path} has been changed since you last saw it.")
        return CheckedChange(decoded, current.links)

    def write(
        self,
        changes: Sequence[Change],
        turn: UndoTurn | None,
        computed: Collection[str] = (),
        *,
        by_person: bool = False,
    ) -> None:
        """Write approved changes, all or none, after recording an undo entry.

        Args:
            changes: As they were `checked`, one per file; the new contents may differ.
            turn: The turn that they belong to.
            computed: The files whose new content its author knows only with the old one.
            by_person: Whether a person has made them, so that the model does not know them.

        Raises:
            ToolError: "conflict" when a file has changed since it was checked; "file" when one
                cannot be written. The files are unchanged then.
        """
        paths = [change.path for change in changes]
        with self._transactions.locked(*paths):
            found = {
                change.path: self._expect(change.path, change.before, "while the question was open")
                for change in changes
            }
            self._shown.note_written(*paths)  # first: a kernel may be killed at any time
            entry = self._entry(changes, turn)
            step = UndoneStep(entries=(entry,), onto=self._undo.below(0))
            kept = [change.model_copy(update={"mode": None}) for change in changes]
            self._transactions.carry_out("apply", step, kept, found)
            if turn is not None:
                turn.count += 1
        with suppress(StorageError):  # they are written; the model has to read them once more
            self._undo.tidy(entry)
            for change in changes:
                if change.after is None:
                    self._shown.forget(change.path)
                elif change.path in computed and not self._was_known(change, by_person):
                    continue
                elif by_person:
                    self._shown.note_for_user({change.path: content_hash(change.after)})
                else:
                    self._shown.note(change.path, content_hash(change.after))

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

        The user also knows what the user has read, changed and undone; the model has to read it.
        """
        known = self._known(path, by_user=turn is not None and turn.by_user)
        return hash_ in known or known == {None}

    def _known(self, path: str, *, by_user: bool) -> set[str | None]:
        """The hashes of the versions that the author of a change knows; None for a file unseen."""
        known = {self._shown.get(path)}
        if by_user:
            known.add(self._shown.known_to_user(path))
        return known

    def _entry(self, changes: Sequence[Change], turn: UndoTurn | None) -> UndoEntry:
        new = {
            folder
            for change in changes
            if change.before is None
            for folder in folders.missing(self._root, change.path)
        }
        first, *others = changes
        entry = UndoEntry(
            change=first,
            others=tuple(others),
            folders=tuple(sorted(new)),
            id=uuid4().hex,
            at=time.time(),
        )
        if turn is None:
            return entry
        told = {"turn": turn.id, "position": turn.count, "by_user": turn.by_user}
        return entry.model_copy(update={**told, "title": turn.title})

    def _was_known(self, change: Change, by_person: bool) -> bool:  # noqa: FBT001 - private
        """Whether its author has last seen the file as it was before a change."""
        before = change.before
        known = self._known(change.path, by_user=by_person)
        return before is not None and content_hash(before) in known


def _conflict(message: str) -> ToolError:
    return ToolError(
        "conflict", message, suggestion="Read the file again, then decide what to change."
    )
