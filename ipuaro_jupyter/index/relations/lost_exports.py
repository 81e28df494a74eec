"""The uses of names that files export no longer, by what other files import."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.imports_and_exports import RE_EXPORT
from ipuaro_jupyter.index.binding.reference_cache import LookupState
from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree, is_member
from ipuaro_jupyter.index.extract.postings import offset_of
from ipuaro_jupyter.index.relations.passed_on import Fate, PassedOn
from ipuaro_jupyter.index.relations.source_places import SourcePlaces
from ipuaro_jupyter.index.storage.stored_index import DEFAULT, EVERYTHING
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
        given: The names that changed files give by name after the change, by path.
    """

    def __init__(
        self, asked: LookupState, sources: SourcePlaces, given: Mapping[str, frozenset[str]]
    ) -> None:
        self._asked = asked
        self._sources = sources
        self._passed = PassedOn(asked, given)
        self._after = given

    def fate(self, export: LostExport) -> Fate:
        """What becomes of a name."""
        return self._passed.fate(export)

    def places(self, export: LostExport) -> Iterator[LostUse]:
        """Yield the uses of a name in other files, by path and place."""
        names = [export.name]
        is_open_end = False
        if export.name == EVERYTHING:
            names = sorted(self._of_star(export))
            is_open_end = bool(self._unknown(export))
        for name in names:
            found = self._asked.aliases.uses_of_export(export.path, name, by_star=export.by_star)
            for path in sorted(found.keys() - {export.path}):
                checkpoint()
                for local in sorted(found[path] - {DEFAULT}):
                    for use in self._in_file(path, local, name, found):
                        yield use._replace(is_certain=use.is_certain and not is_open_end)

    def _unknown(self, export: LostExport) -> list[str]:
        """The modules that a file still passes on, and whose names are not known."""
        found: list[str] = []
        for star in export.stars:
            target = self._passed.target(export.path, star)
            found += [star] if target is None else self._passed.open_stars(target)
        return found

    def _of_star(self, export: LostExport) -> set[str]:
        """The names that others can have through ``export * from source`` of a file only."""
        path, target = export.path, self._passed.target(export.path, export.source)
        found = self._passed_on(path, export.source, set())
        if target is not None:
            found = self._passed.names(target)
        if path in self._after:
            found -= self._after[path]
        for star in export.stars:
            other = self._passed.target(path, star)
            found -= self._passed.names(other) if other is not None else set()
        return found - {EVERYTHING, DEFAULT}

    def _passed_on(self, path: str, source: str, seen: set[str]) -> set[str]:
        """The names that others import from a file, or through others from it."""
        aliases = self._asked.aliases
        seen.add(path)
        found = set[str]()
        for importer in self._asked.stored.dependents([path]).get(path, ()):
            names = aliases.of_file(importer)
            for item in names.by_target.get(path, ()):
                found |= {imported for imported, _ in item.names}
                is_star = item.kind == RE_EXPORT and EVERYTHING in names.exports
                is_star = is_star or (EVERYTHING, EVERYTHING) in map(tuple, item.names)
                if is_star and importer not in seen:
                    found |= self._passed_on(importer, source, seen)
        return {
            name
            for name in found
            if not aliases.exports(path, name) and not self._declared(path, name)
        }

    def _declared(self, path: str, name: str) -> bool:
        """Whether a file has a name of its own, or from a file of the project."""
        found = self._asked.aliases.exported(path, (name,))
        return any(self._asked.files.file(at).declares(qualified) for at, qualified in found)

    def _in_file(
        self, path: str, local: str, name: str, taken: Mapping[str, set[str]]
    ) -> Iterator[LostUse]:
        """Yield the places at which a name of a file is that of the import."""
        file, names = self._asked.files.file(path), taken[path]
        imported = {of for _, of in self._asked.aliases.imported(path, local)}
        if imported == {EVERYTHING}:
            return  # a module as a whole: the members of it count
        judged = self._in_python if self._sources.is_python(path) else self._in_script
        for place in file.places(local):
            offset = offset_of(place)
            is_certain = judged(path, local, offset, names)
            if is_certain is not None:
                spot = self._sources.spot(path, offset)
                yield LostUse(path, spot.line, spot.column, name, is_certain)

    def _in_script(self, path: str, local: str, offset: int, names: set[str]) -> bool | None:
        """Whether a place is certain; None where it is something else."""
        tree = self._asked.files.tree(path)
        node = tree.node(offset, local) if tree is not None else None
        if tree is None or node is None:
            return False
        if is_member(node):
            object_ = node.parent.child_by_field_name("object") if node.parent else None
            return self._of_module(path, tree.text(object_) if object_ is not None else "", names)
        return True if self._is_import(tree, node, local) else None

    def _of_module(self, path: str, text: str, names: set[str]) -> bool | None:
        """Whether what is in front of a member is a module as a whole."""
        whole = {of for _, of in self._asked.aliases.imported(path, text)}
        if EVERYTHING in whole:
            return True
        return False if text.rpartition(".")[2] in names else None

    def _in_python(self, path: str, local: str, offset: int, names: set[str]) -> bool | None:
        """Whether a place is certain; None where it is something else."""
        scopes = self._asked.references.python.scopes(path)
        node = self._sources.node(path, offset, local)
        if scopes is None or node is None:
            return False
        if self._sources.role(path, node) == "import":
            return True
        parent = node.parent
        member = scopes.source.member(parent) if parent is not None else None
        if member is not None and member[1] == node:
            return self._of_module(path, scopes.source.flat(member[0]), names)
        keywords = scopes.source.tables.keywords
        is_key = parent is not None and parent.type in keywords and parent.start_byte == offset
        is_own = self._asked.files.file(path).declares(local)
        return None if is_key or is_own or scopes.binding(local, offset) is not None else True

    @staticmethod
    def _is_import(tree: SourceTree, node: Node, local: str) -> bool:
        """Whether a name is that of an import."""
        return any(bound.is_import for bound in tree.bound(local, node))
