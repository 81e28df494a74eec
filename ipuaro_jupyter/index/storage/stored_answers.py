"""Answers that took long, kept in Redis, so that the next kernel need not find them again."""

from contextlib import suppress

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.index.storage.seals import IndexDamagedError, sealed, unsealed
from ipuaro_jupyter.index.storage.stored_index import StoredIndex

_MOST_BYTES = 100_000
_MOST_ANSWERS = 200
_STATE = ""
"""The field that names the state of the index, which no question has."""


class StoredAnswers:
    """Keeps answers for one state of the index; those for another one are dropped.

    Losing one costs no more than finding it again.

    Args:
        stored: The index.
    """

    def __init__(self, stored: StoredIndex) -> None:
        self._store = stored.store
        self._key = f"{stored.keys.prefix}answers"
        self._seen: bytes | None = None
        """The state of the index whose answers were kept when one was last looked for."""
        self._count: int | None = None

    def get(self, state: bytes, question: str) -> bytes | None:
        """The answer to a question in a state of the index; None when it is not kept.

        Args:
            state: What names the state, of a fixed length.
            question: The question.
        """
        self._seen, value = self._store.hmget(self._key, [_STATE, question])
        try:
            kept = b"" if value is None else unsealed(question, value)
        except IndexDamagedError:
            return None
        return kept[len(state) :] if kept.startswith(state) else None

    @property
    def garbled(self) -> int:
        """How many of the kept answers are not as they were written; they are found again."""
        count = 0
        for question, value in self._store.hscan(self._key):
            if question != _STATE.encode():
                try:
                    unsealed(question, value)
                except IndexDamagedError:
                    count += 1
        return count

    def put(self, state: bytes, question: str, answer: bytes) -> None:
        """Keep an answer, unless it is large or the server does not take it."""
        if len(answer) > _MOST_BYTES:
            return
        with suppress(StorageError), self._store.batch(atomic=False) as batch:
            if self._count is None or self._seen != state:  # another process may have written
                self._seen = self._store.hget(self._key, _STATE)
                self._count = len(self._store.hkeys(self._key))
            if self._count > _MOST_ANSWERS or self._seen != state:
                batch.delete(self._key)
                self._count = 0
            fields = {_STATE: state, question: sealed(question, state + answer)}
            batch.hset(self._key, fields)
            self._seen = state
            self._count += 1
