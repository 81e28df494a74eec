"""The files as they were before a session changed them: the starting point of a replay."""

import hashlib
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress

from pydantic import ValidationError

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys

_ABSENT = b"absent"


class FoundFile(Record):
    """A file before a session changed it; ``content`` is None when there was none."""

    path: str
    content: bytes | None
    mode: int | None = None


class FoundFiles:
    """The files that the turns of one session have changed, as they were before.

    Args:
        store: Holds them.
        keys: The project's keys.
        session_id: The session.
    """

    def __init__(self, store: Store, keys: Keys, session_id: str) -> None:
        self._store = store
        self._key = keys.found(session_id)

    def note(self, change: Change, *, within_turn: bool) -> None:
        """Remember a file as it was before its first change, and as it is after the latest.

        Args:
            change: The change that was made.
            within_turn: False for the user's own changes, such as an undo: these update the present
                content, but a replay does not repeat them.
        """
        if not within_turn and not self._store.hexists(self._key, change.path):
            return
        found = FoundFile(path=change.path, content=change.before, mode=change.mode)
        packed = zlib.compress(found.model_dump_json().encode(), 1)
        with self._store.batch(atomic=True) as batch:
            batch.hset_new(self._key, change.path, packed)
            batch.hset(self._key, {_written(change.path): _hash(change.after)})

    def untouched(self, read: Callable[[str], bytes | None]) -> Iterator[FoundFile]:
        """Yield the original of each file that is still as the session left it.

        Args:
            read: Returns the present content of a file; None when there is none.
        """
        fields = self._store.hgetall(self._key)
        for name, packed in sorted(fields.items()):
            if name.startswith(b"\0"):
                continue
            with suppress(zlib.error, ValidationError):
                found = FoundFile.model_validate_json(zlib.decompress(packed))
                if _hash(read(found.path)) == fields.get(_written(found.path).encode()):
                    yield found


def _written(path: str) -> str:
    return f"\0{path}"  # no path begins with it


def _hash(content: bytes | None) -> bytes:
    return _ABSENT if content is None else hashlib.sha256(content).hexdigest().encode()
