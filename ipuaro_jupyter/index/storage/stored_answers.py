"""Answers that took long, kept in Redis, so that the next kernel need not find them again."""

from contextlib import suppress

from ipuaro_jupyter.errors import StorageError, WrongKeyType
from ipuaro_jupyter.index.storage.seals import IndexDamagedError, sealed, unsealed
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.store.projects import made_anew

_MOST_BYTES_EACH = 1_000_000
_MOST_BYTES = 16_000_000
_STATE = ""
"""The field that names the state of the index, which no question has."""
_SIZE = "\0bytes"
"""The field that has the size of the answers, in decimal; as little a question."""


class StoredAnswers:
    """Keeps answers from one state of the index on, up to some megabytes; else they are dropped.

    Losing one costs no more than finding it again.

    Args:
        stored: The index.
    """

    def __init__(self, stored: StoredIndex) -> None:
        self._store = stored.store
        self._key = f"{stored.keys.prefix}answers"

    def get(self, state: bytes, question: str) -> bytes | None:
        """The answer to a question in a state of the index; None when it is not kept.

        Args:
            state: What names the state, of a fixed length.
            question: The question.
        """
        value = made_anew(self._store, self._key, lambda: self._store.hget(self._key, question))
        try:
            kept = b"" if value is None else unsealed(question, value)
        except IndexDamagedError:
            return None
        return kept[len(state) :] if kept.startswith(state) else None

    @property
    def garbled(self) -> int:
        """How many of the kept answers are not as they were written; they are found again."""
        count = 0
        try:
            for question, value in self._store.hscan(self._key):
                if question.decode(errors="replace") not in {_STATE, _SIZE}:
                    with suppress(IndexDamagedError):
                        unsealed(question, value)
                        continue
                    count += 1
        except WrongKeyType:
            return 1
        return count

    def put(self, state: bytes, question: str, answer: bytes) -> None:
        """Keep an answer, unless it is very large or the server does not take it."""
        value = state + answer
        if len(value) > _MOST_BYTES_EACH:
            return
        with suppress(StorageError), self._store.batch(atomic=False) as batch:
            seen, size, replaced = self._store.hmget(self._key, [_STATE, _SIZE, question])
            kept = sealed(question, value)
            more = len(kept) - len(replaced or b"")
            is_counted = size is not None and size.isdigit()
            if seen != state or not is_counted or _number(size) + more > _MOST_BYTES:
                batch.delete(self._key)
                more = len(kept)
            batch.hset(self._key, {_STATE: state, question: kept})
            batch.hincrby(self._key, _SIZE, more)

    def is_filled(self) -> bool:
        """Whether more than half of what it may take is kept."""
        size = made_anew(self._store, self._key, lambda: self._store.hget(self._key, _SIZE))
        return _number(size) > _MOST_BYTES // 2


def _number(value: bytes | None) -> int:
    return int(value) if value is not None and value.isdigit() else 0
