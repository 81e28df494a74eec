"""Whether a value in a Python file may have a type that the source does not tell.

The resolver takes every type that it can tell; what is said here is whether these are all.
"""

import builtins

from ipuaro_jupyter.index.binding.alias_resolver import Declaration
from ipuaro_jupyter.index.binding.python_name_resolver import PythonNameResolver
from ipuaro_jupyter.index.binding.python_scopes import PythonScopes
from ipuaro_jupyter.index.binding.type_names import type_parts
from ipuaro_jupyter.languages.language import Node

_MOST_STEPS = 60  # from an object to the values it is made of; what lies behind is in doubt
_NO_TYPES = frozenset({"None", "Never", "NoReturn"})
_KEYS = "__getitem__"
_Value = tuple[Node | None, str | None]
_Seen = set[tuple[str, int, int, str]]


class PythonDoubts:
    """Tells whether the types of an expression are incomplete.

    Args:
        resolver: Resolves names.
    """

    def __init__(self, resolver: PythonNameResolver) -> None:
        self._resolver = resolver

    def of(self, path: str, file: PythonScopes, node: Node) -> bool:
        """Whether an object has a further type, unknown here, that may have the attribute too.

        A name that is annotated has the type of the annotation; one that is assigned once has no
        other type.

        Args:
            path: The file.
            file: Its scopes.
            node: The name of an attribute, or any other node: these are not in doubt.
        """
        member = file.source.member(node.parent) if node.parent is not None else None
        if member is None or member[1] != node:
            return False
        return self._is_open(path, file, member[0], file.source.text(node), set())

    def of_keys(self, path: str, file: PythonScopes, object_: Node) -> bool:
        """Whether an object has a further type, unknown here, that may have keys."""
        return self._is_open(path, file, object_, _KEYS, set())

    def of_written(self, path: str, text: str) -> bool:
        """Whether a written type has a part, unknown here, that may have keys."""
        return self._is_part_unknown(path, text, _KEYS)

    def _is_open(
        self, path: str, file: PythonScopes, node: Node, attribute: str, seen: _Seen
    ) -> bool:
        """Whether an expression may have an unknown type with this attribute."""
        inner = file.source.unwrapped(node)
        key = path, inner.start_byte, inner.end_byte, attribute
        if key in seen or len(seen) >= _MOST_STEPS:
            return key not in seen
        seen.add(key)
        call, member = file.source.call(inner), file.source.member(inner)
        if call is not None:
            return self._is_open(path, file, call[0], attribute, seen) or any(
                self._is_part_unknown(owner[0], text, attribute)
                for owner in self._resolver.types(path, file, call[0])
                for text in self._resolver.members.return_types(owner)
            )
        if member is not None:
            name = file.source.text(member[1])
            found = self._resolver.of(path, name, member[1].start_byte) or set()
            return self._is_open(path, file, member[0], name, seen) or any(
                self._is_declared_open(one, attribute, seen) for one in found
            )
        if inner.type not in file.source.tables.pattern_leaves:
            return False
        return self._is_name_open(path, file, inner, attribute, seen)

    def _is_name_open(
        self, path: str, file: PythonScopes, node: Node, attribute: str, seen: _Seen
    ) -> bool:
        name, offset = file.source.text(node), node.start_byte
        if file.receiver(name, offset) is not None:
            return False
        scope = file.binding(name, offset)
        if scope is not None:
            return self._is_value_open(path, file, scope.values.get(name, []), attribute, seen)
        found = self._resolver.named(path, file, name, offset)
        return any(self._is_declared_open(one, attribute, seen) for one in found)

    def _is_declared_open(self, declared: Declaration, attribute: str, seen: _Seen) -> bool:
        """Whether a variable or attribute that a file declares may have an unknown type."""
        path, qualified = declared
        file = self._resolver.scopes(path)
        outer, _, name = qualified.rpartition(".")
        if file is None:
            return False
        scopes = file.scopes_by_path.get(outer, ()) if outer else [file.top]
        given = [value for scope in scopes for value in scope.values.get(name, ())]
        return self._is_value_open(path, file, given, attribute, seen)

    def _is_value_open(
        self, path: str, file: PythonScopes, given: list[_Value], attribute: str, seen: _Seen
    ) -> bool:
        """Whether the values and annotations of a name leave an unknown type open."""
        types = [type_ for _, type_ in given if type_ is not None]
        if types:
            return any(self._is_part_unknown(path, type_, attribute) for type_ in types)
        values = [value for value, _ in given if value is None or value.type != "none"]
        if len(values) > 1 and not all(self._is_known(path, file, value) for value in values):
            return True
        return any(
            self._is_open(path, file, value, attribute, seen)
            for value in values
            if value is not None and file.source.child(value, "body") is None
        )

    def _is_known(self, path: str, file: PythonScopes, value: Node | None) -> bool:
        """Whether a value is a function or class itself, or has a class of the project."""
        if value is None or file.source.child(value, "body") is not None:
            return value is not None
        return any(self._is_class(one) for one in self._resolver.types(path, file, value))

    def _is_class(self, declared: Declaration) -> bool:
        file = self._resolver.scopes(declared[0])
        scopes = file.scopes_by_path.get(declared[1], ()) if file is not None else ()
        return any(scope.is_class for scope in scopes)

    def _is_part_unknown(self, path: str, text: str, attribute: str) -> bool:
        """Whether a part of a union is no class of the project and may have the attribute."""
        for part in type_parts(text):
            known = getattr(builtins, part, None)
            is_without = isinstance(known, type) and not hasattr(known, attribute)
            if part not in _NO_TYPES and not is_without and not self._resolver.typed(path, part):
                return True
        return False
