"""Work out what a change of some files changes in the index."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from ipuaro_jupyter.index.building import free_number
from ipuaro_jupyter.index.facts_format import unpack_facts
from ipuaro_jupyter.index.linking import Linker, concerned_names, is_config
from ipuaro_jupyter.index.parsed import ParsedFile
from ipuaro_jupyter.index.postings import counts
from ipuaro_jupyter.index.reading import ReadFile
from ipuaro_jupyter.index.rows import Rows
from ipuaro_jupyter.index.stored import (
    FileEntry,
    Links,
    Module,
    Stored,
    SymbolEntry,
    decode,
    encode,
)
from ipuaro_jupyter.index.symbols import lookups, symbols_of


@dataclass
class Change:
    """What has happened to files, seen from the index.

    Attributes:
        before: All files before.
        entries: All files afterwards.
        noted: Paths whose entry is new.
        parsed: Files that are indexed anew.
        left: Files that are no longer indexed, with their entry before.
        gone: Paths that have no entry any more.
    """

    before: Mapping[str, FileEntry]
    entries: dict[str, FileEntry]
    noted: list[str] = field(default_factory=list)
    parsed: dict[str, ParsedFile] = field(default_factory=dict)
    left: dict[str, FileEntry] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)

    @property
    def moved(self) -> list[str]:
        """The paths that have come or gone."""
        return [*self.gone, *(path for path in self.noted if path not in self.before)]

    @property
    def is_settling(self) -> bool:
        """Whether nothing has changed but what the index knows of when files were written."""
        blank = msgspec.structs.replace
        return not self.gone and all(
            path in self.before
            and blank(self.before[path], mtime_ns=0) == blank(self.entries[path], mtime_ns=0)
            for path in self.noted
        )

    @property
    def moves_paths(self) -> bool:
        """Whether there are other files than before."""
        return bool(self.moved)

    def __bool__(self) -> bool:
        return bool(self.noted or self.gone)


def change_of(
    known: Mapping[str, FileEntry], read: Iterable[ReadFile], vanished: Collection[str]
) -> Change:
    """Return the change that brings ``known`` to what was read.

    Args:
        known: All files before.
        read: Files that were read.
        vanished: Paths that are no longer files of the project.
    """
    change = Change(known, dict(known))
    taken: set[int] = set()
    away = set(vanished)
    for file in read:
        if file.stat is None:
            away.add(file.path)
            continue
        old = known.get(file.path)
        if not taken and (old is None or not old.number):
            taken = {entry.number for entry in known.values()}
        entry = _entry(file, old, taken)
        if entry == old and file.parsed is None:
            continue
        change.entries[file.path] = entry
        change.noted.append(file.path)
        if file.parsed is not None:
            change.parsed[file.path] = file.parsed
        elif old is not None and old.number and not entry.number:
            change.left[file.path] = old
    for path in away & known.keys():
        del change.entries[path]
        change.gone.append(path)
        if known[path].number:
            change.left[path] = known[path]
    return change


def _entry(file: ReadFile, old: FileEntry | None, taken: set[int]) -> FileEntry:
    assert file.stat is not None  # noqa: S101 - the caller has seen to it
    size, mtime_ns = file.stat
    if file.parsed is None:
        if old is not None and file.hash and old.hash == file.hash:
            return msgspec.structs.replace(old, size=size, mtime_ns=mtime_ns)
        return FileEntry(size, mtime_ns, file.hash, "", 0, 0, file.reason)
    if old is not None and old.number:
        number = old.number
    else:
        number = free_number(file.path, taken)
        taken.add(number)
    count = len(file.parsed.symbols)
    problem = file.parsed.problem
    return FileEntry(size, mtime_ns, file.hash, file.parsed.language, number, count, problem)


class Update:
    """The rows that a change of files makes.

    Args:
        stored: The index as it is.
        change: What has happened to them.
        linker: Resolves imports among the files afterwards.
    """

    def __init__(
        self,
        stored: Stored,
        change: Change,
        linker: Linker,
    ) -> None:
        self._stored = stored
        self._change = change
        self._linker = linker
        self._came: defaultdict[str, set[str]] = defaultdict(set)
        self._went: defaultdict[str, set[str]] = defaultdict(set)
        self.rows = Rows(stored)
        touched = [*change.parsed, *change.left]
        self._indexed_before = [
            path for path in touched if path in change.before and change.before[path].number
        ]
        self._numbers = {path: change.entries[path].number for path in change.parsed}
        self._numbers |= {path: entry.number for path, entry in change.left.items()}

    def make(self, *, relink: bool) -> Rows:
        """Return the rows. ``relink`` says that imports of all files may lead elsewhere."""
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
        changed: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for path, number in self._numbers.items():
            old = dict(counts(before.get(path, b"")))
            parsed = self._change.parsed.get(path)
            new = dict(parsed.token_counts) if parsed is not None else {}
            for token, _ in new.items() ^ old.items():
                changed[token][number] = new.get(token, 0)
        current = self._stored.tokens(list(changed))
        for token, counted in changed.items():
            merged = current.get(token, {}) | counted
            self.rows.put_token(token, [pair for pair in merged.items() if pair[1]])

    def _put_symbols(self) -> None:
        before = self._stored.blobs(self._indexed_before)
        stale: defaultdict[str, set[int]] = defaultdict(set)
        fresh: defaultdict[str, list[SymbolEntry]] = defaultdict(list)
        for path, number in self._numbers.items():
            facts = unpack_facts(before[path]) if path in before else None
            for name, qualified, *_ in symbols_of(facts) if facts is not None else ():
                for found_by in lookups(name, qualified):
                    stale[found_by].add(number)
            parsed = self._change.parsed.get(path)
            for line, kind, qualified, names_ in parsed.symbols if parsed is not None else ():
                entry = SymbolEntry(number, line, kind, qualified)
                for name in names_:
                    fresh[name].append(entry)
        current = self._stored.symbols([*(stale.keys() | fresh.keys())])
        for name in stale.keys() | fresh.keys():
            old = current.get(name, [])
            kept = [entry for entry in old if entry.number not in stale[name]]
            new = sorted([*kept, *fresh[name]])
            if new != old:
                self.rows.put_symbol(name, new)
        symbols = sum(entry.symbols for entry in self._change.entries.values())
        self.rows.put_info("symbols", encode(symbols))

    def _relink(self, *, everything: bool) -> None:
        """Put where imports lead now, and the edges that come and go with that.

        Args:
            everything: Imports of all files may lead elsewhere, not only those that have to do
                with files that came or went.
        """
        own = {path: parsed.module for path, parsed in self._change.parsed.items()}
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
        """Put where the imports of some files lead, and note which edges come and go.

        Args:
            modules: The files afterwards.
            before: Where the imports led of those that there were.
            names: See `Linker.links_after`; None: all imports may lead elsewhere.
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
        """Return the edges that a file had, among the files that there were."""
        before = self._change.before
        targets = {target for link in links or () for target in link.targets}
        return {target for target in targets if target in before} - {path}
