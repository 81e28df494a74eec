"""The uses of a symbol.

Every occurrence of an identifier is in the postings; in Python also those in types in quotes and in
``__all__``. Its meaning is resolved by the syntax trees of the files that contain it, up to a
limit, and beyond that by the imports alone.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.augmentations import Augmentations
from ipuaro_jupyter.index.binding.members import Found
from ipuaro_jupyter.index.binding.module_scope_uses import ModuleScopeUses
from ipuaro_jupyter.index.binding.name_resolver import NameResolver
from ipuaro_jupyter.index.binding.opened_files import OpenedFile, OpenedFiles
from ipuaro_jupyter.index.binding.python_name_resolver import PythonNameResolver
from ipuaro_jupyter.index.binding.python_strings import PythonStrings
from ipuaro_jupyter.index.binding.symbol_query import SymbolQueries, SymbolQuery
from ipuaro_jupyter.index.binding.uses import Uses
from ipuaro_jupyter.index.extract.ecmascript.scopes import is_understood
from ipuaro_jupyter.index.extract.postings import INNER, offset_of, places, role_of
from ipuaro_jupyter.index.resolve.lookups import PYTHON_ENDINGS
from ipuaro_jupyter.index.resolve.project_paths import is_inside
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.records.code import Reference

_BOM = b"\xef\xbb\xbf"
_FILES_AT_ONCE = 32

Meant = frozenset[Declaration]
_NOTHING: Meant = frozenset()


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
        augmentations = Augmentations(stored, files, aliases, paths)
        self.python = PythonNameResolver(files, aliases)
        self.python_strings = PythonStrings(aliases, self.python)
        self.names = NameResolver(files, self._aliases, augmentations)
        self._queries = SymbolQueries(stored, aliases, paths, augmentations, self._member)
        self.module_scope_uses = ModuleScopeUses(self._aliases)

    def declared(self, symbol: str, declared_in: str = "") -> frozenset[Declaration]:
        """The declarations that a symbol means; see `of`."""
        self._files.begin()
        return self._queries.of(symbol, declared_in).declared

    def of(
        self, symbol: str, within: str | None, *, limit: int | None, declared_in: str = ""
    ) -> Uses:
        """The uses of a symbol, by path, line and column.

        Args:
            symbol: Bare, or qualified as in "Class.method".
            within: The file or folder to look in; None: everywhere.
            limit: How many to return; None: all. The rest is only counted.
            declared_in: The file whose declaration is meant; "": all declarations.

        Raises:
            Cancelled: The user stopped it.
            TimeUp: Time ran out before any file was looked at.
        """
        self._files.begin()
        search = self._queries.of(symbol, declared_in)
        counts = self._stored.tokens([search.name]).get(search.name, {})
        having = {self._paths[n]: count for n, count in counts.items() if n in self._paths}
        in_quotes = search.near if search.is_exact and search.has_members else frozenset()
        every = having.keys() | search.uses.keys() | in_quotes
        inside = {path for path in every if is_inside(path, within or "")} if within else every
        paths = sorted(inside)
        listed, looked, late = self._listed(paths, search, having, limit)
        rest = [path for path in paths if path not in looked]
        try:
            renamed = 0 if late else self._count_aliases(rest, search)
        except TimeUp:
            renamed, late = 0, True
        if late and not looked:
            raise TimeUp
        self._files.is_exhausted |= late  # what was broken off is not to be kept
        unresolved = [use for use in listed if search.is_exact and not use.resolved]
        first = [use for use in listed if use.resolved or not search.is_exact]
        apart = {path for path in looked if search.is_exact or search.aliases(path)}
        listed_apart = sum(use.path in apart for use in first)
        total = listed_apart + renamed + sum(having.get(path, 0) for path in inside - apart)
        return Uses(
            total,
            first[:limit],
            self._texts([*first[:limit], *unresolved[:limit]]),
            not_looked_at=frozenset(rest if late else ()),
            declared=search.declared,
            unresolved_total=len(unresolved),
            unresolved=tuple(unresolved[:limit]),
            is_inherited=search.is_inherited,
        )

    def _member(self, owner: Declaration, name: str) -> Collection[Declaration]:
        """The declarations of a member of a type or value, also of an inherited one."""
        if is_understood(owner[0]) is not None:
            return self.names.named_member(owner, name)
        return self.python.inherited.of((owner, name))

    def _texts(self, listed: Iterable[Reference]) -> dict[str, tuple[bytes, str]]:
        files = {reference.path: self._files.file(reference.path) for reference in listed}
        return {path: (file.data or b"", file.hash) for path, file in files.items()}

    def _listed(
        self,
        paths: list[str],
        search: SymbolQuery,
        having: Mapping[str, int],
        limit: int | None,
    ) -> tuple[list[Reference], set[str], bool]:
        """The first uses by path, line and column; the files looked at; whether time ran out.

        Every occurrence of a bare name is a use, so that only those that are listed are resolved.
        An exact search has to look at all of them.
        """
        if search.is_exact:
            near = search.places.keys() | search.near  # parsed first
            found = self._in_files(paths, search, sorted(paths, key=lambda path: path not in near))
            return self._placed(paths, found, search), set(found), len(found) < len(paths)
        listed, looked = list[Reference](), set[str]()
        shown = len(paths) if limit is None else _enough(paths, having, limit)
        for start in range(0, shown, _FILES_AT_ONCE):
            some = paths[start : min(start + _FILES_AT_ONCE, shown)]
            most = None if limit is None else limit - len(listed)
            found = self._in_files(some, search, some, most)
            listed += self._placed(some, found, search)
            looked |= found.keys()
            if len(found) < len(some):
                return listed, looked, True
        return listed, looked, False

    def _in_files(
        self,
        paths: list[str],
        search: SymbolQuery,
        ordered: list[str],
        most: int | None = None,
    ) -> dict[str, dict[int, Meant]]:
        """The uses in some files, as far as time allows; see `_in_file`.

        Args:
            paths: The files.
            search: The subject of the search.
            ordered: The files in the order in which they are looked at.
            most: How many uses are wanted; None: all.
        """
        found: dict[str, dict[int, Meant]] = {}
        with suppress(TimeUp):
            self._files.open_all(paths)
            self._aliases.load(path for path in paths if _concerns(path, search))
            for path in ordered:
                checkpoint()
                left = None if most is None else max(0, most - sum(map(len, found.values())))
                found[path] = dict(self._in_file(path, search, left))
        return found

    def _placed(
        self, paths: Iterable[str], found: Mapping[str, Mapping[int, Meant]], search: SymbolQuery
    ) -> list[Reference]:
        return [
            reference
            for path in paths
            if path in found
            for reference in _placed(self._files.file(path), found[path], search)
        ]

    def _count_aliases(self, paths: list[str], search: SymbolQuery) -> int:
        """The number of uses of the symbol under other names in some files."""
        renaming = [path for path in paths if path in search.uses and search.aliases(path)]
        self._files.open_all(renaming)
        return sum(1 for path in renaming for _ in self._under_aliases(path, search))

    def _in_file(
        self, path: str, search: SymbolQuery, most: int | None
    ) -> Iterator[tuple[int, Meant]]:
        """Yield the byte offsets at which a file uses the symbol, each with what it stands for.

        That is nothing for a place of which only the name is known to be the same. At least
        ``most`` are yielded, if there are so many.
        """
        file = self._files.file(path)
        own, concerns = search.places_in(path), _concerns(path, search)
        most = None if search.aliases(path) else most
        if search.is_exact:  # a name in quotes is no identifier
            named = {offset_of(place) for place in places(file.blob, search.name)}
            yield from ((at, frozenset({own[at]})) for at in own if at not in named)
        for place in places(file.blob, search.name)[:most]:
            offset = offset_of(place)
            if offset in own:
                yield offset, frozenset({own[offset]})
                continue
            meant = self._meant(path, search.name, place, search) if concerns else None
            if meant is not None or not search.is_exact:
                yield offset, meant or _NOTHING
        yield from self._under_aliases(path, search)
        is_other = file.language is None and search.is_ecmascript is True
        may_be_key = search.has_members or path in search.uses  # that of a module, in ns["f"]
        if may_be_key and search.is_exact and not is_other:
            yield from _among(self.in_quotes(path, search.name), search)

    def in_quotes(self, path: str, name: str) -> Iterator[tuple[int, Found]]:
        """Yield the offsets at which a file names a member in quotes, and what it stands for.

        An example is ``cat["name"]``; the offset is that behind the quote.
        """
        file = self._files.file(path)
        if name.startswith("#"):  # a private name is none of a key
            return
        if file.language is not None:
            of = self.names.quoted
        elif path.endswith(PYTHON_ENDINGS):
            of = self.python_strings.key
        else:
            return
        data, text = file.data or b"", name.encode()
        for quoted in (b"'%s'" % text, b'"%s"' % text):
            at = data.find(quoted)
            while at >= 0:
                if meant := of(path, name, at + 1):
                    yield at + 1, meant
                at = data.find(quoted, at + 1)

    def _under_aliases(self, path: str, search: SymbolQuery) -> Iterator[tuple[int, Meant]]:
        for alias in search.aliases(path):
            for place in places(self._files.file(path).blob, alias):
                if meant := self._meant(path, alias, place, search):
                    yield offset_of(place), meant

    def _meant(self, path: str, name: str, place: int, search: SymbolQuery) -> Meant | None:
        """The declarations of a search that a place stands for; empty when that is not known.

        None when it stands for something else.
        """
        if (is_named := search.by_name(path)) is not None:
            return _NOTHING if is_named else None
        file, offset = self._files.file(path), offset_of(place)
        if path not in search.member_files and not search.is_unknown:
            known = self.module_scope_uses.stands_for(file, name, place, search.wanted)
            if known or (known is not None and not self._may_be_global(file, name, place, search)):
                return known or self._loaded(file, name, offset, search)
        meant = self.names.of(path, name, offset)
        if meant is None:
            meant = self.python.of(path, name, offset)
        if meant is None:  # not parsed: an import of the name says enough
            return self._by_imports(path, name, search)
        if not search.declared.isdisjoint(meant):
            return search.declared & meant
        own = {(path, file.declared_at.get(offset))}
        if not search.is_exact or (meant and meant != own):
            return None
        return _NOTHING if self._is_open(file, name, offset, search) else None

    def _by_imports(self, path: str, name: str, search: SymbolQuery) -> Meant:
        if name in search.uses.get(path, ()):
            declared = search.tops
            if len(declared) > 1:
                declared = frozenset(
                    one for one in declared if name in self._aliases.uses({one}).get(path, ())
                )
            return declared
        if path in search.places and not search.has_members:
            return frozenset(search.places[path].values())
        return _NOTHING

    def _may_be_global(self, file: OpenedFile, name: str, place: int, search: SymbolQuery) -> bool:
        """Whether a name that a file neither declares nor imports may be a global one."""
        if not search.is_global or role_of(place) == INNER:
            return False
        return not file.declares(name) and not self._aliases.is_shared(file.path, name)

    def _loaded(
        self, file: OpenedFile, name: str, offset: int, search: SymbolQuery
    ) -> Meant | None:
        """What a name stands for that may be a member of a module; as `_meant` returns it.

        An example is ``import("x").then((x) => x.name)``. A Python module may give the name by its
        ``__getattr__``.
        """
        if self.python.is_given(file.path, name, offset, search.lazy):
            return _NOTHING
        is_loading = b"import(" in (file.data or b"") and file.language is not None
        if not is_loading or file.path not in search.uses:
            return None
        meant = search.declared & (self.names.of(file.path, name, offset) or set())
        if meant or not search.is_exact:
            return meant or None
        is_open = self.names.is_open(file.path, name, offset, search.declared)
        return _NOTHING if is_open else None

    def _is_open(self, file: OpenedFile, name: str, offset: int, search: SymbolQuery) -> bool:
        """Whether a name that stands for nothing known may be a member that is searched for."""
        if search.is_global and self.names.is_free(file.path, name, offset):
            return True
        if search.declared and not search.has_members:
            return self.python.is_given(file.path, name, offset, search.lazy)
        if file.language is None:
            may_be = search.is_ecmascript is not True
            return may_be and self.python.is_open(file.path, name, offset, search.declared)
        if search.is_unknown:
            return self.names.is_member(file.path, name, offset)
        if search.is_ecmascript is False:
            return False
        return self.names.is_open(file.path, name, offset, search.declared)


def _among(found: Iterable[tuple[int, Found]], search: SymbolQuery) -> Iterator[tuple[int, Meant]]:
    """Yield the offsets at which one of the declarations of a search is found, with those."""
    for at, meant in found:
        if not search.declared.isdisjoint(meant):
            yield at, search.declared & meant


def _concerns(path: str, search: SymbolQuery) -> bool:
    """Whether a name in a file may stand for what is searched for."""
    if search.has_members or path in search.uses or search.places_in(path):
        return True
    if search.is_unknown or (search.lazy and path.endswith(PYTHON_ENDINGS)):
        return True
    return bool(search.by_name(path)) or search.is_global


def _enough(paths: Sequence[str], having: Mapping[str, int], limit: int) -> int:
    """How many of the files have so many occurrences of a name together."""
    counts = accumulate(having.get(path, 0) for path in paths)
    return 1 + next((n for n, count in enumerate(counts) if count >= limit), len(paths))


def _placed(file: OpenedFile, found: Mapping[int, Meant], search: SymbolQuery) -> list[Reference]:
    """The references of a file with their lines and columns.

    Args:
        file: The file.
        found: Their byte offsets, and what each stands for.
        search: The subject of the search.
    """
    data = file.data or b""
    definitions = search.places_in(file.path)
    references = []
    line, begin, last = 1, len(_BOM) if data.startswith(_BOM) else 0, 0
    for offset in sorted(found):
        passed = data.count(b"\n", last, offset)
        if passed:
            line += passed
            begin = data.rindex(b"\n", last, offset) + 1
        last = offset
        # Of several, that of the file itself.
        meant = min(found[offset], key=lambda one: (one[0] != file.path, one), default=None)
        references.append(
            Reference(
                path=file.path,
                line=line,
                column=len(data[begin:offset].decode(errors="replace")) + 1,
                is_definition=offset in definitions,
                resolved=meant is not None,
                declared_in=meant[0] if meant else None,
                declared_as=meant[1] if meant else None,
            )
        )
    return references
