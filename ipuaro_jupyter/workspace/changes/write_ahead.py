"""A journal on the disk of what is being changed, so that a kernel killed midway does no harm.

It lies in the user's data folder, not in the project, and is readable by the user alone.
"""

import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Literal
from uuid import uuid4

from pydantic import Field, ValidationError

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.keys import project_id
from ipuaro_jupyter.store.user_folders import home
from ipuaro_jupyter.workspace.changes.joined_changes import made_by, undoing
from ipuaro_jupyter.workspace.changes.undo_stack import UndoneStep
from ipuaro_jupyter.workspace.files import atomic_writes, folders

_SUFFIX = ".journal"
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC


class Intent(Record):
    """What is about to be done to the files and the undo stack.

    Attributes:
        act: "apply" makes the changes of a new entry, "undo" takes the entries of ``step`` back,
            and "redo" makes them again.
        session: The session with the stack.
        step: The entries, and the one below them on the stack.
        modes: The files that it writes, with their permission bits before; None for a new one.
        made: The folders made for them, the outermost first.
        id: Names the journal, and the temporary files.
    """

    act: Literal["apply", "undo", "redo"]
    session: str
    step: UndoneStep
    modes: dict[str, int | None]
    made: tuple[str, ...] = ()
    id: str = Field(default_factory=lambda: uuid4().hex)

    @cached_property
    def files(self) -> tuple[Change, ...]:
        """What it does to the files: one change each, whose ``mode`` are the bits before."""
        entries = self.step.entries
        changes = undoing(entries) if self.act == "undo" else made_by(entries)
        return tuple(
            change.model_copy(update={"mode": self.modes[change.path]})
            for change in changes
            if change.path in self.modes
        )

    def temporary(self, place: int) -> str:
        """The name of the temporary file beside the file at this place of ``files``."""
        return atomic_writes.temporary_name(f"{self.id}-{place}")


class WriteAhead:
    """A journal that is kept until its `Intent` has been carried out, or taken back.

    It is locked while its writer lives and has it in hand.

    Attributes:
        path: Where it lies.
        intent: The intent.
    """

    def __init__(self, path: Path, descriptor: int, intent: Intent) -> None:
        self.path = path
        self._descriptor = descriptor
        self.intent = intent

    def remove(self) -> None:
        """Remove the journal: there is nothing to put right any more."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        self.leave()
        with suppress(OSError):  # others are in it
            self.path.parent.rmdir()

    def leave(self) -> None:
        """Leave the journal for whoever puts things right."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def begin(root: Path, intent: Intent) -> WriteAhead | None:
    """Write a journal before anything is done.

    A change of one file is whole in any case, so it goes on without a journal where there cannot be
    one: None.

    Raises:
        ToolError: "file" when it cannot be written, and there are several files.
    """
    folder = _folder(root)
    try:
        return _written(folder, intent)
    except OSError as error:
        if len(intent.modes) <= 1:
            return None
        raise ToolError(
            "file",
            f"Nothing was changed: the journal of the change cannot be written to {str(folder)!r}: "
            f"{error.strerror or error}.",
            suggestion="Tell the user: without it, a change of several files could be cut in half.",
        ) from error


def left(root: Path) -> list[Path]:
    """The journals of a project: those of writers that were killed, and of any that is writing."""
    try:
        with os.scandir(_folder(root)) as found:
            return sorted(Path(entry.path) for entry in found)
    except OSError:
        return []


def abandoned(root: Path) -> Iterator[WriteAhead]:
    """Yield the journals of a project that no living writer has in hand.

    Raises:
        ToolError: "file" for one that cannot be read; it stays.
    """
    for path in left(root):
        try:
            descriptor = os.open(path, _OLD)
        except OSError:  # it is gone
            continue
        if not _claimed(descriptor):
            os.close(descriptor)
        elif path.suffix == _SUFFIX and os.fstat(descriptor).st_size:
            yield WriteAhead(path, descriptor, _read(path, descriptor))
        else:  # its writer was killed, or the power failed, before it changed anything
            with suppress(OSError):
                path.unlink()
                path.parent.rmdir()
            os.close(descriptor)


def forget(root: Path) -> None:
    """Delete the journals of a project for good, except one that a living writer has in hand."""
    for path in left(root):
        with suppress(OSError):
            descriptor = os.open(path, _OLD)
            if _claimed(descriptor):
                path.unlink()
            os.close(descriptor)
    with suppress(OSError):
        _folder(root).rmdir()


def _folder(root: Path) -> Path:
    return home() / "journals" / project_id(root)


def _written(folder: Path, intent: Intent) -> WriteAhead:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    final = folder / f"{intent.id}{_SUFFIX}"
    temporary = final.with_suffix(".tmp")
    descriptor = os.open(temporary, _NEW, 0o600)
    try:
        folders.try_lock(descriptor)  # it is new: nobody else has it
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(zlib.compress(intent.model_dump_json().encode(), 1))
        os.fsync(descriptor)
        temporary.rename(final)
        _sync(folder)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        os.close(descriptor)
        with suppress(OSError):
            folder.rmdir()
        raise
    return WriteAhead(final, descriptor, intent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # some file systems cannot
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _claimed(descriptor: int) -> bool:
    """Lock a journal; False when its writer lives, or it has just been removed."""
    return folders.try_lock(descriptor) and os.fstat(descriptor).st_nlink > 0


def _read(path: Path, descriptor: int) -> Intent:
    try:
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return Intent.model_validate_json(zlib.decompress(file.read()))
    except (OSError, zlib.error, ValidationError) as error:
        os.close(descriptor)
        raise ToolError(
            "file",
            f"The journal {str(path)!r} of an interrupted change cannot be read, so its files may "
            "be half changed: look at them, then remove it.",
        ) from error
