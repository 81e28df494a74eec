"""All files in one state of the index, for comparison with the disk."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from ipuaro_jupyter.index.resolve.project_paths import is_installed
from ipuaro_jupyter.index.storage.stored_index import FileEntry, StoredIndex
from ipuaro_jupyter.workspace.files.listing import FileStat, Listing


@dataclass(frozen=True)
class Snapshot:
    """All files in one state of the index.

    Attributes:
        generation: Identifies the state; empty when there is no index.
        files: The entry of each file.
        symlinks: All links with their targets, see `Listing`.
        skipped: Files and folders that the listing leaves out, with the reason.
        shape: Identifies all that names mean outside of the files that have them: which files
            there are, where their imports lead, what they export, and what they declare, but not
            in which line. Most edits inside of a function leave it as it is.
        graph: Identifies which files there are, and which of them import which.
    """

    generation: bytes = b""
    files: Mapping[str, FileEntry] = field(default_factory=dict)
    symlinks: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    shape: bytes = b""
    graph: bytes = b""

    @cached_property
    def paths(self) -> Mapping[int, str]:
        """The paths of the files whose code is known, by id."""
        return {entry.number: path for path, entry in self.files.items() if entry.number}

    @cached_property
    def listing(self) -> Listing:
        """The files, with their states on disk when they were read."""
        states = {
            path: FileStat(entry.size, entry.mtime_ns, entry.changed_ns)
            for path, entry in sorted(self.files.items())
        }
        symlinks, packages = self.parted_links
        return Listing(states, dict(self.skipped), symlinks, packages=packages)

    @cached_property
    def parted_links(self) -> tuple[dict[str, str], dict[str, str]]:
        """The links outside of ``node_modules``, and those in it."""
        parts: tuple[dict[str, str], dict[str, str]] = ({}, {})
        for link, target in self.symlinks.items():
            parts[is_installed(link)][link] = target
        return parts

    def is_current(self, listing: Listing) -> bool:
        """Whether the index equals the disk."""
        return (
            listing.links == self.symlinks
            and listing.skipped == self.skipped
            and listing.files.keys() == self.files.keys()
            and not self.changed(listing)
        )

    def differing(self, used: Mapping[str, str]) -> list[str]:
        """The files that were read in another state; one may be absent in both.

        Args:
            used: The hashes of files as they were read, "" of one that could not be.
        """
        files = self.files
        return [
            path
            for path, hash_ in used.items()
            if hash_ != (files[path].hash if path in files else "")
        ]

    def changed(self, listing: Listing) -> dict[str, FileStat]:
        """The files that are new, or differ from the index."""
        files = self.files
        return {
            path: status
            for path, status in listing.files.items()
            if not is_same(files.get(path), status)
        }


def is_same(entry: FileEntry | None, status: FileStat | None) -> bool:
    """Whether a file on disk equals its entry; also true when both are absent."""
    if entry is None or status is None:
        return entry is None and status is None
    return (
        entry.changed_ns == status.changed_ns
        and entry.mtime_ns == status.mtime_ns
        and entry.size == status.size
    )


def differing(one: Mapping[str, FileEntry], other: Mapping[str, FileEntry]) -> set[str]:
    """The paths whose entries are not the same in both."""
    return {path for path, _ in one.items() ^ other.items()}


def snapshot_of(stored: StoredIndex, known: Snapshot) -> Snapshot:
    """The present state of the index: ``known`` unless it has changed since."""
    generation, symlinks, skipped, shape, graph = stored.info(
        "generation", "symlinks", "skipped", "shape", "graph"
    )
    if generation is None:
        return Snapshot()
    if generation == known.generation:
        return known
    links, left_out = _named(symlinks), _named(skipped)
    return Snapshot(generation, stored.files(), links, left_out, shape or b"", graph or b"")


def _named(value: bytes | None) -> dict[str, str]:
    return {} if value is None else msgspec.msgpack.decode(value, type=dict[str, str])
