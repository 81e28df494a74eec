"""A change of files, as seen from the index."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from ipuaro_jupyter.index.extract.parsed_file import ParsedFile
from ipuaro_jupyter.index.storage.file_ids import unpack
from ipuaro_jupyter.index.storage.project_reader import ReadFile, ReadFiles
from ipuaro_jupyter.index.storage.stored_index import (
    FileEntry,
    SymbolEntry,
    decode_symbols,
)
from ipuaro_jupyter.workspace.files.listing import FileStat


@dataclass
class IndexChange:
    """A change of files, as seen from the index.

    Attributes:
        before: All entries before.
        entries: All entries afterwards.
        noted: Paths whose entry is new.
        parsed: The files that were parsed again, or whose new content was known.
        known: Those of them that were not parsed.
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
    known: set[str] = field(default_factory=set)

    @cached_property
    def ids(self) -> dict[str, int]:
        """The ids of the files that were parsed again or are no longer indexed, by path."""
        found = {path: self.entries[path].number for path in self.parsed}
        return found | {path: entry.number for path, entry in self.left.items()}

    @cached_property
    def indexed_before(self) -> list[str]:
        """Those of these files that were indexed before."""
        return [path for path in self.ids if path in self.before and self.before[path].number]

    def id_of(self, path: str) -> int:
        """The id of an indexed file."""
        return self.ids.get(path) or self.entries[path].number

    @property
    def moved(self) -> list[str]:
        """The paths that have come or gone."""
        return [*self.gone, *(path for path in self.noted if path not in self.before)]

    @property
    def only_mtimes(self) -> bool:
        """Whether only the recorded mtimes change."""
        return not self.gone and all(map(self._keeps_all_but_times, self.noted))

    @property
    def moves_paths(self) -> bool:
        """Whether the set of files changes."""
        return bool(self.moved)

    def _keeps_all_but_times(self, path: str) -> bool:
        old = self.before.get(path)
        return old is not None and _timeless(old) == _timeless(self.entries[path])

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
        if file.is_known:
            change.known.add(file.path)
    elif old is not None and old.number and not entry.number:
        change.left[file.path] = old


def keeps_files(change: IndexChange) -> bool:
    """Whether the same files are indexed as before, as far as before."""
    return not change.moved and all(
        _extent(change.before[path]) == _extent(change.entries[path]) for path in change.noted
    )


def _extent(entry: FileEntry) -> tuple[int, str, str, str]:
    """What tells how far a file is read."""
    return entry.number, entry.language, entry.reason, entry.unread


def entry_of(file: ReadFile, stat: FileStat, number: int) -> FileEntry:
    """The entry of a file that was parsed, with ``number`` as its id, or is skipped."""
    size, mtime_ns, changed_ns = stat
    if file.parsed is None:
        return FileEntry(size, mtime_ns, file.hash, "", 0, 0, file.reason, changed_ns)
    parsed = file.parsed
    return FileEntry(
        *(size, mtime_ns, file.hash, parsed.language, number, parsed.symbols, parsed.problem),
        changed_ns,
        parsed.unread,
    )


def _timeless(entry: FileEntry) -> FileEntry:
    return msgspec.structs.replace(entry, mtime_ns=0, changed_ns=0)


def _entry(file: ReadFile, stat: FileStat, old: FileEntry | None, number: int) -> FileEntry:
    parsed = file.parsed
    if parsed is None and old is not None and file.hash and old.hash == file.hash:
        return msgspec.structs.replace(old, **stat._asdict())
    return entry_of(file, stat, number)
