"""The workspace's memory of a session, in Redis: the undo stack, and the files shown."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar
from uuid import uuid4

from pydantic import ValidationError

from ipuaro_jupyter.errors import WrongKeyType
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys

_LONGEST_TURN = 1000
_UNREADABLE = "Without a change that could be undone: not as written on the server."
_LOST = "The server had lost which files this session has read and changed: that begins anew."
T = TypeVar("T")


class UndoEntry(Record):
    """An applied change, and the folders that were made for it, the outermost first.

    ``others`` are the changes of further files that were applied with it, by one decision. ``turn``
    names the turn it was part of, "" for none; ``position`` counts the entries of that turn, from
    0; ``by_user`` and ``title`` are those of its `UndoTurn`. ``id`` tells entries apart,
    ``at`` is when it was made, in seconds since the epoch; those of older versions have neither.
    """

    change: Change
    others: tuple[Change, ...] = ()
    folders: tuple[str, ...] = ()
    turn: str = ""
    position: int = 0
    by_user: bool = False
    title: str = ""
    id: str = ""
    at: float = 0.0

    @property
    def changes(self) -> tuple[Change, ...]:
        """All its changes, one per file."""
        return (self.change, *self.others)


class UndoneStep(Record):
    """What one undo took back, newest first, so that a redo makes it again.

    ``onto`` is the id of the entry that was on top of the stack then, "" for none: on any other one
    it cannot be redone, because there has been a new change since.
    """

    entries: tuple[UndoEntry, ...]
    onto: str = ""


Refuses = Literal["nothing", "edits", "edits and commands"]
"""What a turn is without; known-safe commands, and the project's tests, run all the same."""


@dataclass
class UndoTurn:
    """Changes that are undone together; ``count`` entries so far.

    ``by_user`` says that the user calls the tool, not the model; ``is_unseen`` that nobody looks at
    the changes, whatever the settings say; ``refuses`` what the model may not do because the user
    does not ask for it; ``title`` is the message or tool.
    """

    id: str = field(default_factory=lambda: uuid4().hex)
    count: int = 0
    by_user: bool = False
    is_unseen: bool = False
    refuses: Refuses = "nothing"
    title: str = ""


