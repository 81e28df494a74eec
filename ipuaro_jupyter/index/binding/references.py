"""The uses of a symbol.

Every occurrence of an identifier is in the postings. Its meaning is resolved by the syntax trees of
the files that contain it, up to a limit, and beyond that by the imports alone.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.lru_cache import LruCache
from ipuaro_jupyter.index.binding.module_scope_uses import ModuleScopeUses, Wanted
from ipuaro_jupyter.index.binding.name_resolver import NameResolver
from ipuaro_jupyter.index.binding.opened_files import OpenedFile, OpenedFiles
from ipuaro_jupyter.index.binding.python_name_resolver import PythonNameResolver
from ipuaro_jupyter.index.extract.postings import offset_of, places
from ipuaro_jupyter.index.resolve.project_paths import is_inside
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.languages.registry import is_code
from ipuaro_jupyter.records.code import Reference

_BOM = b"\xef\xbb\xbf"
_MOST_HEADS = 20
_FILES_AT_ONCE = 32
_KEPT_SEARCHES = 100
_NO_NAMES = frozenset({"default", "*"})


@dataclass(frozen=True)
class SymbolQuery:
    """The subject of a search.

    Attributes:
        name: The last part of the symbol.
        is_qualified: Whether the symbol has more parts.
        declared: Its declarations.
        places: The byte offsets of their names, by path.
        uses: The local names of files for top-level declarations, by path.
        near: Files that have a name for a declaration, or for the owner of one that is a member.
    """

    name: str
    is_qualified: bool
    declared: frozenset[Declaration]
    places: dict[str, set[int]]
    uses: Mapping[str, set[str]] = field(default_factory=dict)
    near: frozenset[str] = frozenset()

    @cached_property
    def wanted(self) -> Wanted:
        """The declarations that are searched for."""
        return Wanted(self.declared, has_members=self.has_members)

    @cached_property
    def has_members(self) -> bool:
        """Whether a declaration is not at the top of a file."""
        return any("." in qualified for _, qualified in self.declared)

    def aliases(self, path: str) -> set[str]:
        """The other names that a file has for the symbol."""
        return self.uses.get(path, set()) - {self.name} - _NO_NAMES


class Uses(NamedTuple):
    """The uses of a symbol: their number, and the first of them.

    ``texts`` are the texts and hashes of the files of the first ones, to which their places refer.
    ``not_looked_at`` are the files that time ran out for; every occurrence of the name in them
    counts in the total.
    """

    total: int
    first: list[Reference]
    texts: Mapping[str, tuple[bytes, str]]
    not_looked_at: frozenset[str] = frozenset()

    def without(self, paths: Collection[str]) -> "Uses":
        """The uses outside of some files, which count as not looked at."""
        seen = self.not_looked_at.union(paths)
        first = [reference for reference in self.first if reference.path not in seen]
        return self._replace(first=first, not_looked_at=seen)


class ReferenceFinder:
    """Finds the uses of symbols in one state of the index.

    Everything read is cached from one search to the next.

    Args:
        stored: The index.
        files: The opened files.
        aliases: Follows names through imports, in the same state.
        paths: The files, by id.
    """

    def __init__(
        self,
        stored: StoredIndex,
        files: OpenedFiles,
        aliases: AliasResolver,
        paths: Mapping[int, str],
    ) -> None:
        self._stored = stored
        self._files = files
        self._aliases = aliases
        self._paths = paths
        self._searches = LruCache[str, SymbolQuery](_KEPT_SEARCHES)
        self.python = PythonNameResolver(files, aliases)
        self.names = NameResolver(files, self._aliases)
        self.module_scope_uses = ModuleScopeUses(self._aliases)

    def of(self, symbol: str, within: str | None, *, limit: int | None) -> Uses:
        """The uses of a symbol, by path, line and column.

        Args:
            symbol: Bare, or qualified as in "Class.method".
            within: The file or folder to look in; None: everywhere.
            limit: How many to return; None: all. The rest is only counted.

        Raises:
            Cancelled: The user stopped it.
            TimeUp: Time ran out before any file was looked at.
        """
        self._files.begin()
        search = self._searches.get(symbol, lambda: self._search(symbol))
        if search.is_qualified and not search.declared:
            return Uses(0, [], {})
        counts = self._stored.tokens([search.name]).get(search.name, {})
        having = {self._paths[n]: count for n, count in counts.items() if n in self._paths}
        paths = sorted(
            path for path in having.keys() | search.uses.keys() if is_inside(path, within or "")
        )
        found, late, done = list[Reference](), list[str](), 0
        at_once = len(paths) if search.is_qualified else _FILES_AT_ONCE  # the same for any limit
        most = None if search.is_qualified else limit
        while done < len(paths) and not late and (most is None or len(found) < most):
            some = paths[done : done + at_once]
            listed, late = self._in_files(some, search)
            found += listed
            done += len(some)
        rest = late + paths[done:]
        try:
            renamed = 0 if late else self._count_aliases(rest, search)
        except TimeUp:
            renamed, late = 0, rest
        total = len(found) + sum(having.get(path, 0) for path in rest) + renamed
        if not late:
            return self._answer(total, found[:limit])
        if len(rest) == len(paths):
            raise TimeUp
        self._files.is_exhausted = True  # what was broken off is not to be kept
        return self._answer(total, found[:limit], not_looked_at=rest)

    def _answer(
        self, total: int, first: list[Reference], *, not_looked_at: Collection[str] = ()
    ) -> Uses:
        files = {reference.path: self._files.file(reference.path) for reference in first}
        texts = {path: (file.data or b"", file.hash) for path, file in files.items()}
        return Uses(total, first, texts, frozenset(not_looked_at))

    def _in_files(self, paths: list[str], search: SymbolQuery) -> tuple[list[Reference], list[str]]:
        """The uses in some files, by path, line and column, and the files that time ran out for."""
        near = search.places.keys() | search.near
        found: dict[str, dict[int, bool]] = {}
        with suppress(TimeUp):
            self._files.open_all(paths)
            # Files related to the symbol are parsed first.
            for path in sorted(paths, key=lambda path: path not in near):
                checkpoint()
                found[path] = dict(self._in_file(path, search))
        listed = [
            reference
            for path in paths
            if path in found
            for reference in _placed(self._files.file(path), found[path], search)
        ]
        return listed, [path for path in paths if path not in found]

    def _count_aliases(self, paths: list[str], search: SymbolQuery) -> int:
        """The number of uses of the symbol under other names in some files."""
        renaming = [path for path in paths if path in search.uses and search.aliases(path)]
        self._files.open_all(renaming)
        return sum(1 for path in renaming for _ in self._under_aliases(path, search))

    def _search(self, symbol: str) -> SymbolQuery:
        entries = self._stored.symbols([symbol]).get(symbol, [])
        places_of = [(self._paths.get(entry.number, ""), entry.qualified) for entry in entries]
        declared = frozenset((path, qualified) for path, qualified in places_of if is_code(path))
        definitions = self._stored.definitions([path for path, _ in declared])
        places: defaultdict[str, set[int]] = defaultdict(set)
        for path, qualified in declared:
            places[path] |= set(definitions.get(path, {}).get(qualified, ()))
        head, dot, last = symbol.rpartition(".")
        tops = {(path, qualified) for path, qualified in declared if "." not in qualified}
        heads = {(path, qualified.partition(".")[0]) for path, qualified in declared}
        uses = self._aliases.uses(tops)
        around = self._aliases.uses(heads - tops) if len(heads) <= _MOST_HEADS else {}
        return SymbolQuery(
            name=last,
            is_qualified=bool(head and dot),
            declared=declared,
            places=dict(places),
            uses=uses,
            near=frozenset(uses.keys() | around.keys()),
        )

    def _in_file(self, path: str, search: SymbolQuery) -> Iterator[tuple[int, bool]]:
        """Yield the byte offsets at which a file uses the symbol, and whether each is certain."""
        file = self._files.file(path)
        concerns = search.has_members or path in search.uses or path in search.places
        for place in places(file.blob, search.name):
            offset = offset_of(place)
            if offset in search.places.get(path, ()):
                yield offset, True
                continue
            is_it = self._is_it(path, search.name, place, search) if concerns else False
            if is_it or not search.is_qualified:
                yield offset, is_it
        yield from self._under_aliases(path, search)

    def _under_aliases(self, path: str, search: SymbolQuery) -> Iterator[tuple[int, bool]]:
        for alias in search.aliases(path):
            for place in places(self._files.file(path).blob, alias):
                if self._is_it(path, alias, place, search):
                    yield offset_of(place), True

    def _is_it(self, path: str, name: str, place: int, search: SymbolQuery) -> bool:
        if path not in search.places or not search.has_members:
            known = self.module_scope_uses.stands_for(
                self._files.file(path), name, place, search.wanted
            )
            if known is not None:
                return known
        meant = self.names.of(path, name, offset_of(place))
        if meant is None:
            meant = self.python.of(path, name, offset_of(place))
        if meant is None:  # not parsed: an import of the name says enough
            return name in search.uses.get(path, ()) or (
                path in search.places and not search.has_members
            )
        return not search.declared.isdisjoint(meant)


def _placed(file: OpenedFile, found: dict[int, bool], search: SymbolQuery) -> list[Reference]:
    """The references of a file with their lines and columns.

    Args:
        file: The file.
        found: Their byte offsets, and whether each is certain.
        search: The subject of the search.
    """
    data = file.data or b""
    definitions: Collection[int] = search.places.get(file.path, ())
    references = []
    line, begin, last = 1, len(_BOM) if data.startswith(_BOM) else 0, 0
    for offset in sorted(found):
        passed = data.count(b"\n", last, offset)
        if passed:
            line += passed
            begin = data.rindex(b"\n", last, offset) + 1
        last = offset
        references.append(
            Reference(
                path=file.path,
                line=line,
                column=len(data[begin:offset].decode(errors="replace")) + 1,
                is_definition=offset in definitions,
                resolved=found[offset],
            )
        )
    return references
