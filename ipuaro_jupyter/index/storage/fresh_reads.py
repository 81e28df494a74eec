"""Reads of the index that agree with the disk.

For a path that is asked for by name, the file is compared with the disk first; one that is not
indexed, or cannot be indexed now, is parsed for this read alone. For any other read, the files in
the result are compared, and when one has changed, the read is repeated.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.parsed_file import ParsedFile
from ipuaro_jupyter.index.resolve.project_paths import is_inside
from ipuaro_jupyter.index.storage.stored_index import Links, Meta, Module, StoredIndex, decode
from ipuaro_jupyter.index.storage.sync import IndexSync
from ipuaro_jupyter.index.storage.write_lock import IndexBusyError
from ipuaro_jupyter.workspace.files import disk
from ipuaro_jupyter.workspace.files.text_file import sniff

_TRIES = 3
T = TypeVar("T")


class FreshReads:
    """Reads the index of a project, checked against the disk.

    Args:
        root: The project's folder.
        stored: The index.
        sync: Brings it up to date.
    """

    def __init__(self, root: Path, stored: StoredIndex, sync: IndexSync) -> None:
        self._root = root
        self._stored = stored
        self._sync = sync

    def indexed(self, prefix: str) -> list[str]:
        """The indexed files, sorted, that are ``prefix`` or below it."""
        files = self._sync.snapshot.files
        return [path for path, e in sorted(files.items()) if e.number and is_inside(path, prefix)]

    def checked(self, make: Callable[[], T], paths_of: Callable[[T], Collection[str]]) -> T:
        """A result in which no file has changed since it was indexed.

        Args:
            make: Makes the result.
            paths_of: Returns the files that a result is about.
        """
        for _ in range(_TRIES):
            generation = self._sync.snapshot.generation
            answer = make()
            self._stored.must_be_whole()
            stale = self._sync.stale(set(paths_of(answer)))
            if not stale or not self.take_up(stale):
                break
            if self._sync.snapshot.generation == generation:  # only their times were new
                break
        else:
            self._sync.doubt_reads(stale)
        return answer

    def take_up(self, paths: Collection[str]) -> bool:
        """Update the index for some files; return False when another writer holds it too long."""
        try:
            self._sync.take_up(paths)
        except IndexBusyError:
            self._sync.doubt()
            return False
        return True

    def touch(self, paths: Iterable[str], *, written: Mapping[str, bytes] | None) -> None:
        """Update the index for some files, unless another writer holds it; see `IndexSync`."""
        with suppress(IndexBusyError):  # the next question finds them
            self._sync.take_up(paths, written=written)

    def knows(self, path: str) -> bool:
        """Update the index for one file; return whether the indexed file now equals the disk."""
        if path not in self._sync.snapshot.files:
            self._sync.catch_up()
        elif self._sync.stale([path]) and not self.take_up([path]):
            return False
        entry = self._sync.snapshot.files.get(path)
        return entry is not None and bool(entry.number)

    def _parsed(self, path: str) -> ParsedFile | None:
        """The entry of a file that is not indexed; None when it is not a text file."""
        try:
            content = disk.read(self._root, path)
        except ToolError:
            return None
        if content is None or sniff(content.data, path) is not None:
            return None
        return self._sync.reader.parsed(path, content.data)

    def links(self, path: str) -> Links:
        """The targets of a file's imports, as the file is on disk now."""
        if self.knows(path):
            links = self._stored.links([path]).get(path, [])
            self._stored.must_be_whole()
            return links
        parsed = self._parsed(path)
        if parsed is None:
            return []
        return self._sync.linker.links(path, decode(Module, parsed.module))

    def metas(self, prefix: str) -> dict[str, Meta]:
        """The metadata of the files that are ``prefix`` or below it, as they are on disk now."""
        is_fresh = self._sync.catch_up()
        if prefix and self.indexed(prefix) in ([], [prefix]) and not self.knows(prefix):
            parsed = self._parsed(prefix)
            return {} if parsed is None else {prefix: decode(Meta, parsed.meta)}
        if is_fresh:
            metas = self._stored.metas(self.indexed(prefix))
            self._stored.must_be_whole()
            return metas
        return self.checked(
            lambda: self._stored.metas(self.indexed(prefix)), lambda found: found.keys()
        )

    def blob(self, path: str) -> bytes | None:
        """The facts of a file as it is on disk now; None when it is not a text file."""
        if self.knows(path):
            blob = self._stored.blob(path)
            if blob is None:
                self._stored.must_be_whole()
            return blob
        parsed = self._parsed(path)
        return None if parsed is None else parsed.facts
