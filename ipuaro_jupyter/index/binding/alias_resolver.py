"""Follow names through imports and exports, in both directions.

A declaration is (path, qualified name). Of a chain of names, such as ``ns.Class``, the first is
looked up in a file and each other in the target of the one before.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.closure import Closure
from ipuaro_jupyter.index.binding.lru_cache import LruCache
from ipuaro_jupyter.index.storage.stored_index import (
    Links,
    Module,
    ModuleExport,
    ModuleImport,
    StoredIndex,
)
from ipuaro_jupyter.languages.registry import language_for

Declaration = tuple[str, str]
Names = tuple[str, ...]

_EVERYTHING = "*"
_DEFAULT = "default"
_RE_EXPORT = "re-export"
_NOTHING = Module([], [])
_WHOLE_MODULE = ("require", "import-equals")
_KEPT_CHAINS = 20_000
_KEPT_USES = 200


class _Chain(NamedTuple):
    """A chain of names in a file; the first is an export or a name bound at the top level."""

    path: str
    names: Names
    is_export: bool


class _Held(NamedTuple):
    """A name under which a file can reach the declarations: their own, or that of a namespace.

    How deep inside the namespace they are does not matter to the next importer. So a file has at
    most two states per name that its code writes, even when modules contain one another.
    """

    name: str
    is_inside: bool


class _ImportsAndExports:
    """The imports and exports of one file, by name."""

    def __init__(self, module: Module, links: Links) -> None:
        self.module = module
        modules = [links[i].modules if i < len(links) else {} for i in range(len(module.imports))]
        paths = [links[i].target if i < len(links) else None for i in range(len(module.imports))]
        self.sources: dict[str, str | None] = {}
        self.imported: dict[str, list[tuple[str, str, str]]] = {}
        self.by_target: dict[str, list[ModuleImport]] = {}
        for item, path, inner in zip(module.imports, paths, modules, strict=True):
            self.sources.setdefault(item.source, path)
            for imported, local in item.names if inner else ():
                if imported in inner:
                    self._add_module(inner[imported], local, item)
            if path is None:
                continue
            self.by_target.setdefault(path, []).append(item)
            for imported, local in item.names if item.kind != _RE_EXPORT else ():
                if imported not in inner:
                    self.imported.setdefault(local, []).append((path, imported, item.kind))
        self.exports: dict[str, list[ModuleExport]] = {}
        self.exports_of: dict[str, list[ModuleExport]] = {}
        for export in module.exports:
            self.exports.setdefault(export.name, []).append(export)
            if export.source is None:
                self.exports_of.setdefault(export.local or _DEFAULT, []).append(export)

    @cached_property
    def specified(self) -> dict[str, set[tuple[str | None, str]]]:
        """The targets of names that appear in an import or export but bind nothing.

        A target is (path, exported name); in the file itself, (None, name at the top). An unknown
        path is "".
        """
        found: dict[str, set[tuple[str | None, str]]] = {}
        for item in self.module.imports:
            path = self.sources.get(item.source) or ""
            for imported, local in item.names:
                if item.kind == _RE_EXPORT:
                    found.setdefault(local, set()).add((path, imported))
                if item.kind == _RE_EXPORT or imported != local:
                    found.setdefault(imported, set()).add((path, imported))
        for export in self.module.exports:
            if export.source is None and export.local != export.name:
                found.setdefault(export.name, set()).add((None, export.local or _DEFAULT))
        return found

    def _add_module(self, path: str, local: str, item: ModuleImport) -> None:
        """Add an imported name that is a module itself."""
        whole = ModuleImport(item.source, item.kind, item.line, [(_EVERYTHING, local)])
        self.by_target.setdefault(path, []).append(whole)
        self.imported.setdefault(local, []).append((path, _EVERYTHING, item.kind))


class AliasResolver:
    """Follows names among the files of an index; everything read is cached."""

    def __init__(self, stored: StoredIndex) -> None:
        self._stored = stored
        self._files: dict[str, _ImportsAndExports] = {}
        self._chains = Closure[_Chain, Declaration](self._look, most=_KEPT_CHAINS)
        self._uses = LruCache[frozenset[Declaration], Mapping[str, set[str]]](_KEPT_USES)

    def load(self, paths: Iterable[str]) -> None:
        """Read several files at once, which is faster than one by one."""
        missing = [path for path in paths if path not in self._files]
        modules, links = self._stored.modules(missing), self._stored.links(missing)
        for path in missing:
            self._files[path] = _ImportsAndExports(modules.get(path, _NOTHING), links.get(path, []))

    def imported(self, path: str, local: str) -> list[tuple[str, str]]:
        """The sources of an imported name of a file: (path, exported name or "*")."""
        found = []
        for target, imported, kind in self._names(path).imported.get(local, ()):
            whole = imported == _EVERYTHING and kind in _WHOLE_MODULE
            if whole and _DEFAULT in self._names(target).exports:
                found.append((target, _DEFAULT))  # module.exports = … exports all of it
            else:
                found.append((target, imported))
        return found

    def taken(self, path: str, name: str) -> set[Declaration]:
        """The imports of a file, under any local name, that are called ``name`` at their source."""
        targets = {
            target
            for some in self._names(path).imported.values()
            for target, imported, _ in some
            if imported == name
        }
        return {found for target in targets for found in self.exported(target, (name,))}

    def exports(self, path: str, name: str) -> bool:
        """Whether a file exports a name, its own or another file's."""
        return name in self._names(path).exports

    def is_shared(self, path: str, name: str) -> bool:
        """Whether a file imports a name, or exports one of its own under it."""
        names = self._names(path)
        return name in names.imported or name in names.exports_of

    def is_specified(self, path: str, name: str) -> bool:
        """Whether a name in an import or export of a file differs from the file's own."""
        return name in self._names(path).specified

    def meaning(self, path: str, name: str, *, is_own: bool) -> set[Declaration] | None:
        """The declarations of a name in places where it has its top-level meaning.

        None when it has another meaning in an import or export than elsewhere.

        Args:
            path: The file.
            name: The name.
            is_own: Whether the file declares it at its top.
        """
        names = self._names(path)
        specified = names.specified.get(name, set())
        if is_own or self.is_shared(path, name):
            return None if specified else self.declarations(path, (name,))
        if len(specified) > 1:
            return None
        found: set[Declaration] = set()
        for source, imported in specified:
            if source is None:
                found |= self.declarations(path, (imported,))
            elif source and imported != _EVERYTHING:
                found |= self.exported(source, (imported,))
        return found

    def target(self, path: str, source: str) -> str | None:
        """The file that a module specifier in a file leads to."""
        return self._names(path).sources.get(source)

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

    def _find_uses(self, declared: Iterable[Declaration]) -> Mapping[str, set[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        waiting: set[tuple[str, _Held]] = set()
        for path, name in declared:
            names = {export.name for export in self._names(path).exports_of.get(name, ())}
            names |= {name} if _is_open(path) else set()
            found[path] |= names
            waiting |= {(path, _Held(exported, is_inside=False)) for exported in names}
        seen: set[tuple[str, _Held]] = set()
        while waiting := waiting - seen:
            seen |= waiting
            held: defaultdict[str, list[_Held]] = defaultdict(list)
            for path, one in waiting:
                held[path].append(one)
            importers = self._stored.dependents(list(held))
            self.load({importer for some in importers.values() for importer in some})
            waiting = set()
            for path, some in importers.items():
                checkpoint()
                for importer in some:
                    for item in self._names(importer).by_target.get(path, ()):
                        passed = self._passed_on(importer, item, held[path], found)
                        waiting |= {(importer, one) for one in passed}
        return dict(found)

    def _passed_on(
        self,
        importer: str,
        item: ModuleImport,
        held: list[_Held],
        found: dict[str, set[str]],
    ) -> set[_Held]:
        """Add the names that an import gives to exports; return those that re-export it."""
        onward: set[_Held] = set()
        names = self._names(importer)
        found[importer] |= set()  # import("x").Name binds no names
        if item.kind == _RE_EXPORT:
            exports = [e for e in names.module.exports if e.source == item.source]
            pairs = [(one, _through(export, one)) for export in exports for one in held]
        else:
            pairs = [
                (one, _bound(imported, local, one, kind=item.kind))
                for imported, local in item.names
                for one in held
            ]
        for one, bound in pairs:
            if bound is None:
                continue
            found[importer] |= {some.name for some in (one, bound) if not some.is_inside}
            if item.kind == _RE_EXPORT:
                onward.add(bound)
                continue
            if _is_open(importer):
                onward.add(bound)
            for export in names.exports_of.get(bound.name, ()):
                onward.add(bound._replace(name=export.name))
                found[importer] |= set() if bound.is_inside else {export.name}
        return onward

    def _look(self, chain: _Chain) -> tuple[list[Declaration], list[_Chain]]:
        """The declarations that a chain stands for directly, and the chains it leads to."""
        return self._exported(chain) if chain.is_export else self._named(chain)

    def _named(self, chain: _Chain) -> tuple[list[Declaration], list[_Chain]]:
        path, names, _ = chain
        found: list[Declaration] = []
        followed = self._followed(path, names)
        if not followed:
            found.append((path, ".".join(names)))
            if _is_open(path):
                everything = self.imported(path, _EVERYTHING)
                followed = [(target, _EVERYTHING, names) for target, _ in everything]
        onward = [
            (target, rest if name == _EVERYTHING else (name, *rest))
            for target, name, rest in followed
        ]
        return found, [_Chain(target, rest, is_export=True) for target, rest in onward if rest]

    def _followed(self, path: str, names: Names) -> list[tuple[str, str, Names]]:
        """The imports of a chain: path, exported name or "*", rest of the chain.

        The binding of ``import a.b`` is called "a.b".
        """
        longest = len(names) if _is_open(path) else 1
        return [
            (target, name, names[length:])
            for length in range(1, longest + 1)
            for target, name in self.imported(path, ".".join(names[:length]))
        ]

    def _exported(self, chain: _Chain) -> tuple[list[Declaration], list[_Chain]]:
        path, (first, *others), _ = chain
        rest = tuple(others)
        own = self._names(path)
        onward: list[_Chain] = []
        exports = own.exports.get(first, [])
        for export in exports:
            local = (export.local or _DEFAULT, *rest)
            if export.source is None:
                onward.append(_Chain(path, local, is_export=False))
            elif (target := self.target(path, export.source)) is not None:
                chosen = rest if export.local == _EVERYTHING else local
                onward += [_Chain(target, chosen, is_export=True)] if chosen else []
        if not exports and _is_open(path):
            onward.append(chain._replace(is_export=False))
        elif not exports and first != _DEFAULT:
            for export in own.exports.get(_EVERYTHING, ()):
                target = self.target(path, export.source or "")
                onward += [chain._replace(path=target)] if target is not None else []
        return [], onward

    def _names(self, path: str) -> _ImportsAndExports:
        """The names of a file; none for one that is not indexed."""
        if path not in self._files:
            self.load([path])
        return self._files[path]


def _is_open(path: str) -> bool:
    """Whether others may import every top-level name of a file, even its imports."""
    language = language_for(path)
    return language is not None and language.modules == "python"


def _through(export: ModuleExport, held: _Held) -> _Held | None:
    """The name under which ``export ... from`` passes a name on; None when it does not."""
    if export.local == _EVERYTHING and export.name == _EVERYTHING:
        return held if held.name != _DEFAULT else None
    if export.local == _EVERYTHING:
        return _Held(export.name, is_inside=True)
    return held._replace(name=export.name) if export.local == held.name else None


def _bound(imported: str, local: str, held: _Held, *, kind: str) -> _Held | None:
    """The name that an import binding gives to a name; None when it binds another."""
    if imported == held.name:
        return held._replace(name=local)
    if imported == local == _EVERYTHING:
        return held
    if imported == _EVERYTHING:
        if held.name == _DEFAULT and kind in _WHOLE_MODULE:
            return held._replace(name=local)
        return _Held(local, is_inside=True)
    return None
