"""The cached state for lookups of references, valid while the index is unchanged."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.binding.references import ReferenceFinder
from ipuaro_jupyter.index.binding.renaming import Renamer
from ipuaro_jupyter.index.binding.text_cache import TextCache
from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.stored_index import StoredIndex

_MOST_BYTES = 32_000_000
_MOST_PARSED_BYTES = 1_000_000


class LookupState:
    """The state shared by lookups in one state of the index.

    Attributes:
        generation: Identifies the state.
        files: The opened files.
        references: Finds the uses of symbols.
        renamer: Computes renames.
    """

    def __init__(
        self,
        stored: StoredIndex,
        texts: TextCache,
        snapshot: Snapshot,
        aliases: AliasResolver,
        most_bytes: int,
    ) -> None:
        known = snapshot.files
        self.generation = snapshot.generation
        self.files = OpenedFiles(stored, texts, known=known, most_bytes=most_bytes)
        paths = {entry.number: path for path, entry in known.items() if entry.number}
        self.references = ReferenceFinder(stored, self.files, aliases, paths)
        self.renamer = Renamer(stored, self.files, aliases, self.references, paths)

    @property
    def is_whole(self) -> bool:
        """Whether it has parsed everything it needed, and takes little memory."""
        return not self.files.is_exhausted and self.files.parsed_bytes <= _MOST_PARSED_BYTES

    def stale(self, snapshot: Snapshot) -> list[str]:
        """The files of the last lookup that differed from the index when they were read."""
        known = snapshot.files
        return [
            path
            for path, file in self.files.used.items()
            if path not in known or file.hash != known[path].hash
        ]


class ReferenceCache:
    """Lends out the cached state; thread-safe.

    Args:
        stored: The index.
        texts: Reads the files.
        most_bytes: The amount of source parsed at most for one lookup.
    """

    def __init__(self, stored: StoredIndex, texts: TextCache, *, most_bytes: int) -> None:
        self._stored = stored
        self._texts = texts
        self._most_bytes = most_bytes
        self._lock = Lock()
        self._asked: LookupState | None = None
        self._aliases: tuple[bytes, AliasResolver] = (b"", AliasResolver(stored))

    @contextmanager
    def at(self, snapshot: Snapshot) -> Iterator[LookupState]:
        """Provide the cached state for one state of the index, exclusively."""
        if not self._lock.acquire(blocking=False):  # another thread has it
            aliases = AliasResolver(self._stored)
            yield LookupState(self._stored, self._texts, snapshot, aliases, self._most_bytes)
            return
        try:
            asked, self._asked = self._asked, None
            if asked is None or not asked.generation or asked.generation != snapshot.generation:
                asked = self._made(snapshot)
            yield asked
            if asked.files.size_bytes <= _MOST_BYTES and asked.is_whole:
                self._asked = asked
        finally:
            self._lock.release()

    def _made(self, snapshot: Snapshot) -> LookupState:
        if not snapshot.generation or self._aliases[0] != snapshot.generation:
            self._aliases = snapshot.generation, AliasResolver(self._stored)
        return LookupState(self._stored, self._texts, snapshot, self._aliases[1], self._most_bytes)
