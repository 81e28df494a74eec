"""Uses of symbols, renames and more, in which no file has changed since it was indexed."""

from collections.abc import Callable
from typing import TypeVar

from ipuaro_jupyter.cancellation import grace
from ipuaro_jupyter.index.binding.definitions import plain_name
from ipuaro_jupyter.index.binding.reference_cache import LookupState, ReferenceCache
from ipuaro_jupyter.index.binding.renaming import Renaming
from ipuaro_jupyter.index.binding.uses import Uses
from ipuaro_jupyter.index.storage.fresh_reads import FreshReads
from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.sync import IndexSync

_TRIES = 3
T = TypeVar("T")


class FreshUses:
    """Finds the uses of symbols, and finds them again when a file has changed meanwhile.

    Args:
        cache: Keeps what a lookup has made, for the next one.
        sync: Brings the index up to date.
        fresh: Does so for the files in a result.
    """

    def __init__(self, cache: ReferenceCache, sync: IndexSync, fresh: FreshReads) -> None:
        self._cache = cache
        self._sync = sync
        self._fresh = fresh

    def of(
        self, symbol: str, *, path: str | None = None, limit: int | None, declared_in: str = ""
    ) -> Uses:
        """The number of uses of a symbol, and the first of them; see `CodeIndex.uses`."""
        self._sync.catch_up()
        for _ in range(_TRIES):
            with self._cache.at(self._sync.snapshot) as asked:
                found = asked.uses(plain_name(symbol), path, limit=limit, declared_in=declared_in)
                snapshot, stale = self._checked(asked)
            if found.not_looked_at:
                return found.without(stale)
            if stale:
                if not self._fresh.take_up(stale):
                    break
            elif snapshot.generation == asked.generation:
                break
        else:
            self._sync.doubt_reads(stale)
        return found

    def ask(self, question: Callable[[LookupState], T]) -> T:
        """The answer to a question about names; see `CodeIndex.ask`."""

        def look(asked: LookupState) -> T:
            with asked.files.as_one():
                return question(asked)

        return self._settled(look)

    def renaming(self, path: str, qualified: str, to: str) -> Renaming:
        """The edits that give a declaration another name; see `CodeIndex.renaming`."""
        return self._settled(
            lambda asked: asked.renamer.of(
                (path, qualified), to, self._sync.linker.resolver.entries
            )
        )

    def _settled(self, look: Callable[[LookupState], T]) -> T:
        """What a look finds, again while what it has used changes; a doubt when that never ends."""
        self._sync.catch_up()
        for _ in range(_TRIES):
            with self._cache.at(self._sync.snapshot) as asked:
                found = look(asked)
                asked.stored.must_be_whole()
                snapshot, stale = self._checked(asked)
            is_current = not stale and snapshot.generation == asked.generation
            if is_current or (stale and not self._fresh.take_up(stale)):
                break
        else:
            self._sync.doubt_reads(stale)
        return found

    def _checked(self, asked: LookupState) -> tuple[Snapshot, set[str]]:
        """The present state, and the files of the last lookup that have changed since."""
        with grace():
            snapshot, used = self._sync.snapshot, asked.used
            return snapshot, {*asked.stale(snapshot), *self._sync.stale(used, snapshot)}
