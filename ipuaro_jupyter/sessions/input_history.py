"""The user's messages in a project, stored apart from the sessions: clearing one keeps them."""

import json
import time
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ipuaro_jupyter.store.batch import Batch
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys

MOST_INPUTS = 500
_LONGEST = 20_000  # characters


def note_input(batch: Batch, keys: Keys, session_id: str, text: str) -> None:
    """Add a message of the user; only the latest are kept, and only the beginning of long ones."""
    entry = {"at": time.time(), "session": session_id, "text": text[:_LONGEST]}
    batch.rpush(keys.history, json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace"))
    batch.ltrim(keys.history, -MOST_INPUTS, -1)


def read_inputs(store: Store, keys: Keys) -> tuple[str, ...]:
    """The user's messages, oldest first; immediate repetitions appear once."""
    texts = (entry["text"] for _, entry in _entries(store, keys))
    return tuple(text for text, _ in groupby(texts))


def forget_inputs(batch: Batch, store: Store, keys: Keys, session_id: str) -> None:
    """Delete the messages of one session."""
    for raw, entry in _entries(store, keys):
        if entry.get("session") == session_id:
            batch.lrem(keys.history, raw)


def _entries(store: Store, keys: Keys) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield the readable entries, as stored and decoded."""
    for raw in store.lrange(keys.history, 0, -1):
        try:
            entry = json.loads(raw)
        except ValueError:
            continue
        if isinstance(entry, dict) and isinstance(entry.get("text"), str):
            yield raw, entry
