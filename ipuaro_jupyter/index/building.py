"""Make the whole index anew, beside the one that is in use, and put it in its place."""

import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.index.linking import Linker
from ipuaro_jupyter.index.reading import Progress, Reader, ReadFile
from ipuaro_jupyter.index.rows import Rows
from ipuaro_jupyter.index.stored import (
    FileEntry,
    Stored,
    SymbolTuple,
    encode,
    file_number,
)
from ipuaro_jupyter.workspace.listing import Listing

_FLUSH_BYTES = 4_000_000
_FLUSH_FILES = 500


class Build:
    """One run of making the index.

    Args:
        stored: Where it goes.
        root: The project's folder.
        listing: The files.
        renew: Called now and then, so that nobody else begins; it raises when somebody has.
    """

    def __init__(
        self, stored: Stored, root: Path, listing: Listing, *, renew: Callable[[], None]
    ) -> None:
        self._stored = stored
        self._root = root
        self._listing = listing
        self._renew = renew
        self._token = secrets.token_hex(4)
        self._rows = Rows(stored)
        self._waiting = 0
        self._numbers = _numbers(listing.files)
        self._tokens: defaultdict[str, list[int]] = defaultdict(list)
        self._symbols: defaultdict[str, list[SymbolTuple]] = defaultdict(list)
        self.entries: dict[str, FileEntry] = {}
        self.parsed = 0

    def run(
        self,
        reader: Reader,
        info: Mapping[str, bytes],
        *,
        progress: Progress | None,
        cancel: CancelToken | None,
    ) -> None:
        """Read, parse and link everything; the index changes at the very end, at once.

        Args:
            reader: Reads the files.
            info: Fields of ``index_info`` to set.
            progress: Called with (files done, files to do).
            cancel: Breaks it off; the index is as it was then.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        began = time.monotonic()
        keys = self._stored.keys
        left = self._stored.store.scan(f"{keys.prefix}*:new:*")  # of builds that were killed
        self._stored.store.delete(*(key.decode() for key in left))
        try:
            for file in reader.read(self._listing.files, {}, progress=progress, cancel=cancel):
                self._add(file)
            self._flush()
            self._link(cancel or CancelToken())
            self._put_names()
            for name, value in info.items():
                self._rows.put_info(name, value)
            self._rows.put_info("seconds", encode(time.monotonic() - began))
            self._flush()
        except BaseException:
            self._clear()
            raise
        with self._stored.store.batch(atomic=True) as batch:
            rename = batch.rename
            for key in self._stored.key_names:
                rename(self._staging(key), key)

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
                size, mtime_ns, file.hash, parsed.language, number, count
            )
            self._rows.put_file(file.path, number, parsed)
            for token in parsed.tokens:
                self._tokens[token].append(number)
            for line, kind, qualified, names in parsed.symbols:
                entry = (number, line, kind, qualified)
                for name in names:
                    self._symbols[name].append(entry)
        self._rows.put_entry(file.path, self.entries[file.path])
        self._waiting += 1
        if self._waiting >= _FLUSH_FILES or self._rows.size_bytes >= _FLUSH_BYTES:
            self._flush()

    def _link(self, cancel: CancelToken) -> None:
        linker = Linker(self._root, self.entries, self._listing.symlinks)
        importers: defaultdict[str, set[str]] = defaultdict(set)
        for modules in self._stored.each_module(self._staging(self._stored.modules_key)):
            cancel.check()
            for path, module in modules.items():
                links = linker.links(path, module)
                self._rows.put_links(path, links)
                for target in linker.edges(path, links):
                    importers[target].add(path)
            self._flush()
        for target, paths in importers.items():
            self._rows.put_dependents(target, paths)
        self._rows.put_info("edges", encode(sum(map(len, importers.values()))))
        self._rows.put_info("configs", encode(sorted(linker.resolver.config_paths)))
        self._rows.put_info("symlinks", encode(dict(self._listing.symlinks)))
        self._flush()

    def _put_names(self) -> None:
        for token, numbers in self._tokens.items():
            self._rows.put_token(token, set(numbers))
        for name, entries in self._symbols.items():
            self._rows.put_symbol(name, entries)
        symbols = sum(entry.symbols for entry in self.entries.values())
        self._rows.put_info("symbols", encode(symbols))

    def _flush(self) -> None:
        self._renew()
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
