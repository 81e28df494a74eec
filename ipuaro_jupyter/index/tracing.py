"""Follow names through imports and exports, both ways.

A declaration is (path, qualified name). In a chain of names, as in ``ns.Class``, the first is
looked up in a file and the others in what it stands for.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ipuaro_jupyter.index.stored import Links, Module, ModuleExport, ModuleImport, Stored

Declaration = tuple[str, str]
Names = tuple[str, ...]

_EVERYTHING = "*"
_DEFAULT = "default"
_WHOLE_MODULE = ("require", "import-equals")
_MOST_STEPS = 200


class Tracing:
    """Follows names among the files of an index; what it has read it keeps."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self._modules: dict[str, Module] = {}
        self._links: dict[str, Links] = {}

    def load(self, paths: Iterable[str]) -> None:
        """Read several files at once, which is faster than one by one."""
        missing = [path for path in paths if path not in self._modules]
        modules, links = self._stored.modules(missing), self._stored.links(missing)
        for path in missing:
            self._modules[path] = modules.get(path, Module([], []))
            self._links[path] = links.get(path, [])

    def module(self, path: str) -> Module:
        """Return the imports and exports of a file; none for one that is not indexed."""
        if path not in self._modules:
            self.load([path])
        return self._modules[path]

    def imported(self, path: str, local: str) -> list[tuple[str, str]]:
        """Return what a name of a file is imported from: (path, exported name or "*")."""
        found = []
        for index, item in enumerate(self.module(path).imports):
            target = self._target(path, index)
            if target is None or item.kind == "re-export":
                continue
            for imported, name in item.names:
                if name == local:
                    whole = imported == _EVERYTHING and item.kind in _WHOLE_MODULE
                    if whole and self._exports(target, _DEFAULT):
                        imported = _DEFAULT  # noqa: PLW2901 - module.exports = … is all of it
                    found.append((target, imported))
        return found

    def target(self, path: str, source: str) -> str | None:
        """Return the file that a module specifier of a file leads to."""
        for index, item in enumerate(self.module(path).imports):
            if item.source == source:
                return self._target(path, index)
        return None

    def declarations(self, path: str, names: Names) -> set[Declaration]:
        """Return what a chain of names at the top of a file stands for.

        A name that is not imported is taken for one of the file's own.
        """
        return self._named(path, names, set())

    def exported(self, path: str, names: Names) -> set[Declaration]:
        """Return what a chain of names stands for that begins with an export of a file."""
        return self._exported(path, names, set())

    def uses(self, declared: Iterable[Declaration]) -> dict[str, set[str]]:
        """Return the files that have the declarations, with the names that they use for them.

        The names are those that a file imports, or passes on; there are none for a file that has
        the declarations as members of a namespace only.

        Args:
            declared: Declarations at the top of files.
        """
        found: defaultdict[str, set[str]] = defaultdict(set)
        waiting: set[tuple[str, Names]] = set()
        for path, name in declared:
            names = {export.name for export in self._exports_of(path, name)}
            found[path] |= names
            waiting |= {(path, (exported,)) for exported in names}
        seen: set[tuple[str, Names]] = set()
        while waiting := waiting - seen:
            seen |= waiting
            chains: defaultdict[str, list[Names]] = defaultdict(list)
            for path, chain in waiting:
                chains[path].append(chain)
            importers = self._stored.dependents(list(chains))
            self.load({importer for some in importers.values() for importer in some})
            waiting = set()
            for path, some in importers.items():
                for importer in some:
                    for index, item in enumerate(self.module(importer).imports):
                        if self._target(importer, index) == path:
                            passed = self._passed_on(importer, item, chains[path], found)
                            waiting |= {(importer, chain) for chain in passed}
        return found

    def _passed_on(
        self,
        importer: str,
        item: ModuleImport,
        chains: list[Names],
        found: dict[str, set[str]],
    ) -> set[Names]:
        """Add the names that an import gives to exports; return those it is exported by."""
        onward: set[Names] = set()
        if item.kind == "re-export":
            exports = [e for e in self.module(importer).exports if e.source == item.source]
            pairs = [(chain, _through(export, chain)) for export in exports for chain in chains]
        else:
            pairs = [
                (chain, _bound(imported, local, chain, kind=item.kind))
                for imported, local in item.names
                for chain in chains
            ]
        for chain, bound in pairs:
            if bound is None:
                continue
            found[importer] |= {names[0] for names in (chain, bound) if len(names) == 1}
            if item.kind == "re-export":
                onward.add(bound)
                continue
            for export in self._exports_of(importer, bound[0]):
                onward.add((export.name, *bound[1:]))
                found[importer] |= {export.name} if len(bound) == 1 else set()
        return onward

    def _named(self, path: str, names: Names, seen: set[tuple[str, Names]]) -> set[Declaration]:
        imported = self.imported(path, names[0])
        if not imported:
            return {(path, ".".join(names))}
        found: set[Declaration] = set()
        for target, name in imported:
            if name == _EVERYTHING:
                found |= self._exported(target, names[1:], seen) if len(names) > 1 else set()
            else:
                found |= self._exported(target, (name, *names[1:]), seen)
        return found

    def _exported(self, path: str, names: Names, seen: set[tuple[str, Names]]) -> set[Declaration]:
        if (path, names) in seen or len(seen) > _MOST_STEPS:
            return set()
        seen.add((path, names))
        exports = self._exports(path, names[0])
        found: set[Declaration] = set()
        for export in exports:
            if export.source is None:
                found |= self._named(path, (export.local or _DEFAULT, *names[1:]), seen)
            elif (target := self.target(path, export.source)) is not None:
                if export.local == _EVERYTHING:
                    rest = names[1:]
                    found |= self._exported(target, rest, seen) if rest else set()
                else:
                    found |= self._exported(target, (export.local or _DEFAULT, *names[1:]), seen)
        if not exports and names[0] != _DEFAULT:
            for export in self._exports(path, _EVERYTHING):
                target = self.target(path, export.source or "")
                if target is not None:
                    found |= self._exported(target, names, seen)
        return found

    def _exports(self, path: str, name: str) -> list[ModuleExport]:
        return [export for export in self.module(path).exports if export.name == name]

    def _exports_of(self, path: str, local: str) -> list[ModuleExport]:
        """Return the exports of a name of the file itself."""
        return [
            export
            for export in self.module(path).exports
            if export.source is None and (export.local or _DEFAULT) == local
        ]

    def _target(self, path: str, index: int) -> str | None:
        links = self._links[path]
        return links[index].path if index < len(links) else None


def _through(export: ModuleExport, names: Names) -> Names | None:
    """Return the chain under which ``export ... from`` passes a chain on; None: not at all."""
    if export.local == _EVERYTHING and export.name == _EVERYTHING:
        return names if names[0] != _DEFAULT else None
    if export.local == _EVERYTHING:
        return (export.name, *names)
    return (export.name, *names[1:]) if export.local == names[0] else None


def _bound(imported: str, local: str, names: Sequence[str], *, kind: str) -> Names | None:
    """Return the chain that a binding of an import gives a chain; None when it is another."""
    if imported == names[0]:
        return (local, *names[1:])
    if imported == _EVERYTHING:
        if names[0] == _DEFAULT and kind in _WHOLE_MODULE:
            return (local, *names[1:])
        return (local, *names)
    return None
