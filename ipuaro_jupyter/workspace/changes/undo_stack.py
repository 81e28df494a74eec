"""The workspace's memory of a session, in Redis: the undo stack, and the files shown."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from pydantic import ValidationError

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys

_LONGEST_TURN = 1000
_REMOVE = "return redis.call('LREM', KEYS[1], 1, ARGV[1])"


class UndoEntry(Record):
    """An applied change, and the folders that were made for it, the outermost first.

    ``others`` are the changes of further files that were applied with it, by one decision. ``turn``
    names the turn it was part of, "" for none; ``position`` counts the entries of that turn, from
    0.
    """

    change: Change
    others: tuple[Change, ...] = ()
    folders: tuple[str, ...] = ()
    turn: str = ""
    position: int = 0

    @property
    def changes(self) -> tuple[Change, ...]:
        """All its changes, one per file."""
        return (self.change, *self.others)


@dataclass
class UndoTurn:
    """Changes that are undone together; ``count`` entries so far.

    ``by_user`` says that the user calls the tool, not the model; ``is_unseen`` that nobody looks at
    the changes, whatever the settings say.
    """

    id: str = field(default_factory=lambda: uuid4().hex)
    count: int = 0
    by_user: bool = False
    is_unseen: bool = False


class UndoStack:
    """The changes of a session that can be undone, newest first.

    Args:
        store: Holds them.
        keys: The project's keys.
        session_id: The session.
        depth: The number of changes kept; older ones are dropped, except those of the newest turn,
            which can be undone as a whole however many they are.
    """

    def __init__(self, store: Store, keys: Keys, session_id: str, *, depth: int = 10) -> None:
        self._store = store
        self._key = keys.undo(session_id)
        self._depth = depth

    def __len__(self) -> int:
        return self._store.llen(self._key)

    def push(self, entry: UndoEntry) -> None:
        """Put ``entry`` on top."""
        packed = zlib.compress(entry.model_dump_json().encode(), 1)
        with self._store.batch(atomic=True) as batch:
            batch.lpush(self._key, packed)
            batch.ltrim(self._key, 0, max(self._depth, min(entry.position + 1, _LONGEST_TURN)) - 1)

    def newest(self) -> UndoEntry | None:
        """The entry on top; None when there is none.

        An unreadable one, written by another version, is dropped.
        """
        while (packed := self._store.lindex(self._key, 0)) is not None:
            entry = _unpacked(packed)
            if entry is not None:
                return entry
            self.drop()
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

    def remove_first(self, is_wanted: Callable[[UndoEntry], bool]) -> UndoEntry | None:
        """Drop and return the first entry, from the newest, that is wanted; None when none is."""
        for packed in self._store.lrange(self._key, 0, -1):
            entry = _unpacked(packed)
            if entry is not None and is_wanted(entry):
                self._store.evaluate(_REMOVE, self._key, packed)
                return entry
        return None

    def drop(self, count: int = 1) -> None:
        """Drop the ``count`` entries on top."""
        self._store.ltrim(self._key, count, -1)


def _unpacked(packed: bytes) -> UndoEntry | None:
    """An entry; None for one written by another version."""
    try:
        return UndoEntry.model_validate_json(zlib.decompress(packed))
    except (zlib.error, ValidationError):
        return None


class ShownFiles:
    """The versions of files that a session's model has last seen, and the files it has changed.

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
        value = self._store.hget(self._key, path)
        return None if value is None else value.decode()

    def get_all(self, paths: Sequence[str]) -> list[str | None]:
        """The same for several files, in their order."""
        values = self._store.hmget(self._key, paths) if paths else []
        return [None if value is None else value.decode() for value in values]

    def note(self, path: str, hash_: str) -> None:
        """Record that the model has seen this version."""
        self.note_all({path: hash_})

    def note_all(self, hashes: Mapping[str, str]) -> None:
        """Record the same for several files, their hashes by path."""
        self._store.hset(self._key, {path: hash_.encode() for path, hash_ in hashes.items()})

    def forget(self, path: str) -> None:
        """Treat the file as never shown."""
        self._store.hdel(self._key, path)

    def note_restored(self, path: str, hash_: str) -> None:
        """Record the result of the user's undo on the file, which the model has not seen."""
        self._store.hset(self._key, {_restored(path): hash_.encode()})

    def restored(self, path: str) -> str | None:
        """The hash of the file after an undo; None when it was never undone."""
        value = self._store.hget(self._key, _restored(path))
        return None if value is None else value.decode()

    def note_written(self, *paths: str) -> None:
        """Record, for the rest of the session, that files were changed, or are about to be."""
        self._store.hset(self._key, {_written(path): b"1" for path in paths})

    def written(self) -> list[str]:
        """The files that were changed in this session, sorted."""
        fields = [field.decode() for field in self._store.hkeys(self._key)]
        paths = (_path_of_written(field) for field in fields)
        return sorted(path for path in paths if path is not None)


def _written(path: str) -> str:
    return f"\0{path}"  # no path begins with it


def _path_of_written(field: str) -> str | None:
    """The path from which `_written` made a field; None for any other field."""
    path = field.removeprefix("\0")
    return None if path == field or path.startswith("\0") else path


def _restored(path: str) -> str:
    return f"\0\0{path}"
