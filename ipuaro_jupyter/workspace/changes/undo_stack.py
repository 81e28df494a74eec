"""What the workspace remembers of a session, in Redis: what can be undone, what was shown."""

import zlib
from collections.abc import Callable, Mapping
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
    """A change that was applied, and the folders that were made for it, the outermost first.

    ``turn`` names what it was a part of, "" when of nothing; ``position`` counts the changes
    there, from 0.
    """

    change: Change
    folders: tuple[str, ...] = ()
    turn: str = ""
    position: int = 0


@dataclass
class UndoTurn:
    """What belongs together when it is taken back as a whole; ``count`` changes so far.

    ``by_user`` says that the user calls the tool, not the model.
    """

    id: str = field(default_factory=lambda: uuid4().hex)
    count: int = 0
    by_user: bool = False


class UndoStack:
    """The changes of a session that can be taken back, newest first.

    Args:
        store: Where they are kept.
        keys: The project's keys.
        session_id: The session.
        depth: How many are kept; older ones are dropped, except those of the newest turn, which
            can be taken back as a whole however many they are.
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
        """Return the entry on top; None when there is none.

        One that cannot be read, from a version that is not ours, is dropped.
        """
        while (packed := self._store.lindex(self._key, 0)) is not None:
            entry = _unpacked(packed)
            if entry is not None:
                return entry
            self.drop()
        return None

    def turn(self) -> list[UndoEntry]:
        """Return the entries of the newest turn, newest first; one without a turn is alone."""
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
        """Forget the first entry, from the newest, that is wanted; None when none is."""
        for packed in self._store.lrange(self._key, 0, -1):
            entry = _unpacked(packed)
            if entry is not None and is_wanted(entry):
                self._store.evaluate(_REMOVE, self._key, packed)
                return entry
        return None

    def drop(self, count: int = 1) -> None:
        """Forget the ``count`` entries on top."""
        self._store.ltrim(self._key, count, -1)


def _unpacked(packed: bytes) -> UndoEntry | None:
    """Return an entry; None for one of a version that is not ours."""
    try:
        return UndoEntry.model_validate_json(zlib.decompress(packed))
    except (zlib.error, ValidationError):
        return None


class ShownFiles:
    """The versions of files that a session's model has last seen, and the files it has changed.

    Args:
        store: Where they are kept.
        keys: The project's keys.
        session_id: The session.
    """

    def __init__(self, store: Store, keys: Keys, session_id: str) -> None:
        self._store = store
        self._key = keys.shown(session_id)

    def get(self, path: str) -> str | None:
        """Return the hash of the version that was shown; None when the file never was."""
        value = self._store.hget(self._key, path)
        return None if value is None else value.decode()

    def note(self, path: str, hash_: str) -> None:
        """Remember that the model has seen this version."""
        self.note_all({path: hash_})

    def note_all(self, hashes: Mapping[str, str]) -> None:
        """Remember the same of several files, their hashes by path."""
        self._store.hset(self._key, {path: hash_.encode() for path, hash_ in hashes.items()})

    def forget(self, path: str) -> None:
        """Forget the file, as if it had never been shown."""
        self._store.hdel(self._key, path)

    def note_restored(self, path: str, hash_: str) -> None:
        """Remember what the user's undo has made of the file; the model has not seen it so."""
        self._store.hset(self._key, {_restored(path): hash_.encode()})

    def restored(self, path: str) -> str | None:
        """Return the hash of what an undo has made of the file; None when it was never undone."""
        value = self._store.hget(self._key, _restored(path))
        return None if value is None else value.decode()

    def note_written(self, path: str) -> None:
        """Remember for the rest of the session that the file was changed, or is to be."""
        self._store.hset(self._key, {_written(path): b"1"})

    def written(self) -> list[str]:
        """Return the files that were changed in this session, sorted."""
        fields = [field.decode() for field in self._store.hkeys(self._key)]
        paths = (_path_of_written(field) for field in fields)
        return sorted(path for path in paths if path is not None)


def _written(path: str) -> str:
    return f"\0{path}"  # no path begins with it


def _path_of_written(field: str) -> str | None:
    """Return the path that `_written` made a field of; None for any other field."""
    path = field.removeprefix("\0")
    return None if path == field or path.startswith("\0") else path


def _restored(path: str) -> str:
    return f"\0\0{path}"
