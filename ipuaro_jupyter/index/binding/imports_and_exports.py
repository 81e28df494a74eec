"""The names that a file imports and exports, where they come from, and what passes them on."""

from functools import cached_property
from typing import NamedTuple

from ipuaro_jupyter.index.storage.stored_index import (
    DEFAULT,
    EVERYTHING,
    Links,
    Module,
    ModuleExport,
    ModuleImport,
)

RE_EXPORT = "re-export"
WHOLE_MODULE = ("require", "import-equals")
"""Kinds of imports that give a whole module under one name."""


class ImportsAndExports:
    """The imports and exports of one file, by name."""

    def __init__(self, module: Module, links: Links) -> None:
        self.module = module
        modules = [links[i].modules if i < len(links) else {} for i in range(len(module.imports))]
        self.targets = [
            links[i].target if i < len(links) else None for i in range(len(module.imports))
        ]
        self.sources: dict[str, str | None] = {}
        self.imported: dict[str, list[tuple[str, str, str]]] = {}
        self.by_target: dict[str, list[ModuleImport]] = {}
        for item, path, inner in zip(module.imports, self.targets, modules, strict=True):
            self.sources.setdefault(item.source, path)
            for imported, local in item.names if inner else ():
                if imported in inner:
                    self._add_module(inner[imported], local, item)
            if path is None:
                continue
            halves = [other for key, other in inner.items() if key == other != path]
            for one in (path, *halves):
                self.by_target.setdefault(one, []).append(item)
            for imported, local in item.names if item.kind != RE_EXPORT else ():
                if imported not in inner:
                    self.imported.setdefault(local, []).append((path, imported, item.kind))
        self.exports: dict[str, list[ModuleExport]] = {}
        self.exports_of: dict[str, list[ModuleExport]] = {}
        for export in module.exports:
            self.exports.setdefault(export.name, []).append(export)
            if export.source is None:
                self.exports_of.setdefault(export.local or DEFAULT, []).append(export)

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
                if item.kind == RE_EXPORT:
                    found.setdefault(local, set()).add((path, imported))
                if item.kind == RE_EXPORT or imported != local:
                    found.setdefault(imported, set()).add((path, imported))
        for export in self.module.exports:
            if export.source is None and export.local != export.name:
                found.setdefault(export.name, set()).add((None, export.local or DEFAULT))
        return found

    def modules_named(self, name: str) -> set[str]:
        """The files that are imported, or passed on, whole under a name."""
        found = {
            path for path, imported, _ in self.imported.get(name, ()) if imported == EVERYTHING
        }
        for item, path in zip(self.module.imports, self.targets, strict=True):
            is_passed_on = item.kind == RE_EXPORT and (EVERYTHING, name) in item.names
            found |= {path} if is_passed_on and path is not None else set()
        return found

    def _add_module(self, path: str, local: str, item: ModuleImport) -> None:
        """Add an imported name that is a module itself."""
        whole = ModuleImport(item.source, item.kind, item.line, [(EVERYTHING, local)])
        self.by_target.setdefault(path, []).append(whole)
        self.imported.setdefault(local, []).append((path, EVERYTHING, item.kind))


class HeldName(NamedTuple):
    """A name under which a file can reach the declarations: their own, or that of a namespace.

    How deep inside the namespace they are does not matter to the next importer: only the name of
    the declaration there does. So a file has no more states than pairs of names that the code
    writes, even when modules contain one another.

    Attributes:
        name: The name in the file.
        inside: What a declaration is called in the namespace; "" for the declaration's own name.
    """

    name: str
    inside: str = ""

    @property
    def own(self) -> str:
        """What the declaration is called."""
        return self.inside or self.name


def passed_as(export: ModuleExport, held: HeldName) -> HeldName | None:
    """The name under which ``export ... from`` passes a name on; None when it does not."""
    if export.local == EVERYTHING and export.name == EVERYTHING:
        return held if held.name != DEFAULT else None
    if export.local == EVERYTHING:
        return HeldName(export.name, inside=held.own)
    return held._replace(name=export.name) if export.local == held.name else None


def bound_as(imported: str, local: str, held: HeldName, *, kind: str) -> HeldName | None:
    """The name that an import binding gives to a name; None when it binds another."""
    first, dot, rest = held.name.partition(".")  # Python's ``import a.b`` binds "a.b"
    if imported == first:
        return held._replace(name=f"{local}{dot}{rest}")
    if imported == local == EVERYTHING:
        return held
    if imported == EVERYTHING:
        if held.name == DEFAULT and kind in WHOLE_MODULE:
            return held._replace(name=local)
        return HeldName(local, inside=held.own)
    return None
