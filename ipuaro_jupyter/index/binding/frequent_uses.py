"""The uses of the names that occur most often, found before somebody asks for them.

It runs in a process of its own, and keeps the answers on the server; see `answers_on_server` for
how long they hold.
"""

import gc
import heapq
import os
import time
from collections.abc import Iterator, Sequence
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
from ipuaro_jupyter.store.topology import is_half_full

FIRST_USES = 200
"""How many uses are listed unless more are asked for."""

MOST_WHOLE_S = 15.0
"""The time of the processor that finding all uses of the names may take, by default."""

_MOST_NAMES = 50
_FEWEST_USES = 20
_MOST_PROCESSOR_S = 6.0
_NICENESS = 15
_ROOM = 8
"""How many times the usual memory it keeps: what it dropped would be parsed again."""
_FIRST = "\0frequent"
"""The question that stands for the first uses of all: its answer says that they were found."""
_WHOLE = "\0whole"
"""The same for all uses."""


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


def are_found(stored: StoredIndex, state: Snapshot, *, whole: bool) -> bool:
    """Whether the answers for a state of the index have been found already.

    Args:
        stored: The index.
        state: The state.
        whole: Whether those that list all uses are meant, too.
    """
    answers = StoredAnswers(stored)
    wanted = (_FIRST, _WHOLE) if whole else (_FIRST,)
    return all(answers.get(state.base, one) == state.generation for one in wanted)


def find_in_process(store: dict[str, Any], root: str, most_bytes: int, whole_s: float) -> int:
    """Find the uses of frequent names with little claim on the processor; return of how many.

    It uses six seconds of processor at most for the first uses, and then ``whole_s`` for all.

    Args:
        store: The settings of the server.
        root: The project.
        most_bytes: The amount of source parsed at most for one name.
        whole_s: The time of the processor that all uses may take; 0: only the first are found.
    """
    os.nice(_NICENESS)
    gc.enable()
    opened = connect(StoreSettings.model_validate(store))
    try:
        folder = Path(root)
        stored = StoredIndex(opened, Keys(project_id(folder)))
        return find(stored, folder, most_bytes=most_bytes, whole_s=whole_s)
    finally:
        opened.close()


def find(stored: StoredIndex, root: Path, *, most_bytes: int, whole_s: float = 0.0) -> int:
    """Find and keep the answers, but those that still hold; see `find_in_process`."""
    # What is quick here, after other names, may take long as the first question of a kernel.
    cache = ReferenceCache(
        stored, TextCache(root), most_bytes=most_bytes, stores_all=True, room=_ROOM
    )
    ahead, names = _SearchAhead(stored, cache), most_frequent(stored)
    count = ahead.first_uses(names)
    if whole_s:
        ahead.all_uses(names, whole_s)
    return count


class _SearchAhead:
    """Finds the uses of names, one after the other.

    Args:
        stored: The index.
        cache: Keeps the answers.
    """

    def __init__(self, stored: StoredIndex, cache: ReferenceCache) -> None:
        self._stored = stored
        self._cache = cache
        self._answers = StoredAnswers(stored)
        self._snapshot = Snapshot()

    def first_uses(self, names: Sequence[str]) -> int:
        """Find as many uses of each as are listed by default; return of how many in time."""
        token = _ProcessorTime(_MOST_PROCESSOR_S)
        found = self._found(names, token, limit=FIRST_USES, is_alone=True)
        count = sum(1 for _ in found)
        self._note(_FIRST)
        return count

    def all_uses(self, names: Sequence[str], most_s: float) -> None:
        """Find all uses of each, as far as time and room on the server allow.

        What is found for one helps with the next, which halves the time. So these answers hold in
        no other state of the index; hardly one would, as most files have a frequent name.
        """
        found = self._found(names, _ProcessorTime(most_s), limit=None, is_alone=False)
        while not (self._answers.is_filled() or is_half_full(self._stored.store)):
            if next(found, None) is None:
                break
        self._note(_WHOLE)

    def _found(
        self, names: Sequence[str], token: CancelToken, *, limit: int | None, is_alone: bool
    ) -> Iterator[str]:
        """Yield each name once its uses were found, until time runs out."""
        for name in names:
            self._snapshot = snapshot_of(self._stored, self._snapshot)
            try:
                with watching(token), self._cache.at(self._snapshot) as asked:
                    token.check()
                    if is_alone:  # the answer depends on its files
                        asked.forget()
                    asked.uses(name, None, limit=limit)
            except TimeUp:
                return
            yield name

    def _note(self, question: str) -> None:
        self._snapshot = snapshot = snapshot_of(self._stored, self._snapshot)
        self._answers.put(snapshot.base, question, snapshot.generation)


def most_frequent(stored: StoredIndex) -> list[str]:
    """The names that occur most often in the code, those with the most places first."""
    found = heapq.nlargest(_MOST_NAMES, ((count, name) for name, count in stored.name_counts()))
    return [name for count, name in found if count >= _FEWEST_USES]
