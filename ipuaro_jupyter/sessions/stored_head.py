"""The head of a session's requests in Redis, and what the requests leave out."""

from contextlib import suppress

from pydantic import ValidationError

from ipuaro_jupyter.records.head import Head
from ipuaro_jupyter.sessions.stored_session import plain_message
from ipuaro_jupyter.store.batch import Batch
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys

_HEAD, _LEFT_OUT = "head", "left_out"


class StoredHead:
    """The head of one session: read when it is first needed, written when the session is listed.

    Attributes:
        left_out: What requests with it leave out; empty when nothing.
    """

    def __init__(self, store: Store, keys: Keys, session_id: str) -> None:
        self._store = store
        self._key = keys.head(session_id)
        self._read = False
        self._head: Head | None = None
        self._left_out = b""

    @property
    def head(self) -> Head | None:
        """The head; None when there is none, or another version of this package wrote it."""
        self._load()
        return self._head

    @property
    def left_out(self) -> bytes:
        """What requests with this head leave out, as it was given; empty when nothing."""
        self._load()
        return self._left_out

    def keep(self, head: Head, *, stored: bool) -> None:
        """Keep another head, whose requests leave nothing out so far."""
        self._read, self._head, self._left_out = True, head, b""
        if stored:
            self._write_now()

    def note_left_out(self, left_out: bytes, *, stored: bool) -> None:
        """Note what requests leave out from now on."""
        self._load()
        if left_out == self._left_out:
            return
        self._left_out = left_out
        if stored:
            self._write_now()

    def write(self, batch: Batch) -> None:
        """Add the commands that store it to a batch."""
        if self._head is None:
            return
        fields = {_HEAD: plain_message(self._head), _LEFT_OUT: self._left_out}
        batch.hset(self._key, fields)

    def clear(self) -> None:
        """Forget it; the key is deleted by the caller."""
        self._read, self._head, self._left_out = True, None, b""

    def _write_now(self) -> None:
        with self._store.batch(atomic=True) as batch:
            self.write(batch)

    def _load(self) -> None:
        if self._read:
            return
        fields = self._store.hgetall(self._key)
        with suppress(ValidationError):
            self._head = Head.model_validate_json(fields.get(_HEAD.encode(), b""))
            self._left_out = fields.get(_LEFT_OUT.encode(), b"")
        self._read = True
