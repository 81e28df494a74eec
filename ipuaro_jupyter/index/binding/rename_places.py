"""The places of a name that a rename concerns, and the text that each of them gets."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.members import Found
from ipuaro_jupyter.index.binding.module_scope_uses import Wanted
from ipuaro_jupyter.index.binding.opened_files import OpenedFile, OpenedFiles
from ipuaro_jupyter.index.binding.python_renames import PythonRenames
from ipuaro_jupyter.index.binding.references import ReferenceFinder
from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree, is_member, is_understood
from ipuaro_jupyter.index.extract.postings import INNER, offset_of, role_of
from ipuaro_jupyter.index.storage.stored_index import DEFAULT, EVERYTHING
from ipuaro_jupyter.languages.language import Node

_MOST_LEVELS = 12  # from a key to the call around it
_SPECIFIERS = frozenset({"import_specifier", "export_specifier"})
Space = Literal["type", "value"]
BOTH: frozenset[Space] = frozenset({"type", "value"})
_VALUES = frozenset(
    {
        *("variable_declarator", "function_declaration", "generator_function_declaration"),
        *("function_signature", "object_pattern", "array_pattern", "pair_pattern"),
    }
)
_TYPES = frozenset({"interface_declaration", "type_alias_declaration"})
# Parents of names that stand for everything of that name, or for a namespace.
_ANY_SPACE = frozenset(
    {
        *("import_specifier", "export_specifier", "import_clause", "export_statement"),
        *("namespace_import", "namespace_export", "import_alias", "import_require_clause"),
        *("nested_type_identifier", "nested_identifier"),
    }
)


@dataclass
class RenameTarget:
    """The subject of a rename.

    Attributes:
        name: Its name.
        declared: Its declarations.
        places: The byte offsets of their names, by path.
        uses: The files that have a name for a top-level declaration, with these names.
        related: Further declarations that have to keep the same name, as far as found.
        spaces: The spaces in which the declarations have the name; None when not looked up yet.
    """

    name: str
    declared: frozenset[Declaration]
    places: Mapping[str, set[int]]
    uses: Mapping[str, set[str]]
    related: Found = field(default_factory=set)
    spaces: frozenset[Space] | None = None

    @cached_property
    def wanted(self) -> Wanted:
        """The declarations that are searched for."""
        return Wanted(self.declared)

    @property
    def has_members(self) -> bool:
        """Whether a declaration is not at the top of a file."""
        return self.wanted.has_members

    @cached_property
    def is_ecmascript(self) -> bool:
        """Whether a declaration is in JavaScript or TypeScript, not in Python."""
        return any(is_understood(path) is not None for path, _ in self.declared)

    def concerns(self, path: str) -> bool:
        """Whether a file may refer to the declarations."""
        return self.has_members or path in self.uses or path in self.places


class RenamePlaces:
    """Judges the places of names.

    Args:
        files: The opened files.
        aliases: Follows names through imports.
        finder: Resolves names.
    """

    def __init__(self, files: OpenedFiles, aliases: AliasResolver, finder: ReferenceFinder) -> None:
        self._files = files
        self._aliases = aliases
        self._finder = finder
        self._python = PythonRenames(files, aliases, finder.python)

    def of(self, path: str, target: RenameTarget) -> dict[int, bool]:
        """The places of a file that the rename concerns: byte offsets, and whether certain.

        Places that stand for something else are left out.
        """
        file = self._files.file(path)
        found = dict(self._declared(path, target))
        for place in file.places(target.name):
            offset = offset_of(place)
            if offset not in found:
                is_certain = self._judged(file, place, target)
                if is_certain is not None:
                    found[offset] = is_certain
        if file.language is None and not target.is_ecmascript:
            found.update(self._python.repeated(path, target.name, target.declared))
        for offset, is_certain in self._in_quotes(path, target):
            if offset - 1 not in found:  # where the quote is the place of a declaration
                found.setdefault(offset, is_certain)
        return found

    def _in_quotes(self, path: str, target: RenameTarget) -> Iterator[tuple[int, bool]]:
        """Yield the places where a member is named as a key, and whether these are certain."""
        is_other = target.is_ecmascript and self._files.file(path).language is None
        if is_other or not target.has_members:
            return
        for offset, meant in self._finder.in_quotes(path, target.name):
            if not target.declared.isdisjoint(meant):
                is_open = self._is_key_open(path, offset, target.name)
                yield offset, meant <= target.declared and not is_open

    def _is_key_open(self, path: str, offset: int, name: str) -> bool:
        """Whether what has a key may be of an unknown type."""
        if self._files.file(path).language is None:
            return self._python.is_key_open(path, name, offset)
        tree = self._files.tree(path)
        node = tree.node(offset, name) if tree is not None else None
        if node is None or node.parent is None:
            return True
        return self._finder.names.is_reassigned(path, node.parent)

    def text(self, path: str, offset: int, target: RenameTarget, to: str) -> str:
        """The text to write at a place: the new name, or a key and a value for ``{ name }``."""
        meant = self._finder.names.of_shorthand(path, target.name, offset)
        if meant is None:
            return to
        is_variable, is_key = (not target.declared.isdisjoint(found) for found in meant)
        if is_variable and is_key:
            return to
        return f"{target.name}: {to}" if is_variable else f"{to}: {target.name}"

    @staticmethod
    def _declared(path: str, target: RenameTarget) -> Iterator[tuple[int, bool]]:
        for offset in target.places.get(path, ()):
            yield offset, True

    def _judged(self, file: OpenedFile, place: int, target: RenameTarget) -> bool | None:
        """Whether a place is certain; None when it stands for something else."""
        path, name, offset = file.path, target.name, offset_of(place)
        if file.language is None:
            found = self._python.judged(path, name, offset, target.declared)
            return None if found is False and target.is_ecmascript else found
        tree = self._files.tree(path)
        node = tree.node(offset, name) if tree is not None else None
        if node is not None and not is_member(node) and not is_in(node, self._spaces(target)):
            return None
        return self._in_scope(file, place, node, target)

    def _in_scope(
        self, file: OpenedFile, place: int, node: Node | None, target: RenameTarget
    ) -> bool | None:
        """Whether a place of JavaScript or TypeScript is certain, as in `_judged`."""
        path, name, offset = file.path, target.name, offset_of(place)
        shorthand = self._finder.names.of_shorthand(path, name, offset)
        if (path not in target.places or not target.has_members) and role_of(place) == INNER:
            is_key = shorthand is not None and self._is_replaced(path, offset, target)
            return False if is_key else None
        if shorthand is not None:
            return self._shorthand(*shorthand, (path, offset), target)
        meant = self._meant(file, place, target)
        if meant is None or node is None:
            return False
        if meant:
            is_it = not target.declared.isdisjoint(meant)
            return self._is_certain(path, node, meant, target) if is_it else None
        return self._is_possible(path, node, target)

    def _spaces(self, target: RenameTarget) -> frozenset[Space]:
        """The spaces in which the declarations have the name."""
        if target.spaces is None:
            found: frozenset[Space] = BOTH if target.has_members else frozenset()
            for path, offsets in target.places.items():
                tree = self._files.tree(path) if is_typescript(path) else None
                for offset in offsets:
                    found |= spaces_of(None if tree is None else tree.node(offset, target.name))
            target.spaces = found
        return target.spaces

    def _shorthand(
        self, variable: Found, key: Found, place: tuple[str, int], target: RenameTarget
    ) -> bool | None:
        """Whether ``{ name }`` is certain, when its variable and its key stand for these."""
        path, offset = place
        if not target.declared.isdisjoint(variable):
            return None if self._is_other_alias(path, target.name) else True
        if not target.declared.isdisjoint(key):
            return key <= target.declared
        if key or not target.is_ecmascript:
            return None
        return False if target.has_members or self._is_replaced(path, offset, target) else None

    def _is_possible(self, path: str, node: Node, target: RenameTarget) -> bool | None:
        """False for a place without a known meaning that may be the symbol; None for others."""
        if not target.is_ecmascript:
            return None
        if is_member(node):
            is_possible = target.has_members or _is_read(node)
            is_possible = is_possible or self._is_replaced(path, node.start_byte, target)
            return False if is_possible else None
        tree = self._files.tree(path)
        bound = tree.bound(target.name, node) if tree is not None else []
        return False if all(declared.is_import for declared in bound) else None

    def _is_replaced(self, path: str, offset: int, target: RenameTarget) -> bool:
        """Whether a key is in the arguments of a call that names the module of the symbol.

        An example is ``vi.mock("./module", () => ({ key: 1 }))``.
        """
        tree = self._files.tree(path)
        node = tree.node(offset, target.name) if tree is not None else None
        for _ in range(_MOST_LEVELS):
            node = node.parent if node is not None else None
            if tree is None or node is None:
                return False
            named = _named_module(tree, node) if node.type == "arguments" else None
            module = self._aliases.target(path, named) if named is not None else None
            if module is not None:
                exported = self._aliases.exported(module, (target.name,))
                return not target.declared.isdisjoint(exported)
        return False

    def _meant(self, file: OpenedFile, place: int, target: RenameTarget) -> Found | None:
        """The declarations that a place may stand for; None when the file is not parsed."""
        path, name = file.path, target.name
        if path not in target.places or not target.has_members:
            known = self._finder.module_scope_uses.stands_for(file, name, place, target.wanted)
            if known and not self._is_other_alias(path, name):
                return set(target.declared)
        return self._finder.names.of(path, name, offset_of(place))

    def _is_certain(self, path: str, node: Node, meant: Found, target: RenameTarget) -> bool | None:
        """Whether a place that may stand for the symbol stands for nothing else."""
        is_binding = not is_member(node) and not _is_outer(node)
        if is_binding and self._is_other_alias(path, target.name):
            return None
        if meant <= target.declared:
            return not self._finder.names.is_reassigned(path, node)
        if (path, node.start_byte) in self._declarations(meant):
            target.related |= meant  # a key of an object with that type
            return True
        return False

    def _declarations(self, meant: Found) -> set[tuple[str, int]]:
        return {
            (path, offset)
            for path, qualified in meant
            for offset in self._files.file(path).definitions.get(qualified, ())
        }

    def _is_other_alias(self, path: str, name: str) -> bool:
        """Whether a file gave the name itself, to something that is called otherwise there."""
        imported = [given for _, given in self._aliases.imported(path, name)]
        return bool(imported) and not {name, DEFAULT, EVERYTHING} & set(imported)


def _is_read(node: Node) -> bool:
    """Whether the name of a member is read from a value: ``value.name`` or ``{ name: x } = value``.

    Other members are declarations of their own.
    """
    parent = node.parent
    return parent is not None and (
        parent.type == "pair_pattern" or parent.child_by_field_name("object") is not None
    )


def _named_module(tree: SourceTree, arguments: Node) -> str | None:
    """The string that a call begins with, on its own or as ``import("./module")``."""
    first = next(iter(arguments.named_children), None)
    inner = first.child_by_field_name("arguments") if first is not None else None
    string = next(iter(inner.named_children), None) if inner is not None else first
    return tree.text(string)[1:-1] if string is not None and string.type == "string" else None


def _is_outer(node: Node) -> bool:
    """Whether a name is the exported one in ``import { name as other }`` or in an export."""
    specifier = node.parent
    if specifier is None or specifier.type not in _SPECIFIERS:
        return False
    alias = specifier.child_by_field_name("alias")
    return alias is not None and alias.id != node.id


def is_typescript(path: str) -> bool:
    """Whether a file is in TypeScript; in JavaScript, a function may be the type it constructs."""
    language = is_understood(path)
    return language is not None and language.name != "javascript"


def spaces_of(name: Node | None) -> frozenset[Space]:
    """The spaces in which a declaration has its name; both when that is not known.

    Args:
        name: The declared name.
    """
    parent = name.parent if name is not None else None
    if parent is None:
        return BOTH
    if parent.type in _VALUES:
        return frozenset({"value"})
    return frozenset({"type"}) if parent.type in _TYPES else BOTH


def is_in(name: Node, spaces: frozenset[Space]) -> bool:
    """Whether a name at its place is looked up in one of the spaces."""
    if name.type == "type_identifier":
        return "type" in spaces
    parent = name.parent
    is_value = name.type.startswith("shorthand_property_identifier") or (
        name.type == "identifier" and parent is not None and parent.type not in _ANY_SPACE
    )
    return not is_value or "value" in spaces
