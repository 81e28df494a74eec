"""Build the whole index beside the one in use, then put it in its place."""

import secrets
import time
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar
from zlib import compress, decompress

import msgspec

from ipuaro_jupyter.index.storage.file_ids import file_ids_for
from ipuaro_jupyter.index.storage.index_change import entry_of
from ipuaro_jupyter.index.storage.indexing_progress import Meter
from ipuaro_jupyter.index.storage.linking import Linker
from ipuaro_jupyter.index.storage.project_reader import ProjectReader, ReadFile, ReadFiles
from ipuaro_jupyter.index.storage.seals import IndexDamagedError
from ipuaro_jupyter.index.storage.stored_index import FileEntry, Module, StoredIndex, decode, encode
from ipuaro_jupyter.index.storage.write_batch import WriteBatch
from ipuaro_jupyter.store.batch import MARK
from ipuaro_jupyter.store.keys import SHARED
from ipuaro_jupyter.store.lease import Lease
from ipuaro_jupyter.workspace.files.listing import Listing

_FLUSH_BYTES = 4_000_000
_FLUSH_FILES = 500
_FLUSH_NAMES = 10_000
_PARTS = 8
_FASTEST = 1
_MOST_LOOSE_BYTES = 48_000_000
_NAME_BYTES = 100
"""What a name and its value take beside their own content."""
Name = TypeVar("Name", str, bytes)


class NameRows(Generic[Name]):
    """Values by name, to which files append theirs.

    Those of very many files would take more memory than all else. So what has come is compressed
    whenever it is large, by parts of the names, and put together again part by part.

    Args:
        kind: The type of the names.
        most_loose_bytes: How much memory what is kept as it is takes, about.
    """

    def __init__(self, kind: type[Name], *, most_loose_bytes: int = _MOST_LOOSE_BYTES) -> None:
        self._decode = msgspec.msgpack.Decoder(dict[kind, bytes]).decode  # type: ignore[valid-type]
        self._most_loose_bytes = most_loose_bytes
        self._loose: dict[Name, bytes | bytearray] = {}
        self._loose_bytes = 0
        self._packed: list[list[bytes]] = [[] for _ in range(_PARTS)]
        self._noted = [0] * _PARTS

    def __len__(self) -> int:
        """The number of names; one that was compressed several times counts as often."""
        return len(self._loose) + sum(self._noted)

    def extend(self, more: Mapping[Name, bytes]) -> None:
        """Append to the values of names."""
        known = len(self._loose)
        self._loose_bytes += _extend(self._loose, more)
        self._loose_bytes += _NAME_BYTES * (len(self._loose) - known)
        if self._loose_bytes >= self._most_loose_bytes:
            self._pack()

    def portions(self, most: int) -> Iterator[tuple[Mapping[Name, bytes], int]]:
        """Yield and forget all, ``most`` names at a time, with how many of `__len__` these are.

        Each name comes once, its value in the order in which it was appended.
        """
        for part, noted in self._parts():
            items = iter(part.items())
            while some := {name: bytes(value) for name, value in islice(items, most)}:
                yield some, len(some) * noted // len(part)

    def _parts(self) -> Iterator[tuple[Mapping[Name, bytes | bytearray], int]]:
        if not any(self._packed):
            loose, self._loose = self._loose, {}
            yield loose, len(loose)
            return
        self._pack()
        for place, pieces in enumerate(self._packed):
            part: dict[Name, bytes | bytearray] = {}
            for piece in pieces:
                _extend(part, self._decode(decompress(piece)))
            noted, self._noted[place] = self._noted[place], 0
            pieces.clear()
            yield part, noted

    def _pack(self) -> None:
        parts: list[dict[Name, bytes | bytearray]] = [{} for _ in range(_PARTS)]
        for name, value in self._loose.items():
            parts[hash(name) % _PARTS][name] = value
        self._loose.clear()
        self._loose_bytes = 0
        for place, part in enumerate(parts):
            self._packed[place].append(compress(msgspec.msgpack.encode(part), _FASTEST))
            self._noted[place] += len(part)


