"""The uses of the names that occur most often, found before somebody asks for them.

It runs in a process of its own, and keeps the answers on the server; see `answers_on_server` for
how long they hold.
"""

import gc
import heapq
import os
import time
from pathlib import Path
from typing import Any

from ipuaro_jupyter.cancellation import CancelToken, watching
from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding.reference_cache import ReferenceCache
from ipuaro_jupyter.index.binding.text_cache import TextCache
from ipuaro_jupyter.index.storage.snapshots import Snapshot, snapshot_of
from ipuaro_jupyter.index.storage.stored_answers import StoredAnswers
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.keys import Keys, project_id

FIRST_USES = 200
"""How many uses are listed unless more are asked for."""

_MOST_NAMES = 50
_FEWEST_USES = 20
_MOST_PROCESSOR_S = 6.0
_NICENESS = 15
_ROOM = 8
"""How many times the usual memory it keeps: what it dropped would be parsed again."""
_ALL = "\0frequent"
"""The question that stands for all of them: its answer says that they have been found."""


class _ProcessorTime(CancelToken):
    """A token that expires by itself.

    Args:
        seconds: The time of the processor that this process may use from now on.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._until_s = time.process_time() + seconds

    def check(self) -> None:
        if time.process_time() > self._until_s:
            self.expire()
        super().check()


def are_found(stored: StoredIndex, state: Snapshot) -> bool:
    """Whether the answers for a state of the index have been found already."""
    return StoredAnswers(stored).get(state.shape, _ALL) == state.generation


def find_in_process(store: dict[str, Any], root: str, most_bytes: int) -> int:
    """Find the uses of frequent names with little claim on the processor; return of how many.

    It ends when it has used six seconds of processor.

    Args:
        store: The settings of the server.
        root: The project.
        most_bytes: The amount of source parsed at most for one name.
    """
    os.nice(_NICENESS)
    gc.enable()
    opened = connect(StoreSettings.model_validate(store))
    try:
        folder = Path(root)
        stored = StoredIndex(opened, Keys(project_id(folder)))
        return find(stored, folder, most_bytes=most_bytes)
    finally:
        opened.close()


def find(stored: StoredIndex, root: Path, *, most_bytes: int) -> int:
    """Find and keep the answers, but those that still hold; see `find_in_process`."""
    # What is quick here, after other names, may take long as the first question of a kernel.
    cache = ReferenceCache(
        stored, TextCache(root), most_bytes=most_bytes, stores_all=True, room=_ROOM
    )
    snapshot, count, token = Snapshot(), 0, _ProcessorTime(_MOST_PROCESSOR_S)
    for name in most_frequent(stored):
        snapshot = snapshot_of(stored, snapshot)
        try:
            with watching(token), cache.at(snapshot) as asked:
                token.check()
                asked.forget()  # what was found for other names: the answer depends on its files
                asked.uses(name, None, limit=FIRST_USES)
        except TimeUp:
            break
        count += 1
    snapshot = snapshot_of(stored, snapshot)
    StoredAnswers(stored).put(snapshot.shape, _ALL, snapshot.generation)
    return count


def most_frequent(stored: StoredIndex) -> list[str]:
    """The names that occur most often in the code, those with the most places first."""
    found = heapq.nlargest(_MOST_NAMES, ((count, name) for name, count in stored.name_counts()))
    return [name for count, name in found if count >= _FEWEST_USES]