class UndoStack:
    """The changes of a session that can be undone, newest first, and those that can be redone.

    Every change of it is one transaction.

    Args:
        store: Holds them.
        keys: The project's keys.
        session_id: The session.
        depth: The number of changes kept; older ones are dropped, except those of the newest turn,
            which can be undone as a whole however many they are.
    """

    def __init__(self, store: Store, keys: Keys, session_id: str, *, depth: int = 10) -> None:
        self.session_id = session_id
        self._store = store
        self._keys = keys
        self._key = keys.undo(session_id)
        self._redo_key = keys.redo(session_id)
        self._depth = depth
        self._had_entries = False

    def __len__(self) -> int:
        return self._store.llen(self._key)

    @property
    def is_lost(self) -> bool:
        """Whether the store has lost the entries that were there when it was last used."""
        return self._had_entries and not len(self)

    def of_session(self, session_id: str) -> "UndoStack":
        """The stack of another session of the project."""
        return UndoStack(self._store, self._keys, session_id, depth=self._depth)

    def push(self, entry: UndoEntry) -> None:
        """Put ``entry`` on top; what no longer counts is dropped by `tidy`, once it is made."""
        self._store.lpush(self._key, _packed(entry))
        self._had_entries = True

    def tidy(self, entry: UndoEntry) -> None:
        """Drop what nobody can undo or redo any more once ``entry`` has been made."""
        kept = max(self._depth, min(entry.position + 1, _LONGEST_TURN))
        with self._store.batch(atomic=True) as batch:
            batch.ltrim(self._key, 0, kept - 1)
            batch.delete(self._redo_key)

    def newest(self) -> UndoEntry | None:
        """The entry on top; None when there is none.

        An unreadable one is dropped, and that is told.
        """
        while (packed := self._store.lindex(self._key, 0)) is not None:
            entry = _unpacked(packed)
            if entry is not None:
                self._had_entries = True
                return entry
            self._store.ltrim(self._key, 1, -1)
            self._store.tell_loss(_UNREADABLE)
            self._note_left()
        return None

    def turn(self) -> list[UndoEntry]:
        """The entries of the newest turn, newest first; one without a turn is alone."""
        newest = self.newest()
        if newest is None:
            return []
        found = [newest]
        while newest.turn and (packed := self._store.lindex(self._key, len(found))) is not None:
            entry = _unpacked(packed)
            if entry is None or entry.turn != newest.turn:
                break
            found.append(entry)
        return found

    def all(self) -> list[UndoEntry]:
        """All entries that can be read, newest first."""
        return [entry for entry in map(_unpacked, self._undo_values()) if entry is not None]

    def undone(self) -> UndoneStep | None:
        """What the next redo makes again; None when there is nothing."""
        packed = self._store.lindex(self._redo_key, 0)
        step = None if packed is None else _unpacked_step(packed)
        newest = None if step is None else self.newest()
        return step if step is not None and step.onto == _id(newest) else None

    def remove_first(self, is_wanted: Callable[[UndoEntry], bool]) -> UndoEntry | None:
        """Drop and return the first entry, from the newest, that is wanted; None when none is.

        What was undone after it can still be redone.
        """
        values = self._undo_values()
        for place, packed in enumerate(values):
            entry = _unpacked(packed)
            if entry is None or not is_wanted(entry):
                continue
            step = self.undone() if place == 0 else None
            with self._store.batch(atomic=True) as batch:
                batch.lrem(self._key, packed)
                if step is not None:
                    below = _unpacked(values[1]) if len(values) > 1 else None
                    moved = step.model_copy(update={"onto": _id(below)})
                    batch.lset(self._redo_key, 0, _packed(moved))
            self._note_left()
            return entry
        return None

    def below(self, count: int) -> str:
        """The id of the entry below the ``count`` entries on top; "" when there is none."""
        packed = self._store.lindex(self._key, count)
        return _id(None if packed is None else _unpacked(packed))

    def move_to_redo(self, step: UndoneStep) -> None:
        """Move the entries on top to those that can be redone, as one step."""
        with self._store.batch(atomic=True) as batch:
            batch.ltrim(self._key, len(step.entries), -1)
            batch.lpush(self._redo_key, _packed(step))
        self._note_left()

    def move_to_undo(self, step: UndoneStep) -> None:
        """Move the step that was undone last back to the entries that can be undone."""
        with self._store.batch(atomic=True) as batch:
            batch.ltrim(self._redo_key, 1, -1)
            batch.lpush(self._key, *map(_packed, reversed(step.entries)))
        self._note_left()

    def settle(self, step: UndoneStep, *, on: Literal["undo", "redo", "neither"]) -> bool:
        """Put entries where they belong, wherever they are now; return whether they were not there.

        May be repeated.
        """
        undo, redo = self._undo_values(), self._store.lrange(self._redo_key, 0, -1)
        entries, steps = [*map(_unpacked, undo)], [*map(_unpacked_step, redo)]
        others = [
            packed for packed, entry in zip(undo, entries, strict=True) if entry not in step.entries
        ]
        other_steps = [
            packed
            for packed, one in zip(redo, steps, strict=True)
            if one is None or one.entries != step.entries
        ]
        wanted_undo = [*map(_packed, step.entries), *others] if on == "undo" else others
        wanted_redo = [_packed(step), *other_steps] if on == "redo" else other_steps
        if (len(undo), len(redo)) == (len(wanted_undo), len(wanted_redo)):
            return False
        with self._store.batch(atomic=True) as batch:
            batch.delete(self._key, self._redo_key)
            batch.rpush(self._key, *wanted_undo)
            batch.rpush(self._redo_key, *wanted_redo)
        self._note_left()
        return True

    def _note_left(self) -> None:
        self._had_entries = len(self) > 0

    def _undo_values(self) -> list[bytes]:
        return self._store.lrange(self._key, 0, -1)


def _id(entry: UndoEntry | None) -> str:
    return "" if entry is None else entry.id


def _packed(value: UndoEntry | UndoneStep) -> bytes:
    return zlib.compress(value.model_dump_json().encode(), 1)


def _unpacked_step(packed: bytes) -> UndoneStep | None:
    """A step; None for one written by another version."""
    try:
        return UndoneStep.model_validate_json(zlib.decompress(packed))
    except (zlib.error, ValidationError):
        return None


def _unpacked(packed: bytes) -> UndoEntry | None:
    """An entry; None for one written by another version."""
    try:
        return UndoEntry.model_validate_json(zlib.decompress(packed))
    except (zlib.error, ValidationError):
        return None


