"""Write the index: the whole of it, or what a change of files makes of it; atomically."""

import time
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.index.storage.building import Build
from ipuaro_jupyter.index.storage.file_ids import file_ids_for
from ipuaro_jupyter.index.storage.index_change import IndexChange, change_of
from ipuaro_jupyter.index.storage.index_format import index_format
from ipuaro_jupyter.index.storage.indexing_progress import Meter
from ipuaro_jupyter.index.storage.known_facts import KnownFacts
from ipuaro_jupyter.index.storage.linking import Linker, is_config
from ipuaro_jupyter.index.storage.project_reader import ProjectReader
from ipuaro_jupyter.index.storage.seals import IndexDamagedError
from ipuaro_jupyter.index.storage.snapshots import Snapshot, snapshot_of
from ipuaro_jupyter.index.storage.stored_index import StoredIndex, encode
from ipuaro_jupyter.index.storage.updating import Update
from ipuaro_jupyter.index.storage.write_lock import WriteLock
from ipuaro_jupyter.store.lease import Lease
from ipuaro_jupyter.workspace.files.listing import FileStat, Listing

MANY_FILES = 1000
"""Above this number of changes, a comparison of all files or a new index may cost less."""


class KnownLinker:
    """The latest resolver of imports.

    Args:
        root: The project's folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: tuple[bytes, Linker] | None = None

    def of(self, snapshot: Snapshot) -> Linker:
        """The linker for the files of a state."""
        known = self._known
        if known is None or known[0] != snapshot.generation:
            self._known = known = snapshot.generation, self._linker_for(snapshot)
        return known[1]

    def keep(self, generation: bytes, linker: Linker) -> None:
        """Take a linker for the state with this generation."""
        self._known = generation, linker

    def after(self, change: IndexChange, before: Snapshot, after: Snapshot) -> Linker:
        """A linker for the files after a change: the present one where it is still right."""
        known = self._known
        if known is not None and known[0] == before.generation:
            configs = known[1].resolver.config_paths
            changed = (*change.noted, *change.gone)
            is_same = before.symlinks == after.symlinks
            if is_same and not any(is_config(path, configs) for path in changed):
                is_right = not change.moves_paths and not known[1].resolver.has_read(changed)
                return known[1] if is_right else known[1].with_files(after.files)
        return self._linker_for(after)

    def _linker_for(self, snapshot: Snapshot) -> Linker:
        return Linker(self._root, snapshot.files, snapshot.symlinks)


class IndexWrite(NamedTuple):
    """The state of the index after a write, and what that took.

    Attributes:
        snapshot: The state.
        parsed: The number of files parsed.
        known: The number of new files that were not parsed, since their content was known.
    """

    snapshot: Snapshot
    parsed: int = 0
    known: int = 0


class IndexWriter:
    """Writes the index of a project. Thread-safe.

    Args:
        root: The project's folder.
        stored: Its index.
        reader: Reads and parses the files.
        known_facts: Keeps what the index loses.
    """

    def __init__(
        self, root: Path, stored: StoredIndex, reader: ProjectReader, known_facts: KnownFacts
    ) -> None:
        self._latest = Snapshot()
        self._root = root
        self._stored = stored
        self._reader = reader
        self._known_facts = known_facts
        self._turns = WriteLock(stored.store, stored.keys.lock)
        self._linkers = KnownLinker(root)
        self._is_damaged = False

    @property
    def snapshot(self) -> Snapshot:
        """The present state of the index, including changes by other processes."""
        self._latest = snapshot = snapshot_of(self._stored, self._latest)
        return snapshot

    @property
    def linker(self) -> Linker:
        """The resolver of imports among the files of the index."""
        return self._linkers.of(self.snapshot)

    @property
    def is_usable(self) -> bool:
        """Whether there is a whole index made by this version of the package."""
        try:
            is_whole = self._stored.is_whole()
            return is_whole and self._stored.info("format") == [index_format().encode()]
        except IndexDamagedError:
            return False

    def turn(self, meter: Meter, *, wait_s: float | None) -> AbstractContextManager[Lease]:
        """Hold the right to write the index; see `WriteLock.taken`."""
        return self._turns.taken(meter, wait_s=wait_s)

    def parse_all(self) -> None:
        """Have the next whole index made from the files alone: what was stored is damaged."""
        self._is_damaged = True

    def discard(self) -> None:
        """Remove the index."""
        self._latest = Snapshot()
        self._stored.discard()

    def write(self, lease: Lease, meter: Meter, listing: Listing, *, full: bool) -> IndexWrite:
        """Bring the index up to date with a listing of all files.

        Args:
            lease: The right to write the index.
            meter: Counts the steps and cancels, which leaves the index as it was.
            listing: All files of the project.
            full: Parse every file again, changed or not.
        """
        snapshot = self.snapshot
        changed = snapshot.changed(listing)
        most = len(changed) > max(MANY_FILES, len(snapshot.files) // 2)
        if full or most or not self.is_usable:
            if not full:
                self._known_facts.keep(snapshot, snapshot.files)
            return self._build(lease, meter, listing, anew=full or self._is_damaged)
        gone = snapshot.files.keys() - listing.files.keys()
        return self.update(lease, meter, changed, gone, listing)

    def update(
        self,
        lease: Lease,
        meter: Meter,
        stats: Mapping[str, FileStat],
        gone: Collection[str],
        listing: Listing | None = None,
        *,
        written: Mapping[str, bytes] | None = None,
    ) -> IndexWrite:
        """Read some files again and write the resulting changes.

        Args:
            lease: The right to write the index.
            meter: Counts the steps and cancels, which leaves the index as it was.
            stats: The files to read, with their states on disk.
            gone: Paths that are no longer files of the project.
            listing: All files; None when neither links nor skipped files have changed.
            written: Content just written to some of the files, which are then not read.
        """
        before = self.snapshot
        links = before.symlinks if listing is None else listing.links
        skipped = before.skipped if listing is None else listing.skipped
        numbers = file_ids_for(stats, before.files)
        self._known_facts.keep(before, gone)  # for files that were moved
        read = self._reader.read(stats, before.files, numbers, meter, written=written)
        change = change_of(before.files, read, numbers, gone)
        self._known_facts.keep(before, change.indexed_before)
        relink = links != before.symlinks
        if not change and not relink and skipped == before.skipped:
            return IndexWrite(before)
        only_mtimes = change.only_mtimes and not relink and skipped == before.skipped
        generation = before.generation if only_mtimes else _new_generation()
        after = Snapshot(generation, change.entries, links, skipped)
        meter.begin("linking")
        linker = self._linkers.after(change, before, after)
        update = Update(self._stored, change, linker)
        rows = update.make(relink=relink)
        shape = before.shape if update.keeps_shape else generation
        graph = before.graph if update.keeps_graph else generation
        after = replace(after, shape=shape, graph=graph)
        rows.put_info("generation", generation)
        rows.put_info("shape", shape)
        rows.put_info("graph", graph)
        rows.put_info("symlinks", encode(links))
        rows.put_info("skipped", encode(skipped))
        meter.begin("storing")
        with lease.batch() as batch, batch.renewing_counts(*self._stored.counted):
            rows.send(batch)
        self._latest = after
        self._linkers.keep(generation, linker)
        return IndexWrite(after, len(change.parsed) - len(change.known), len(change.known))

    def _build(self, lease: Lease, meter: Meter, listing: Listing, *, anew: bool) -> IndexWrite:
        build = Build(self._stored, self._root, listing, lease=lease)
        generation = _new_generation()
        info = dict.fromkeys(("generation", "shape", "graph"), generation)
        info["format"] = index_format().encode()
        build.run(self._reader, info, meter, anew=anew)
        links, skipped = listing.links, listing.skipped
        built = Snapshot(generation, build.entries, links, skipped, generation, generation)
        self._latest = built
        return IndexWrite(built, build.parsed, build.known)


def _new_generation() -> bytes:
    return str(time.time_ns()).encode()
