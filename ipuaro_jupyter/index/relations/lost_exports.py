"""The uses of names that files export no longer, by what other files import."""

from collections.abc import Iterator
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.imports_and_exports import (
    DEFAULT,
    EVERYTHING,
    RE_EXPORT,
)
from ipuaro_jupyter.index.binding.reference_cache import LookupState
from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree, is_member
from ipuaro_jupyter.index.extract.postings import offset_of
from ipuaro_jupyter.index.relations.source_places import SourcePlaces
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.records.impact import LostExport


class LostUse(NamedTuple):
    """A place that uses an export; not certain as a member of a module as a whole."""

    path: str
    line: int
    column: int
    name: str
    is_certain: bool


class LostExports:
    """Finds the uses of exports in one state of the index, with the change or without it.

    Args:
        asked: That state.
        sources: Reads the files.
    """

    def __init__(self, asked: LookupState, sources: SourcePlaces) -> None:
        self._asked = asked
        self._sources = sources

    def places(self, export: LostExport) -> Iterator[LostUse]:
        """Yield the uses of a name in other files, by path and place."""
        names = [export.name]
        if export.name == EVERYTHING:
            names = sorted(self._passed_on(export.path, export.source, set()))
        for name in names:
            found = self._asked.aliases.uses_of_export(export.path, name)
            for path in sorted(found.keys() - {export.path}):
                checkpoint()
                for local in sorted(found[path] - {DEFAULT}):
                    yield from self._in_file(path, local, name, found[path])

    def _passed_on(self, path: str, source: str, seen: set[str]) -> set[str]:
        """The names that others take through ``export * from source`` of a file."""
        aliases = self._asked.aliases
        target = aliases.target(path, source)
        seen.add(path)
        found = set[str]()
        for importer in self._asked.stored.dependents([path]).get(path, ()):
            names = aliases.of_file(importer)
            for item in names.by_target.get(path, ()):
                found |= {imported for imported, _ in item.names}
                is_star = item.kind == RE_EXPORT and EVERYTHING in names.exports
                if is_star and importer not in seen:
                    found |= self._passed_on(importer, source, seen)
        return {
            name
            for name in found - {EVERYTHING, DEFAULT}
            if not aliases.exports(path, name)
            and (
                not (declared := aliases.exported(path, (name,)))
                or (target is not None and declared & aliases.exported(target, (name,)))
            )
        }

    def _in_file(self, path: str, local: str, name: str, names: set[str]) -> Iterator[LostUse]:
        """Yield the places at which a name of a file is that of the import."""
        file, tree = self._asked.files.file(path), self._asked.files.tree(path)
        imported = {of for _, of in self._asked.aliases.imported(path, local)}
        if imported == {EVERYTHING}:
            return  # a module as a whole: the members of it count
        for place in file.places(local):
            offset = offset_of(place)
            node = tree.node(offset, local) if tree is not None else None
            is_certain = tree is not None and node is not None
            if tree is not None and node is not None and is_member(node):
                object_ = node.parent.child_by_field_name("object") if node.parent else None
                text = tree.text(object_) if object_ is not None else ""
                whole = {of for _, of in self._asked.aliases.imported(path, text)}
                is_certain = EVERYTHING in whole
                if not is_certain and text.rpartition(".")[2] not in names:
                    continue
            elif not self._is_import(tree, node, local):
                continue
            spot = self._sources.spot(path, offset)
            yield LostUse(path, spot.line, spot.column, name, is_certain)

    @staticmethod
    def _is_import(tree: SourceTree | None, node: Node | None, local: str) -> bool:
        """Whether a name is that of an import; taken for one where nothing is parsed."""
        if tree is None or node is None:
            return True
        return any(bound.is_import for bound in tree.bound(local, node))
