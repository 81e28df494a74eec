"""Follow names through imports and exports, in both directions.

A declaration is (path, qualified name). Of a chain of names, such as ``ns.Class``, the first is
looked up in a file and each other in the target of the one before.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.closure import Closure
from ipuaro_jupyter.index.binding.imports_and_exports import (
    RE_EXPORT,
    WHOLE_MODULE,
    HeldName,
    ImportsAndExports,
    bound_as,
    passed_as,
)
from ipuaro_jupyter.index.binding.lru_cache import LruCache
from ipuaro_jupyter.index.storage.stored_index import (
    DEFAULT,
    EVERYTHING,
    Links,
    Module,
    ModuleImport,
)
from ipuaro_jupyter.languages.registry import is_open

Declaration = tuple[str, str]
Names = tuple[str, ...]

_NOTHING: tuple[Module, Links] = (Module([], []), [])
_KEPT_CHAINS = 20_000
_KEPT_USES = 200


class _Chain(NamedTuple):
    """A chain of names in a file; the first is an export or a name bound at the top level."""

    path: str
    names: Names
    is_export: bool


class LinkedModules(Protocol):
    """The imports and exports of files, with the targets of the imports."""

    def linked_modules(self, paths: Sequence[str]) -> dict[str, tuple[Module, Links]]:
        """What files import and export; a file that is not known is left out."""

    def dependents(self, paths: Sequence[str]) -> dict[str, list[str]]:
        """The importers of files; a file without any may be left out."""

    def other_halves(self, path: str) -> list[str]:
        """The files of which one may be the same module as a file, as ``a.js`` and ``a.d.ts``."""


class AliasResolver:
    """Follows names among the files of an index; everything read is cached.

    Args:
        stored: The index.
    """

    def __init__(self, stored: LinkedModules) -> None:
        self._stored = stored
        self._files: dict[str, ImportsAndExports] = {}
        self._chains = Closure[_Chain, Declaration](self._look, most=_KEPT_CHAINS)
        self._uses = LruCache[frozenset[Declaration], Mapping[str, set[str]]](_KEPT_USES)

    def load(self, paths: Iterable[str]) -> None:
        """Read several files at once, which is faster than one by one."""
        missing = [path for path in dict.fromkeys(paths) if path not in self._files]
        found = self._stored.linked_modules(missing)
        for path in missing:
            self._files[path] = ImportsAndExports(*found.get(path, _NOTHING))

    def of_file(self, path: str) -> ImportsAndExports:
        """The imports and exports of a file; none for one that is not indexed."""
        if path not in self._files:
            self.load([path])
        return self._files[path]

    def imported(self, path: str, local: str) -> list[tuple[str, str]]:
        """The sources of an imported name of a file: (path, exported name or "*")."""
        found = []
        for target, imported, kind in self.of_file(path).imported.get(local, ()):
            whole = imported == EVERYTHING and kind in WHOLE_MODULE
            if whole and self.exports(target, DEFAULT):
                found.append((target, DEFAULT))  # module.exports = … exports all of it
            else:
                found.append((target, imported))
        return found

    def imported_at(self, path: str, line: int, name: str) -> set[Declaration] | None:
        """The declarations of a name in an import statement, the imported or the local name.

        None when no import begins at the line.

        Args:
            path: The file.
            line: The first line of the statement, 1-based.
            name: The name.
        """
        names = self.of_file(path)
        statements = zip(names.module.imports, names.targets, strict=True)
        items = [(item, target) for item, target in statements if item.line == line]
        taken = {
            (target, imported)
            for item, target in items
            for imported, local in item.names
            if target is not None and name in (imported, local) and imported != EVERYTHING
        }
        found = {one for target, imported in taken for one in self.exported(target, (imported,))}
        return found if items else None

    def exports(self, path: str, name: str) -> bool:
        """Whether a file exports a name, its own or another file's."""
        return name in self.of_file(path).exports

    def is_shared(self, path: str, name: str) -> bool:
        """Whether a file imports a name, or exports one of its own under it."""
        names = self.of_file(path)
        return name in names.imported or name in names.exports_of

    def is_specified(self, path: str, name: str) -> bool:
        """Whether a name in an import or export of a file differs from the file's own."""
        return name in self.of_file(path).specified

    def meaning(self, path: str, name: str, *, is_own: bool) -> set[Declaration] | None:
        """The declarations of a name in places where it has its top-level meaning.

        None when it has another meaning in an import or export than elsewhere.

        Args:
            path: The file.
            name: The name.
            is_own: Whether the file declares it at its top.
        """
        names = self.of_file(path)
        specified = names.specified.get(name, set())
        if is_own or self.is_shared(path, name):
            return None if specified else self.declarations(path, (name,))
        if len(specified) > 1:
            return None
        found: set[Declaration] = set()
        for source, imported in specified:
            if source is None:
                found |= self.declarations(path, (imported,))
            elif source and imported != EVERYTHING:
                found |= self.exported(source, (imported,))
        return found

    def binds(self, path: str, name: str) -> bool:
        """Whether an import of a file gives something that name, wherever it comes from."""
        imports = self.of_file(path).module.imports
        return any(local == name for item in imports for _, local in item.names)

    def outer(self, path: str, name: str) -> tuple[str, str] | None:
        """The module, as written, and its export that a name of a file is imported from.

        The export is "default", or "*" for the whole module; None when no import has the name.
        """
        for item in self.of_file(path).module.imports:
            for imported, local in item.names:
                if local == name:
                    return item.source, imported
        return None

    def target(self, path: str, source: str) -> str | None:
        """The file that a module specifier in a file leads to."""
        return self.of_file(path).sources.get(source)

    def declarations(self, path: str, names: Names) -> set[Declaration]:
        """The declarations of a chain of names at the top of a file.

        A name that is not imported is taken for one of the file's own.
        """
        return set(self._chains.of(_Chain(path, names, is_export=False)))

    def exported(self, path: str, names: Names) -> set[Declaration]:
        """The declarations of a chain of names that begins with an export of a file."""
        return set(self._chains.of(_Chain(path, names, is_export=True)))

    def uses(self, declared: Iterable[Declaration]) -> Mapping[str, set[str]]:
        """The files that use the declarations, with the local names they have for them.

        The names are those that a file imports, or re-exports; there are none for a file that has
        the declarations only as members of a namespace.

        Args:
            declared: Declarations at the top of files.
        """
        given = frozenset(declared)
        return self._uses.get(given, lambda: self._find_uses(given))

    def _find_uses(self, declared: Collection[Declaration]) -> Mapping[str, set[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        waiting: set[tuple[str, HeldName]] = set()
        self.load(path for path, _ in declared)
        for path, name in declared:
            names = {export.name for export in self.of_file(path).exports_of.get(name, ())}
            names |= {name} if is_open(path) else set()
            found[path] |= names
            waiting |= {(path, HeldName(exported)) for exported in names}
        self._follow(waiting, found)
        return dict(found)

    def uses_of_export(
        self, path: str, name: str, *, by_star: bool = False
    ) -> Mapping[str, set[str]]:
        """The files that take an export of a file, with their names for it; see `uses`.

        The file need not have the export any more.

        Args:
            path: The file.
            name: The exported name.
            by_star: Only for those that take it from the file by Python's ``import *``.
        """
        found: defaultdict[str, set[str]] = defaultdict(set)
        waiting = {(path, HeldName(name))}
        if by_star:
            importers = sorted(self._stored.dependents([path]).get(path, ()))
            self.load(importers)
            waiting = {(one, HeldName(name)) for one in importers if self._takes_all(one, path)}
            for one, held in waiting:
                found[one].add(held.name)
        self._follow(waiting, found)
        return found

    def _takes_all(self, importer: str, path: str) -> bool:
        items = self.of_file(importer).by_target.get(path, ())
        return any((EVERYTHING, EVERYTHING) in map(tuple, item.names) for item in items)

    def _follow(
        self, waiting: set[tuple[str, HeldName]], found: defaultdict[str, set[str]]
    ) -> None:
        """Add the names that importers have for exports, and the importers of theirs."""
        seen: set[tuple[str, HeldName]] = set()
        while waiting := waiting - seen:
            seen |= waiting
            held: defaultdict[str, list[HeldName]] = defaultdict(list)
            for path, one in waiting:
                held[path].append(one)
            importers = self._stored.dependents(list(held))
            self.load({importer for some in importers.values() for importer in some})
            waiting = set()
            for path, some in held.items():
                checkpoint()
                for importer in (path, *importers.get(path, ())):  # a file may import itself
                    for item in self.of_file(importer).by_target.get(path, ()):
                        passed = self._passed_on(importer, item, some, found)
                        waiting |= {(importer, one) for one in passed}

    def _passed_on(
        self,
        importer: str,
        item: ModuleImport,
        held: list[HeldName],
        found: dict[str, set[str]],
    ) -> set[HeldName]:
        """Add the names that an import gives to exports; return those that re-export it."""
        onward: set[HeldName] = set()
        names = self.of_file(importer)
        found[importer] |= set()  # import("x").Name binds no names
        if item.kind == RE_EXPORT:
            exports = [e for e in names.module.exports if e.source == item.source]
            pairs = [(one, passed_as(export, one)) for export in exports for one in held]
        else:
            pairs = [
                (one, bound_as(imported, local, one, kind=item.kind))
                for imported, local in item.names
                for one in held
            ]
        for one, bound in pairs:
            if bound is None:
                continue
            found[importer] |= {one.own, bound.own}
            if item.kind == RE_EXPORT:
                onward.add(bound)
                continue
            if is_open(importer):
                onward.add(bound)
            for export in names.exports_of.get(bound.name, ()):
                onward.add(bound._replace(name=export.name))
                found[importer] |= set() if bound.inside else {export.name}
        return onward

    def _look(self, chain: _Chain) -> tuple[list[Declaration], list[_Chain]]:
        """The declarations that a chain stands for directly, and the chains it leads to."""
        found, onward = self._exported(chain) if chain.is_export else self._named(chain)
        self.load(one.path for one in onward)
        return found, onward

    def _named(self, chain: _Chain) -> tuple[list[Declaration], list[_Chain]]:
        path, names, _ = chain
        found: list[Declaration] = []
        followed = self._followed(path, names)
        if not followed or is_open(path):  # Python may import and declare the same name
            found.append((path, ".".join(names)))
        if not followed and is_open(path):
            everything = self.imported(path, EVERYTHING)
            followed = [(target, EVERYTHING, names) for target, _ in everything]
        onward = [
            (target, rest if name == EVERYTHING else (name, *rest))
            for target, name, rest in followed
        ]
        return found, [_Chain(target, rest, is_export=True) for target, rest in onward if rest]

    def _followed(self, path: str, names: Names) -> list[tuple[str, str, Names]]:
        """The imports of a chain: path, exported name or "*", rest of the chain.

        The binding of ``import a.b`` is called "a.b".
        """
        longest = len(names) if is_open(path) else 1
        return [
            (target, name, names[length:])
            for length in range(1, longest + 1)
            for target, name in self.imported(path, ".".join(names[:length]))
        ]

    def _exported(self, chain: _Chain) -> tuple[list[Declaration], list[_Chain]]:
        path, (first, *others), _ = chain
        rest = tuple(others)
        own = self.of_file(path)
        onward: list[_Chain] = []
        exports = own.exports.get(first, [])
        for export in exports:
            local = (export.local or DEFAULT, *rest)
            if export.source is None:
                onward.append(_Chain(path, local, is_export=False))
            elif (target := own.sources.get(export.source)) is not None:
                chosen = rest if export.local == EVERYTHING else local
                onward += [_Chain(target, chosen, is_export=True)] if chosen else []
        if not exports and is_open(path):
            onward.append(chain._replace(is_export=False))
        elif not exports and first != DEFAULT:
            for export in own.exports.get(EVERYTHING, ()):
                target = own.sources.get(export.source or "")
                onward += [chain._replace(path=target)] if target is not None else []
        onward += [chain._replace(path=other) for other in self._stored.other_halves(path)]
        return [], onward
