"""Carry changes out on the disk and on the undo stack: both or neither, whatever happens.

The order is: a journal, the stack, the files, and the journal goes. Until the stack has changed,
nothing has; after that, no answer of the store is needed any more. Whoever finds a journal that
nobody has in hand puts files and stack back, or finishes if all files are written.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

from ipuaro_jupyter.errors import StorageError, ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes import write_ahead
from ipuaro_jupyter.workspace.changes.undo_stack import UndoneStep, UndoStack
from ipuaro_jupyter.workspace.changes.write_ahead import Intent, WriteAhead
from ipuaro_jupyter.workspace.files import atomic_writes, disk, folders

_ACTS = {"apply": "A change", "undo": "An undo", "redo": "A redo"}
_BEFORE: Mapping[str, Literal["undo", "redo", "neither"]] = {
    "apply": "neither",
    "undo": "undo",
    "redo": "redo",
}
_AFTER: Mapping[str, Literal["undo", "redo", "neither"]] = {
    "apply": "undo",
    "undo": "redo",
    "redo": "undo",
}


class Recovery(NamedTuple):
    """What became of an interrupted change: a sentence for the user, and the files written."""

    told: str
    written: tuple[Change, ...]


class Transactions:
    """Carries out changes of a project's files, together with those of the undo stack.

    Args:
        root: The project's folder.
        stack: The open session's stack.
    """

    def __init__(self, root: Path, stack: UndoStack) -> None:
        self._root = root
        self._stack = stack
        self.recovered: list[Recovery] = []

    @contextmanager
    def locked(self, *paths: str) -> Iterator[None]:
        """Lock the project against other changes, with all interrupted ones put right.

        Raises:
            ToolError: "file" when another one takes too long.
            StorageError: Redis has gone.
        """
        while True:
            self.recover()
            with folders.locked(self._root, *paths):
                # a kernel may have been killed while this one waited for it
                if not write_ahead.left(self._root) or not self._has_abandoned():
                    yield
                    return

    def recover(self) -> None:
        """Put right what killed kernels have left, and what could not be told to the store.

        Raises:
            ToolError: "file" when that is not possible, and when another change takes too long.
            StorageError: Redis has gone.
        """
        if not write_ahead.left(self._root):
            return
        with folders.locked(self._root):
            for journal in write_ahead.abandoned(self._root):
                try:
                    self.recovered.append(self._put_right(journal))
                    journal.remove()
                finally:
                    journal.leave()

    def carry_out(
        self,
        act: Literal["apply", "undo", "redo"],
        step: UndoneStep,
        changes: Sequence[Change],
        found: Mapping[str, disk.Content | None],
    ) -> None:
        """Change the stack and the files.

        Args:
            act: "apply" for a new entry.
            step: The entries concerned, the one below them on the stack included.
            changes: What the files are to become, one change per file; their ``mode`` is None for
                the present permissions.
            found: The files as they are.

        Raises:
            ToolError: A file cannot be written; the files and the stack are as before.
            StorageError: The same, because Redis has gone.
        """
        intent = Intent(
            act=act,
            session=self._stack.session_id,
            step=step,
            modes={change.path: _mode(found[change.path]) for change in changes},
            made=_missing(self._root, changes),
        )
        journal = write_ahead.begin(self._root, intent)
        try:
            try:
                self._move(act, step)
            except StorageError as error:
                raise StorageError(f"{error} No file was changed.") from error
            try:
                self._write(intent, changes, found)
            except BaseException as error:
                self._take_back(intent, journal, error)
                raise
            self._remove_folders(intent)
            if journal is not None:
                journal.remove()
        finally:  # where the journal is still there, the next change puts right what was broken off
            if journal is not None:
                journal.leave()

    def _move(self, act: Literal["apply", "undo", "redo"], step: UndoneStep) -> None:
        if act == "apply":
            (entry,) = step.entries
            self._stack.push(entry)
        elif act == "undo":
            self._stack.move_to_redo(step)
        else:
            self._stack.move_to_undo(step)

    def _write(
        self,
        intent: Intent,
        changes: Sequence[Change],
        found: Mapping[str, disk.Content | None],
    ) -> None:
        staged: list[atomic_writes.StagedFile] = []
        try:
            for place, change in enumerate(changes):
                if change.after is not None:
                    staged.append(
                        atomic_writes.stage(
                            self._root,
                            change.path,
                            change.after,
                            replaces=found[change.path],
                            mode=change.mode,
                            temporary=intent.temporary(place),
                        )
                    )
            for file in staged:
                atomic_writes.put_in_place(self._root, file)
            for change in changes:
                now = found[change.path]
                if change.after is None and now is not None:
                    atomic_writes.delete(self._root, change.path, now)
        except BaseException:
            for file in reversed(staged):
                atomic_writes.discard(self._root, file)
            raise

    def _take_back(self, intent: Intent, journal: WriteAhead | None, error: BaseException) -> None:
        """Put files and stack back after ``error``, at once.

        Raises:
            ToolError: A file cannot be put back; the journal stays.
        """
        problems = [*_put_back(self._root, intent.files, intent.made)]
        settled = False
        with suppress(StorageError):  # then the journal is for the next change
            self._stack.settle(intent.step, on=_BEFORE[intent.act])
            settled = True
        if journal is not None and settled and not problems:
            journal.remove()
        if problems:
            raise ToolError("file", f"{error} Not put back: {' '.join(problems)}") from error

    def _remove_folders(self, intent: Intent) -> None:
        """Remove the folders that were made for files which an undo has removed."""
        if intent.act == "undo":
            for entry in intent.step.entries:
                folders.remove(self._root, entry.folders)

    def _has_abandoned(self) -> bool:
        for journal in write_ahead.abandoned(self._root):
            journal.leave()
            return True
        return False

    def _put_right(self, journal: WriteAhead) -> Recovery:
        """Finish what an interrupted writer has written to the end; take back anything else.

        Files that somebody else has changed since stay as they are. Where that is all of them, what
        had been written is unknown: the entries can be undone, if the files are put back by hand.

        Raises:
            ToolError: "file" when one cannot be put back.
        """
        intent = journal.intent
        for place, file in enumerate(intent.files):
            atomic_writes.remove_temporary(self._root, file.path, intent.temporary(place))
        now = {file.path: _now(self._root, file.path) for file in intent.files}
        others = [file.path for file in intent.files if now[file.path] not in _sides(file)]
        new = [file for file in intent.files if now[file.path] == (True, file.after)]
        is_done = bool(new) and len(new) + len(others) == len(intent.files)
        stack = self._stack.of_session(intent.session)
        if len(others) == len(intent.files) > 0:
            stack.settle(intent.step, on="undo")
            return Recovery(_told_unknown(intent), ())
        if is_done:
            self._remove_folders(intent)
            stack.settle(intent.step, on=_AFTER[intent.act])
            return Recovery(_told(intent, others, is_done=True), ())
        if problems := [*_put_back(self._root, new, intent.made)]:
            raise ToolError(
                "file",
                f"{_what(intent)} was interrupted. {' '.join(problems)} Mend that, or put the "
                f"files right yourself and remove the journal {str(journal.path)!r}.",
            )
        stack.settle(intent.step, on=_BEFORE[intent.act])
        return Recovery(_told(intent, others, is_done=False), tuple(file.inverse() for file in new))


def _put_back(root: Path, files: Sequence[Change], made: Sequence[str]) -> Iterator[str]:
    """Put back those of ``files`` that are as they were to become; yield what prevents it.

    ``made`` are the folders that were made for them.
    """
    for file in reversed(files):
        try:
            current = disk.read(root, file.path)
            if _data(current) != file.after:
                continue
            if file.before is not None:
                atomic_writes.write(root, file.path, file.before, replaces=current, mode=file.mode)
            elif current is not None:  # pragma: no branch - it is as it was to become
                atomic_writes.delete(root, file.path, current)
        except ToolError as error:
            yield error.message
    folders.remove(root, made)


def _missing(root: Path, changes: Sequence[Change]) -> tuple[str, ...]:
    """The folders that have to be made for new files, the outermost first."""
    new = [change for change in changes if change.before is None]
    found = {folder for change in new for folder in folders.missing(root, change.path)}
    return tuple(sorted(found))


def _now(root: Path, path: str) -> tuple[bool, bytes | None]:
    """Whether a file could be read, and its content; None where there is none."""
    try:
        return True, _data(disk.read(root, path))
    except ToolError:  # something else is in its place
        return False, None


def _sides(file: Change) -> tuple[tuple[bool, bytes | None], ...]:
    return (True, file.before), (True, file.after)


def _what(intent: Intent) -> str:
    count = len(intent.files)
    files = intent.files[0].path if count == 1 else f"{count:,} files"
    return f"{_ACTS[intent.act]} of {files}"


def _told(intent: Intent, others: Sequence[str], *, is_done: bool) -> str:
    left = ", ".join(others)
    files = "the file is" if len(intent.files) == 1 else "all of them are"
    files = f"all but {left} are" if others else files
    if is_done:
        told = f"{_what(intent)} was interrupted at its end: {files} written."
    else:
        told = f"{_what(intent)} was interrupted and taken back: {files} as before."
    if others:
        told += f" Somebody else has changed {left} since, so that was left as it is."
    return told


def _told_unknown(intent: Intent) -> str:
    files = ", ".join(file.path for file in intent.files)
    return (
        f"{_what(intent)} was interrupted, and somebody else has changed {files} since. Whether it "
        "was written is unknown, so nothing was touched."
    )


def _data(content: disk.Content | None) -> bytes | None:
    return None if content is None else content.data


def _mode(content: disk.Content | None) -> int | None:
    return None if content is None else content.mode
