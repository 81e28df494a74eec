"""Work out which rows of the index change when some files do."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parsed_file import ParsedFile
from ipuaro_jupyter.index.extract.postings import counts
from ipuaro_jupyter.index.extract.symbols import symbols_of
from ipuaro_jupyter.index.storage.linking import Linker, concerned_names, is_config
from ipuaro_jupyter.index.storage.project_reader import ReadFile, ReadFiles
from ipuaro_jupyter.index.storage.stored_index import (
    FileEntry,
    Links,
    Module,
    StoredIndex,
    SymbolEntry,
    decode,
    decode_symbols,
    encode,
    unpack,
)
from ipuaro_jupyter.index.storage.write_batch import WriteBatch
from ipuaro_jupyter.workspace.files.listing import FileStat


@dataclass
class IndexChange:
    """A change of files, as seen from the index.

    Attributes:
        before: All entries before.
        entries: All entries afterwards.
        noted: Paths whose entry is new.
        parsed: The files that were parsed again.
        tokens: The identifiers of these, with their counts, by file id.
        symbols: The bare names of the symbols of these, with their places.
        left: Files that are no longer indexed, with their entry before.
        gone: Paths that no longer have an entry.
    """

    before: Mapping[str, FileEntry]
    entries: dict[str, FileEntry]
    noted: list[str] = field(default_factory=list)
    parsed: dict[str, ParsedFile] = field(default_factory=dict)
    tokens: defaultdict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    symbols: defaultdict[str, list[SymbolEntry]] = field(default_factory=lambda: defaultdict(list))
    left: dict[str, FileEntry] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)

    @property
    def moved(self) -> list[str]:
        """The paths that have come or gone."""
        return [*self.gone, *(path for path in self.noted if path not in self.before)]

    @property
    def only_mtimes(self) -> bool:
        """Whether only the recorded mtimes change."""
        return not self.gone and all(
            path in self.before and _timeless(self.before[path]) == _timeless(self.entries[path])
            for path in self.noted
        )

    @property
    def moves_paths(self) -> bool:
        """Whether the set of files changes."""
        return bool(self.moved)

    def __bool__(self) -> bool:
        return bool(self.noted or self.gone)


def change_of(
    known: Mapping[str, FileEntry],
    read: Iterable[ReadFiles],
    numbers: Mapping[str, int],
    vanished: Collection[str],
) -> IndexChange:
    """The change that leads from ``known`` to the files that were read.

    Args:
        known: All entries before.
        read: Files that were read.
        numbers: The ids of those files.
        vanished: Paths that are no longer files of the project.
    """
    change = IndexChange(known, dict(known))
    away = set(vanished)
    for some in read:
        for token, cells in some.tokens.items():
            change.tokens[token.decode()].update(unpack(cells))
        for name, lines in some.symbols.items():
            change.symbols[name] += decode_symbols(lines)
        for file in some.files:
            if file.stat is None:
                away.add(file.path)
            else:
                _note(change, file, file.stat, numbers[file.path])
    for path in away & known.keys():
        del change.entries[path]
        change.gone.append(path)
        if known[path].number:
            change.left[path] = known[path]
    return change


def _note(change: IndexChange, file: ReadFile, stat: FileStat, number: int) -> None:
    old = change.before.get(file.path)
    entry = _entry(file, stat, old, number)
    if entry == old and file.parsed is None:
        return
    change.entries[file.path] = entry
    change.noted.append(file.path)
    if file.parsed is not None:
        change.parsed[file.path] = file.parsed
    elif old is not None and old.number and not entry.number:
        change.left[file.path] = old


def entry_of(file: ReadFile, stat: FileStat, number: int) -> FileEntry:
    """The entry of a file that was parsed, with ``number`` as its id, or is skipped."""
    size, mtime_ns, changed_ns = stat
    if file.parsed is None:
        return FileEntry(size, mtime_ns, file.hash, "", 0, 0, file.reason, changed_ns)
    language, symbols, problem = file.parsed.language, file.parsed.symbols, file.parsed.problem
    return FileEntry(size, mtime_ns, file.hash, language, number, symbols, problem, changed_ns)


def _timeless(entry: FileEntry) -> FileEntry:
    return msgspec.structs.replace(entry, mtime_ns=0, changed_ns=0)


def _entry(file: ReadFile, stat: FileStat, old: FileEntry | None, number: int) -> FileEntry:
    parsed = file.parsed
    if parsed is None and old is not None and file.hash and old.hash == file.hash:
        return msgspec.structs.replace(old, **stat._asdict())
    return entry_of(file, stat, number)


class Update:
    """The rows that a change of files makes.

    Args:
        stored: The index before.
        change: The change.
        linker: Resolves imports among the files afterwards.
    """

    def __init__(
        self,
        stored: StoredIndex,
        change: IndexChange,
        linker: Linker,
    ) -> None:
        self._stored = stored
        self._change = change
        self._linker = linker
        self._came: defaultdict[str, set[str]] = defaultdict(set)
        self._went: defaultdict[str, set[str]] = defaultdict(set)
        self.rows = WriteBatch(stored)
        touched = [*change.parsed, *change.left]
        self._indexed_before = [
            path for path in touched if path in change.before and change.before[path].number
        ]
        self._numbers = {path: change.entries[path].number for path in change.parsed}
        self._numbers |= {path: entry.number for path, entry in change.left.items()}

    def make(self, *, relink: bool) -> WriteBatch:
        """The changed rows. ``relink`` says that imports of all files may resolve differently."""
        change, rows = self._change, self.rows
        for path in change.noted:
            rows.put_entry(path, change.entries[path])
        for path in change.gone:
            rows.drop_entry(path)
        for path, parsed in change.parsed.items():
            rows.put_file(path, self._numbers[path], parsed)
        for path, entry in change.left.items():
            rows.drop_file(path, entry.number)
        if change.parsed or change.left:
            self._put_tokens()
            self._put_symbols()
        (configs,) = self._stored.info("configs")
        known = set(decode(list[str], configs)) if configs else set()
        changed = (*change.noted, *change.gone)
        everything = relink or any(is_config(path, known) for path in changed)
        if everything:
            known.clear()
        if everything or change.moves_paths or change.parsed or change.left:
            self._relink(everything=everything)
        rows.put_info("configs", encode(sorted(known | self._linker.resolver.config_paths)))
        return rows

    def _put_tokens(self) -> None:
        before = self._stored.postings(self._indexed_before)
        changed = defaultdict(dict, {t: dict(c) for t, c in self._change.tokens.items()})
        for path, blob in before.items():
            number = self._numbers[path]
            for token, count in counts(blob):
                new = changed[token].setdefault(number, 0)
                if new == count:
                    del changed[token][number]
        changed_names = [token for token, counted in changed.items() if counted]
        current = self._stored.tokens(changed_names)
        for token in changed_names:
            merged = current.get(token, {}) | changed[token]
            self.rows.put_token(token, [pair for pair in merged.items() if pair[1]])

    def _put_symbols(self) -> None:
        before = self._stored.blobs(self._indexed_before)
        fresh = self._change.symbols
        stale: defaultdict[str, set[int]] = defaultdict(set)
        for path, blob in before.items():
            for name, *_ in symbols_of(unpack_facts(blob)):
                stale[name].add(self._numbers[path])
        current = self._stored.called([*(stale.keys() | fresh.keys())])
        for name in stale.keys() | fresh.keys():
            old = current.get(name, [])
            kept = [entry for entry in old if entry.number not in stale[name]]
            new = [*kept, *fresh.get(name, ())]
            if sorted(new) != sorted(old):
                self.rows.put_symbol(name, new)
        symbols = sum(entry.symbols for entry in self._change.entries.values())
        self.rows.put_info("symbols", encode(symbols))

    def _relink(self, *, everything: bool) -> None:
        """Write the new targets of imports, and the edges that come and go with them.

        Args:
            everything: Imports of all files may resolve differently, not only those related to
                files that came or went.
        """
        own = {path: decode(Module, parsed.module) for path, parsed in self._change.parsed.items()}
        self._compare(own, self._stored.links(self._indexed_before), None)
        if everything or self._change.moves_paths:
            names = None if everything else concerned_names(self._change.moved)
            for some in self._stored.each_module():
                others = {path: m for path, m in some.items() if path not in self._numbers}
                self._compare(others, self._stored.links(list(others)), names)
        self._put_edges()

    def _compare(
        self, modules: Mapping[str, Module], before: Mapping[str, Links], names: set[str] | None
    ) -> None:
        """Write the targets of the imports of some files, and record which edges come and go.

        Args:
            modules: The imports and exports afterwards.
            before: The previous targets, for files that existed before.
            names: See `Linker.links_after`; None: all imports may resolve differently.
        """
        linker = self._linker
        for path in modules.keys() | before.keys():
            old_links = before.get(path)
            links: Links | None = None
            if path in modules and names is not None and old_links is not None:
                links = linker.links_after(path, modules[path], old_links, names)
            elif path in modules:
                links = linker.links(path, modules[path])
            if links is not None and links != old_links:
                self.rows.put_links(path, links)
            new = linker.edges(path, links) if links is not None else set()
            old = self._old_edges(path, old_links)
            for target in new - old:
                self._came[target].add(path)
            for target in old - new:
                self._went[target].add(path)

    def _put_edges(self) -> None:
        targets = [*(self._came.keys() | self._went.keys())]
        current = self._stored.dependents(targets)
        for target in targets:
            importers = (set(current.get(target, ())) - self._went[target]) | self._came[target]
            is_there = target in self._change.entries
            self.rows.put_dependents(target, importers if is_there else set())
        (edges,) = self._stored.info("edges")
        count = msgspec.msgpack.decode(edges, type=int) if edges else 0
        count += sum(map(len, self._came.values())) - sum(map(len, self._went.values()))
        self.rows.put_info("edges", encode(count))

    def _old_edges(self, path: str, links: Links | None) -> set[str]:
        """The former edges of a file, among the files that existed then."""
        before = self._change.before
        targets = {target for link in links or () for target in link.targets}
        return {target for target in targets if target in before} - {path}