class Build:
    """One full build of the index.

    Args:
        stored: The index to replace.
        root: The project's folder.
        listing: The files.
        lease: The right to write the index.
    """

    def __init__(self, stored: StoredIndex, root: Path, listing: Listing, *, lease: Lease) -> None:
        self._stored = stored
        self._root = root
        self._listing = listing
        self._lease = lease
        self._token = secrets.token_hex(4)
        self._rows = WriteBatch(stored, len(listing.files))
        self._waiting = 0
        self._numbers = file_ids_for(listing.files, {})
        self._tokens = NameRows(bytes)
        self._symbols = NameRows(str)
        self._words = NameRows(str)
        self._linker = Linker(root, listing.files, listing.links)
        self._importers: defaultdict[str, list[str]] = defaultdict(list)
        self._looking: defaultdict[int, array[int]] = defaultdict(partial(array, "I"))
        self._has_lost = False
        self.entries: dict[str, FileEntry] = {}
        self.parsed = self.known = 0

    def run(
        self, reader: ProjectReader, info: Mapping[str, bytes], meter: Meter, *, anew: bool
    ) -> None:
        """Read, parse and link everything; the index is replaced at the very end, atomically.

        Args:
            reader: Reads the files.
            info: Fields of ``index_info`` to set.
            meter: Counts the steps and cancels the build, which leaves the index as it was.
            anew: Parse all, whatever is known of their content.

        Raises:
            Cancelled: Stop was asked for.
            LeaseLostError: Another process has begun to write; the index is as it was.
            IndexDamagedError: The server has dropped a part, for it evicts keys; there is no index.
        """
        began = time.monotonic()
        keys = self._stored.keys
        left = self._stored.store.scan(f"{keys.prefix}*:new:*")  # left by builds that were killed
        self._stored.store.delete(keys.answers, *(key.decode() for key in left))
        self._stored.store.delete(*SHARED)
        try:
            self._mark()
            for some in reader.read(self._listing.files, {}, self._numbers, meter, anew=anew):
                self._add(some)
            self._flush()
            self._link(meter)
            self._put_names(meter)
            for name, value in info.items():
                self._rows.put_info(name, value)
            self._rows.put_info("parsed", encode(self.parsed))
            self._rows.put_info("known", encode(self.known))
            self._rows.put_info("seconds", encode(time.monotonic() - began))
            self._flush()
            self._put_in_place()
        except BaseException:
            self._clear()
            raise

    def _put_in_place(self) -> None:
        staged = {key: self._staging(key) for key in self._stored.key_names}
        with self._lease.batch() as batch:
            batch.replace_hashes(staged, *self._stored.counted)
        if not self._stored.store.exists(self._stored.keys.index_info):
            raise IndexDamagedError

    def _mark(self) -> None:
        with self._stored.store.batch(atomic=False) as batch:
            for key in self._stored.key_names:
                batch.hset(self._staging(key), {MARK: b""})

    def _add(self, read: ReadFiles) -> None:
        self._tokens.extend(read.tokens)
        self._symbols.extend(read.symbols)
        self._words.extend(read.words)
        for file in read.files:
            self._add_file(file)

    def _add_file(self, file: ReadFile) -> None:
        if file.stat is None:
            self._has_lost = True
            return
        number = self._numbers[file.path]
        entry = entry_of(file, file.stat, number)
        if file.parsed is not None:
            self.parsed += not file.is_known
            self.known += file.is_known
            self._rows.put_file(file.path, number, file.parsed)
            self._put_links(file.path, decode(Module, file.parsed.module))
        self.entries[file.path] = entry
        self._rows.put_entry(file.path, entry)
        self._waiting += 1
        if self._waiting >= _FLUSH_FILES or self._rows.size_bytes >= _FLUSH_BYTES:
            self._flush()

    def _put_links(self, path: str, module: Module) -> None:
        links, locations = self._linker.linked(path, module)
        self._rows.put_links(path, links)
        self._rows.put_lookups(path, locations)
        number = self._numbers[path]
        for location in locations:
            self._looking[location].append(number)
        for target in self._linker.edges(path, links):
            self._importers[target].append(path)

    def _link(self, meter: Meter) -> None:
        meter.begin("linking", self.parsed + self.known)
        if self._has_lost:
            self._link_again(meter)
        for target, paths in self._importers.items():
            self._rows.put_dependents(target, paths)
        for location, numbers in self._looking.items():
            self._rows.put_lookup_files(location, numbers)
        meter.step(self.parsed + self.known)
        self._rows.put_info("edges", encode(sum(map(len, self._importers.values()))))
        self._rows.put_info("configs", encode(sorted(self._linker.resolver.config_paths)))
        self._rows.put_info("symlinks", encode(self._listing.links))
        self._rows.put_info("skipped", encode(self._listing.skipped))
        self._flush()

    def _link_again(self, meter: Meter) -> None:
        """Resolve all imports again, without the files that vanished since they were listed."""
        self._linker = Linker(self._root, self.entries, self._listing.links)
        self._importers.clear()
        self._looking.clear()
        for modules in self._stored.each_module(self._staging(self._stored.modules_key)):
            for path, module in modules.items():
                self._put_links(path, module)
                meter.check()
            self._flush()

    def _put_names(self, meter: Meter) -> None:
        meter.begin("storing", len(self._tokens) + len(self._symbols) + len(self._words))
        for some, count in self._tokens.portions(_FLUSH_NAMES):
            self._rows.put_all(self._stored.keys.tokens, some)
            self._flush()
            meter.step(count)
        of_strings = (
            (self._stored.keys.symbols, self._symbols),
            (self._stored.words_key, self._words),
        )
        for key, rows in of_strings:
            for names, count in rows.portions(_FLUSH_NAMES):
                self._rows.put_all(key, names)
                self._flush()
                meter.step(count)
        symbols = sum(entry.symbols for entry in self.entries.values())
        self._rows.put_info("symbols", encode(symbols))

    def _flush(self) -> None:
        self._lease.check()
        with self._stored.store.batch(atomic=False) as batch:
            self._rows.send(batch, self._staging)
        self._rows = WriteBatch(self._stored, len(self._listing.files))
        self._waiting = 0

    def _staging(self, key: str) -> str:
        """The key where a new value of ``key`` is staged; each build has its own."""
        return f"{self._stored.keys.staging(key)}:{self._token}"

    def _clear(self) -> None:
        self._stored.store.delete(*map(self._staging, self._stored.key_names))


def _extend(rows: dict[Name, bytes | bytearray], more: Mapping[Name, bytes]) -> int:
    """Append to rows; return the size of values and new names.

    Most names occur once and keep the value as it came.
    """
    size = sum(map(len, more.values()))
    for name, value in more.items():
        known = rows.get(name)
        if known is None:
            rows[name] = value
            size += len(name)
        elif isinstance(known, bytearray):
            known += value
        else:
            rows[name] = bytearray(known + value)
    return size
