"""The places of a name in Python files that a rename concerns."""

import builtins
from collections.abc import Iterator

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.binding.python_doubts import PythonDoubts
from ipuaro_jupyter.index.binding.python_name_resolver import PythonNameResolver
from ipuaro_jupyter.index.binding.python_scopes import PythonScopes, is_module_path
from ipuaro_jupyter.index.binding.python_strings import PythonStrings
from ipuaro_jupyter.languages.language import Node

_BUILTINS = frozenset(dir(builtins))


class PythonRenames:
    """Judges the places of names in Python files.

    Args:
        files: The opened files.
        aliases: Follows names through imports.
        resolver: Resolves names.
    """

    def __init__(
        self, files: OpenedFiles, aliases: AliasResolver, resolver: PythonNameResolver
    ) -> None:
        self._files = files
        self._aliases = aliases
        self._resolver = resolver
        self._doubts = PythonDoubts(resolver)
        self._strings = PythonStrings(aliases, resolver)

    def judged(
        self, path: str, name: str, offset: int, declared: frozenset[Declaration]
    ) -> bool | None:
        """Whether a place is certain; None when it stands for something else."""
        meant = self._resolver.of(path, name, offset)
        scopes = self._resolver.scopes(path)
        if meant is None or scopes is None:
            return False
        node = name_node(scopes, name, offset)
        if not declared.isdisjoint(meant):
            is_builtin = node is not None and self._is_still_builtin(path, name, scopes, node)
            is_open = node is not None and self._doubts.of(path, scopes, node)
            return meant <= declared and not is_builtin and not is_open
        if meant:
            return None
        if node is not None and is_attribute(scopes, node):
            return False
        is_module = node is not None and is_module_path(scopes, node)
        is_bound = scopes.binding(name, offset) is not None or name in scopes.top.values
        if node is not None and is_keyword(scopes, node):
            return False if self._may_set(path, scopes, node, declared) else None
        return None if is_bound or is_module else False

    def _may_set(
        self, path: str, scopes: PythonScopes, keyword: Node, declared: frozenset[Declaration]
    ) -> bool:
        """Whether a keyword may be that of a field: in a pattern, or in a call of the unknown."""
        listed = keyword.parent.parent if keyword.parent is not None else None
        call = scopes.source.call(listed.parent) if listed is not None and listed.parent else None
        is_field = any(self._is_field(one) for one in declared)
        if call is None or not is_field:
            return is_field
        is_builtin = scopes.source.text(call[0]) in _BUILTINS - {"dict"}
        return not is_builtin and not self._resolver.types(path, scopes, call[0])

    def _is_field(self, declared: Declaration) -> bool:
        """Whether a declaration is an attribute that the constructor made for a class sets."""
        path, (owner, _, _) = declared[0], declared[1].rpartition(".")
        scopes = self._resolver.scopes(path)
        by_path = scopes.scopes_by_path if scopes is not None else {}
        is_attribute = any(one.is_class for one in by_path.get(owner, ()))
        is_made = not self._resolver.inherited.of(((path, owner), "__init__"))
        return is_attribute and is_made and declared[1] not in by_path

    def _is_still_builtin(self, path: str, name: str, scopes: PythonScopes, node: Node) -> bool:
        """Whether a use at the top of a file runs before the file gives a builtin name away."""
        declared = self._files.file(path).definitions.get(name)
        if not declared or name not in _BUILTINS or scopes.scope(node.start_byte) is not None:
            return False
        first = name_node(scopes, name, min(declared))
        statement = first.parent if first is not None else None
        return statement is not None and statement.start_byte != node.start_byte < (
            statement.end_byte
        )

    def repeated(
        self, path: str, name: str, declared: frozenset[Declaration]
    ) -> Iterator[tuple[int, bool]]:
        """Yield the offsets in strings that repeat the symbol, and whether certainly so."""
        if name.encode() not in (self._files.file(path).data or b""):
            return
        scopes = self._resolver.scopes(path)
        if scopes is not None:
            for offset, meant in self._strings.repeated(path, name, scopes):
                existing = {one for one in meant if self._files.file(one[0]).declares(one[1])}
                if not declared.isdisjoint(existing):
                    yield offset, existing <= declared

    def is_key_open(self, path: str, name: str, offset: int) -> bool:
        """Whether the object or the type with a key in quotes may be an unknown one."""
        scopes = self._resolver.scopes(path)
        node = name_node(scopes, name, offset) if scopes is not None else None
        string = node.parent if node is not None else None
        around = string.parent if string is not None else None
        if scopes is None or around is None:
            return True
        value = around.child_by_field_name("value")
        if around.type == "subscript" and value is not None:
            return self._doubts.of_keys(path, scopes, value)
        assignment = around.parent.parent if around.parent is not None else None
        type_ = assignment.child_by_field_name("type") if assignment is not None else None
        text = scopes.source.text(type_) if type_ is not None else ""
        return self._doubts.of_written(path, text)


def name_node(scopes: PythonScopes, name: str, offset: int) -> Node | None:
    """The node of the name at an offset."""
    end = offset + len(name.encode())
    return scopes.syntax.tree.root_node.descendant_for_byte_range(offset, end)


def is_attribute(scopes: PythonScopes, node: Node) -> bool:
    """Whether a name is that of an attribute."""
    member = scopes.source.member(node.parent) if node.parent is not None else None
    return member is not None and member[1] == node


def is_keyword(scopes: PythonScopes, node: Node) -> bool:
    """Whether a name is that of a parameter in a call, or of an attribute in a pattern."""
    parent = node.parent
    kinds = scopes.source.tables.keywords
    return parent is not None and parent.type in kinds and parent.start_byte == node.start_byte