class ShownFiles:
    """The versions of files that a session's model has last seen, and the files it has changed.

    The versions that the user has seen or made without the model are kept apart.

    Args:
        store: Holds them.
        keys: The project's keys.
        session_id: The session.
    """

    def __init__(self, store: Store, keys: Keys, session_id: str) -> None:
        self._store = store
        self._key = keys.shown(session_id)

    def get(self, path: str) -> str | None:
        """The hash of the version that was shown; None when the file never was."""
        return self._values([path])[0]

    def get_all(self, paths: Sequence[str]) -> list[str | None]:
        """The same for several files, in their order."""
        return self._values(paths)

    def note(self, path: str, hash_: str) -> None:
        """Record that the model has seen this version."""
        self.note_all({path: hash_})

    def note_all(self, hashes: Mapping[str, str]) -> None:
        """Record the same for several files, their hashes by path."""
        self._put({path: hash_.encode() for path, hash_ in hashes.items()})

    def forget(self, path: str) -> None:
        """Treat the file as never shown."""
        self._drop(path, parts_of(path), _of_user(path), _of_user(parts_of(path)))

    def forget_all(self) -> None:
        """Treat every file as never shown to the model."""
        self._drop(*(field for field in self._all() if not field.startswith(b"\0")))

    def note_for_user(self, hashes: Mapping[str, str]) -> None:
        """Record versions, by path, that the user has seen or made, and the model has not."""
        self._put({_of_user(path): hashes[path].encode() for path in hashes})

    def known_to_user(self, path: str) -> str | None:
        """The hash of the version that the user has last seen or made; None when there is none."""
        return self._values([_of_user(path)])[0]

    def note_written(self, *paths: str) -> None:
        """Record, for the rest of the session, that files were changed, or are about to be."""
        self._put({_written(path): b"1" for path in paths})

    def written(self) -> list[str]:
        """The files that were changed in this session, sorted."""
        paths = (_path_of_written(field.decode(errors="replace")) for field in self._all())
        return sorted(path for path in paths if path is not None)

    def looked_at(self) -> dict[str, tuple[str, ...]]:
        """The contents that somebody has looked at, of files that were written unseen."""
        mark = _looked_at("").encode()
        return {
            field.removeprefix(mark).decode(): tuple(value.decode(errors="replace").split())
            for field, value in self._all().items()
            if field.startswith(mark) and not field.startswith(mark + b"\0")
        }

    def note_looked_at(self, versions: Mapping[str, Sequence[str]]) -> None:
        """Record these contents, in place of what was known; see `UnseenFiles`."""
        values = {_looked_at(path): " ".join(known).encode() for path, known in versions.items()}
        self._put(values)

    def commands(self) -> dict[str, int]:
        """The commands that run, or ran when their kernel was killed; see `note_command`."""
        mark = _command("").encode()
        return {
            field.removeprefix(mark).decode(): int(value) if value.isdigit() else 0
            for field, value in self._all().items()
            if field.startswith(mark)
        }

    def note_command(self, id_: str, since_ns: int) -> None:
        """Record that a command is about to run, and the latest time of change before it."""
        self._put({_command(id_): str(since_ns).encode()})

    def forget_command(self, id_: str) -> None:
        """Record that a command has ended, and that what it has written is known."""
        self._drop(_command(id_))

    def _done(self, work: Callable[[], T]) -> T:
        """The result of work on the key, which begins anew if something else is in its place."""
        try:
            return work()
        except WrongKeyType:
            self._store.delete(self._key)
            self._store.tell_loss(_LOST)
            return work()

    def _values(self, fields: Sequence[str]) -> list[str | None]:
        found = self._done(lambda: self._store.hmget(self._key, fields))
        return [None if value is None else value.decode(errors="replace") for value in found]

    def _all(self) -> dict[bytes, bytes]:
        return self._done(lambda: self._store.hgetall(self._key))

    def _put(self, values: Mapping[str, bytes]) -> None:
        self._done(lambda: self._store.hset(self._key, values))

    def _drop(self, *fields: str | bytes) -> None:
        self._done(lambda: self._store.hdel(self._key, *fields))


def parts_of(path: str) -> str:
    """The name under which the versions of a file's parts are noted, in place of a path."""
    return f"{path}\0parts"  # no path has it


def _written(path: str) -> str:
    return f"\0{path}"  # no path begins with it


def _path_of_written(field: str) -> str | None:
    """The path from which `_written` made a field; None for any other field."""
    path = field.removeprefix("\0")
    return None if path == field or path.startswith("\0") else path


def _of_user(path: str) -> str:
    return f"\0\0{path}"


def _looked_at(path: str) -> str:
    return f"\0\0\0{path}"


def _command(id_: str) -> str:
    return f"\0\0\0\0{id_}"
