"""Make the whole index anew, beside the one that is in use, and put it in its place."""

import secrets
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from ipuaro_jupyter.index.linking import Linker
from ipuaro_jupyter.index.progress import Meter
from ipuaro_jupyter.index.reading import Reader, ReadFile
from ipuaro_jupyter.index.rows import Rows
from ipuaro_jupyter.index.stored import (
    FileEntry,
    Stored,
    SymbolTuple,
    encode,
    file_number,
)
from ipuaro_jupyter.store.lease import Lease
from ipuaro_jupyter.workspace.listing import Listing

_FLUSH_BYTES = 4_000_000
_FLUSH_FILES = 500
_FLUSH_NAMES = 10_000


class Build:
    """One run of making the index.

    Args:
        stored: Where it goes.
        root: The project's folder.
        listing: The files.
        lease: The right to write the index.
    """

    def __init__(self, stored: Stored, root: Path, listing: Listing, *, lease: Lease) -> None:
        self._stored = stored
        self._root = root
        self._listing = listing
        self._lease = lease
        self._token = secrets.token_hex(4)
        self._rows = Rows(stored)
        self._waiting = 0
        self._numbers = _numbers(listing.files)
        self._tokens: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        self._symbols: defaultdict[str, list[SymbolTuple]] = defaultdict(list)
        self.entries: dict[str, FileEntry] = {}
        self.parsed = 0

    def run(self, reader: Reader, info: Mapping[str, bytes], meter: Meter) -> None:
        """Read, parse and link everything; the index changes at the very end, at once.

        Args:
            reader: Reads the files.
            info: Fields of ``index_info`` to set.
            meter: Counts what is done, and breaks it off; the index is as it was then.

        Raises:
            Cancelled: Stop was asked for.
            LeaseLostError: Another process has begun; the index is as it was.
        """
        began = time.monotonic()
        keys = self._stored.keys
        left = self._stored.store.scan(f"{keys.prefix}*:new:*")  # of builds that were killed
        self._stored.store.delete(*(key.decode() for key in left))
        try:
            for file in reader.read(self._listing.files, {}, meter):
                self._add(file)
            self._flush()
            self._link(meter)
            self._put_names(meter)
            for name, value in info.items():
                self._rows.put_info(name, value)
            self._rows.put_info("parsed", encode(self.parsed))
            self._rows.put_info("seconds", encode(time.monotonic() - began))
            self._flush()
            with self._lease.batch() as batch:
                rename = batch.rename
                for key in self._stored.key_names:
                    rename(self._staging(key), key)
        except BaseException:
            self._clear()
            raise

    def _add(self, file: ReadFile) -> None:
        if file.stat is None:
            return
        size, mtime_ns = file.stat
        if file.parsed is None:
            self.entries[file.path] = FileEntry(size, mtime_ns, file.hash, "", 0, 0, file.reason)
        else:
            parsed, number = file.parsed, self._numbers[file.path]
            self.parsed += 1
            count = len(parsed.symbols)
            self.entries[file.path] = FileEntry(
                size, mtime_ns, file.hash, parsed.language, number, count, parsed.problem
            )
            self._rows.put_file(file.path, number, parsed)
            for token, count in parsed.token_counts:
                self._tokens[token].append((number, count))
            for line, kind, qualified, names in parsed.symbols:
                entry = (number, line, kind, qualified)
                for name in names:
                    self._symbols[name].append(entry)
        self._rows.put_entry(file.path, self.entries[file.path])
        self._waiting += 1
        if self._waiting >= _FLUSH_FILES or self._rows.size_bytes >= _FLUSH_BYTES:
            self._flush()

    def _link(self, meter: Meter) -> None:
        meter.begin("linking", self.parsed)
        linker = Linker(self._root, self.entries, self._listing.symlinks)
        importers: defaultdict[str, set[str]] = defaultdict(set)
        for modules in self._stored.each_module(self._staging(self._stored.modules_key)):
            for path, module in modules.items():
                links = linker.links(path, module)
                self._rows.put_links(path, links)
                for target in linker.edges(path, links):
                    importers[target].add(path)
                meter.step()
            self._flush()
        for target, paths in importers.items():
            self._rows.put_dependents(target, paths)
        self._rows.put_info("edges", encode(sum(map(len, importers.values()))))
        self._rows.put_info("configs", encode(sorted(linker.resolver.config_paths)))
        self._rows.put_info("symlinks", encode(self._listing.symlinks))
        self._rows.put_info("skipped", encode(self._listing.skipped))
        self._flush()

    def _put_names(self, meter: Meter) -> None:
        meter.begin("storing", len(self._tokens) + len(self._symbols))
        for token, numbers in self._tokens.items():
            self._rows.put_token(token, numbers)
            self._note_stored(meter)
        for name, entries in self._symbols.items():
            self._rows.put_symbol(name, entries)
            self._note_stored(meter)
        symbols = sum(entry.symbols for entry in self.entries.values())
        self._rows.put_info("symbols", encode(symbols))

    def _note_stored(self, meter: Meter) -> None:
        self._waiting += 1
        if self._waiting >= _FLUSH_NAMES:
            count = self._waiting
            self._flush()
            meter.step(count)

    def _flush(self) -> None:
        self._lease.check()
        with self._stored.store.batch(atomic=False) as batch:
            self._rows.send(batch, self._staging)
        self._rows = Rows(self._stored)
        self._waiting = 0

    def _staging(self, key: str) -> str:
        """Return where a new value of ``key`` is put together; no other build does it there."""
        return f"{self._stored.keys.staging(key)}:{self._token}"

    def _clear(self) -> None:
        self._stored.store.delete(*map(self._staging, self._stored.key_names))


def _numbers(paths: Mapping[str, object]) -> dict[str, int]:
    """Return a number for each path, the same for the same paths, no number twice."""
    taken: set[int] = set()
    found: dict[str, int] = {}
    for path in sorted(paths):
        found[path] = free_number(path, taken)
        taken.add(found[path])
    return found


def free_number(path: str, taken: set[int]) -> int:
    """Return the number for a path, or the next that is not taken."""
    number = file_number(path)
    while number in taken:
        number = number % 0xFFFFFFFF + 1
    return number
