"""The members of types: what declares them, and what types they have."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ipuaro_jupyter.index.binding.inference import builtins
from ipuaro_jupyter.index.binding.inference.inferred_type import (
    NOT_KNOWN,
    NOTHING,
    Bound,
    Type,
    Types,
)
from ipuaro_jupyter.index.binding.inference.react_types import react_functions
from ipuaro_jupyter.index.binding.inference.type_reader import type_syntax
from ipuaro_jupyter.index.binding.inference.type_syntax import (
    OTHER,
    Compound,
    FunctionSyntax,
    KeyOf,
    Mapped,
    Named,
    Object,
    Syntax,
)
from ipuaro_jupyter.index.binding.type_names import type_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ipuaro_jupyter.index.binding.inference.types_of import TypesOf
    from ipuaro_jupyter.index.binding.members import Members
    from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
    from ipuaro_jupyter.languages.language import Node

_MOST_BASES = 12
_PAIRS = frozenset({"pair", "method_definition"})
_OF_FUNCTIONS = frozenset({"call", "apply", "bind", "name", "length", "toString"})

Found = frozenset[tuple[str, str]]
"""Declarations; see `alias_resolver.Declaration`."""

NO_DECLARATION: Found = frozenset()


class Properties:
    """Looks members up in types.

    Args:
        types: Infers types.
        files: The files.
        members: Their declarations.
    """

    def __init__(self, types: TypesOf, files: OpenedFiles, members: Members) -> None:
        self._types = types
        self._files = files
        self._members = members

    def of(self, owner: Type, name: str) -> Types:
        """The types of a member of a type."""
        return self._types.once(("property", owner, name), lambda: self._of(owner, name))

    def declarations(self, owner: Type, name: str) -> Found | None:
        """The declarations of a member of a type; None when the type does not tell.

        There are none for a member that is known to be that of something else.
        """
        found = self._found(owner, name, 0)
        return found[0] if found is not None else None

    def indexed(self, owner: Type) -> Types:
        """The types of ``owner[key]`` where the key is not known."""
        if owner.kind == "written" and isinstance(owner.syntax, Object):
            said = [one.type for one in owner.syntax.members if not one.name]
            if said:
                return self._types.written.of(owner.path, said[0], owner.start, owner.scope)
        if owner.kind == "written" and isinstance(owner.syntax, Mapped):
            return self._types.written.of(owner.path, owner.syntax.type, owner.start, owner.scope)
        if owner.kind == "expression" and owner.name == "object":
            return NOTHING.union(*(self._valued(owner, node) for _, node in self._pairs(owner)))
        return NOT_KNOWN

    def bases_of(self, owners: Types) -> Types:
        """The types that classes or interfaces extend."""
        return NOTHING.union(*(self.bases(owner) for owner in owners))

    def bases(self, owner: Type) -> Types:
        """The types that a class or interface extends; some may not be known."""
        if owner.kind not in {"instance", "value"}:
            return NOTHING
        scope = self.scope(owner)
        found: Types = NOTHING
        for record in self._records(owner):
            extended = record.get("extends") or []
            for text in [extended] if isinstance(extended, str) else extended:
                syntax = type_syntax(text)
                if syntax == OTHER:  # such as one with a comment, without the ends of its lines
                    syntax = Compound(tuple(Named(names) for names in type_names(text)))
                bases = self._base(owner, syntax, scope)
                if owner.kind == "value":
                    bases = frozenset(
                        Type("value", one.path, one.name) if one.kind == "instance" else one
                        for one in bases
                    )
                found |= bases or NOT_KNOWN
        return found

    def added_bases(self, owner: Type) -> Types:
        """The types that the other declarations of an interface or class extend."""
        others = self._members.merged((owner.path, owner.name)).declared
        return NOTHING.union(
            *(self.bases(replace(owner, path=path, name=name)) for path, name in others)
        )

    def _base(self, owner: Type, syntax: Syntax, scope: Bound) -> Types:
        """The types of a base, whose name may be one of the namespace around the declaration."""
        start = self._start(owner)
        if "." in owner.name and isinstance(syntax, Named) and not syntax.source:
            declared = self._members.base((owner.path, owner.name), syntax.names)
            args = tuple(
                self._types.written.of(owner.path, one, start, scope) for one in syntax.args
            )
            if declared:
                return NOTHING.union(*(self._types.written.instance(one, args) for one in declared))
        return self._types.written.of(owner.path, syntax, start, scope)

    def scope(self, owner: Type) -> Bound:
        """The types of the type parameters of a type's declaration, and of ``this`` in it."""
        if owner.kind != "instance":
            return owner.scope
        scope = self._types.written.scope_of((owner.path, owner.name), owner.args)
        return (*scope, *owner.scope)

    def declares(self, owner: Type, name: str) -> bool:
        """Whether the declaration of a type itself has a member, of an instance or of the class."""
        file, qualified = self._files.file(owner.path), f"{owner.name}.{name}"
        if not file.declares(qualified):
            return False
        records = self._records(owner)
        listed = [
            one["is_static"]
            for record in records
            for kind in ("methods", "properties", "fields")
            for one in record.get(kind, ())
            if one["name"] == name
        ]
        if owner.kind == "value" and len(listed) < len(file.definitions.get(qualified, ())):
            return True  # of an object with the name of an interface
        return not listed or (owner.kind == "value") in listed

    def node(self, one: Type) -> Node | None:
        """The node of an expression that is a type."""
        tree = self._files.tree(one.path)
        return tree.spanning(one.start, one.end) if tree is not None else None

    def _found(self, owner: Type, name: str, depth: int) -> tuple[Found, Type] | None:  # noqa: PLR0911 - a case per kind
        """The declarations of a member, with the type that has them itself."""
        if depth > _MOST_BASES:
            return None
        match owner.kind:
            case "instance" | "value":
                return self._declared(owner, name, depth)
            case "written":
                return self._in_written(owner, name)
            case "expression":
                return self._in_expression(owner, name)
            case "builtin":
                return self._in_builtin(owner, name)
            case "module":
                declared = self._members.exported_or_added(owner.path, name)
                return (frozenset(declared), owner) if declared else None
        return None

    def _declared(self, owner: Type, name: str, depth: int) -> tuple[Found, Type] | None:
        if self.declares(owner, name):
            return frozenset({(owner.path, f"{owner.name}.{name}")}), owner
        found, is_whole = self._inherited(self.bases(owner), name, depth)
        if found is not None:
            return found
        added = self._members.added((owner.path, owner.name), name)
        if added.declared:
            return added.declared, owner
        found, is_also_whole = self._inherited(self.added_bases(owner), name, depth)
        if found is not None:
            return found
        merged = self._members.merged((owner.path, owner.name))
        is_whole = is_whole and added.is_whole and is_also_whole and merged.is_whole
        if owner.kind == "value" and not self._is_class(owner):
            return None
        return (NO_DECLARATION, owner) if is_whole and self._has_members(owner) else None

    def _inherited(
        self, bases: Types, name: str, depth: int
    ) -> tuple[tuple[Found, Type] | None, bool]:
        """A member that bases have, with the one that has it itself, and whether all are known."""
        found, holder, is_whole = NO_DECLARATION, None, True
        for base in bases:
            of_base = self._found(base, name, depth + 1)
            if of_base is None:
                is_whole = False
            elif of_base[0]:
                found, holder = found | of_base[0], of_base[1]
        return (None if holder is None else (found, holder)), is_whole

    def _in_written(self, owner: Type, name: str) -> tuple[Found, Type] | None:
        if isinstance(owner.syntax, Object):
            names = {one.name for one in owner.syntax.members}
            qualified = f"{owner.name}.{name}"
            if name in names and owner.name and self._files.file(owner.path).declares(qualified):
                return frozenset({(owner.path, qualified)}), owner
            is_any = "" in names and name not in names  # it may be the limit of another type
            return None if is_any else (NO_DECLARATION, owner)
        if isinstance(owner.syntax, Mapped) and isinstance(owner.syntax.keys, KeyOf):
            of = self._types.written.of(
                owner.path, owner.syntax.keys.object, owner.start, owner.scope
            )
            several = [self.declarations(one, name) for one in of]
            if not several or None in several:
                return None
            return NO_DECLARATION.union(*(one for one in several if one)), owner
        return (NO_DECLARATION, owner) if isinstance(owner.syntax, FunctionSyntax) else None

    def _in_expression(self, owner: Type, name: str) -> tuple[Found, Type] | None:
        if owner.name != "object":
            return (NO_DECLARATION, owner) if name in _OF_FUNCTIONS else None
        file = self._files.file(owner.path)
        for key, _ in self._pairs(owner, name):
            qualified = file.declared_at.get(key.start_byte)
            here = frozenset({(owner.path, qualified)}) if qualified else NO_DECLARATION
            return here, owner
        for spread in self._spreads(owner):
            for one in spread:
                found = self._found(one, name, 1)
                if found is not None and found[0]:
                    return found
        return None

    def _in_builtin(self, owner: Type, name: str) -> tuple[Found, Type] | None:
        if owner.name == "Record":
            return NO_DECLARATION, owner
        if added := self._members.built_in(builtins.interface_of(owner.name), name):
            return frozenset(added), owner
        known = self._table(owner)
        if known is None or (name not in known[1] and known[1]):
            return None
        return NO_DECLARATION, owner

    def _of(self, owner: Type, name: str) -> Types:  # noqa: PLR0911 - a case per kind
        match owner.kind:
            case "instance" | "value":
                found = self._found(owner, name, 0)
                if found is None or not found[0]:  # also what a base that is not declared has
                    inherited = (self.of(base, name) for base in self.bases(owner))
                    beside = self._types.values.beside(owner, name)
                    return beside or NOTHING.union(*inherited) or NOT_KNOWN
                if found[1].kind in {"instance", "value"}:
                    return self._member_types(found[0], found[1], owner)
                return self.of(found[1], name)
            case "written":
                return self._written(owner, name)
            case "expression":
                for _, node in self._pairs(owner, name):
                    return self._valued(owner, node)
                spreads = [one for spread in self._spreads(owner) for one in spread]
                return NOTHING.union(*(self.of(one, name) for one in spreads)) or NOT_KNOWN
            case "builtin":
                return self._of_builtin(owner, name)
            case "module":
                declared = self._members.exported_or_added(owner.path, name)
                return NOTHING.union(*map(self._types.values.of, declared)) or NOT_KNOWN
        return NOT_KNOWN

    def _member_types(self, declared: Found, holder: Type, receiver: Type) -> Types:
        scope = (("this", frozenset({receiver})), *self.scope(holder))
        return NOTHING.union(*(self._types.values.of_member(one, scope) for one in declared))

    def _written(self, owner: Type, name: str) -> Types:
        if isinstance(owner.syntax, Object):
            for listed in (name, ""):
                for one in owner.syntax.members:
                    if one.name == listed:
                        return self._types.written.of(
                            owner.path, one.type, owner.start, owner.scope
                        )
        if isinstance(owner.syntax, Mapped):
            return self._types.written.of(owner.path, owner.syntax.type, owner.start, owner.scope)
        return NOT_KNOWN

    def _table(self, owner: Type) -> tuple[tuple[str, ...], dict[str, Any]] | None:
        if owner.name[:1] in {"'", '"'}:
            return builtins.members("string")
        if owner.name.startswith("typeof ") and owner.name != "typeof React":
            found = builtins.static_members(owner.name.removeprefix("typeof "))
            return None if found is None else ((), found)
        if owner.name == "Tuple":
            return builtins.members("Array")
        if owner.name == "typeof React":
            return (), react_functions()
        if owner.name[:1].isdecimal():
            return builtins.members("number")
        return builtins.members(owner.name)

    def _of_builtin(self, owner: Type, name: str) -> Types:
        if owner.name == "Record":
            return owner.args[1]
        table = self._table(owner)
        if table is None or name not in table[1]:
            return NOT_KNOWN
        args = owner.args
        if owner.name == "Tuple":
            args = (NOTHING.union(*args),)
        scope = tuple(zip(table[0], args, strict=False))
        return self._types.written.of("", table[1][name].type, 0, scope)

    def _pairs(self, owner: Type, name: str | None = None) -> Iterator[tuple[Node, Node]]:
        """Yield the keys of an object literal with the nodes that have their values."""
        tree, node = self._files.tree(owner.path), self.node(owner)
        for child in node.named_children if node is not None and tree is not None else ():
            assert tree is not None  # noqa: S101 - there is nothing to go through otherwise
            key: Node | None = None
            if child.type == "pair":
                key = child.child_by_field_name("key")
            elif child.type == "method_definition":
                key = child.child_by_field_name("name")
            elif child.type == "shorthand_property_identifier":
                key = child
            if key is not None and (name is None or tree.text(key).strip("'\"") == name):
                yield key, child

    def _valued(self, owner: Type, node: Node) -> Types:
        if node.type == "pair":
            return self._types.values.given(owner.path, node, node.child_by_field_name("value"))
        if node.type == "method_definition":
            return self._types.values.of_node(owner.path, node, ())
        return self._types.values.given(owner.path, node, node)

    def _spreads(self, owner: Type) -> Iterator[Types]:
        node = self.node(owner)
        for child in node.named_children if node is not None else ():
            if child.type == "spread_element" and child.named_children:
                yield self._types.of(owner.path, child.named_children[0])

    def _records(self, owner: Type) -> list[dict[str, Any]]:
        return self._files.file(owner.path).declared.get(owner.name, [])

    def _has_members(self, owner: Type) -> bool:
        return any("methods" in r or "members" in r for r in self._records(owner))

    def _is_class(self, owner: Type) -> bool:
        return any("methods" in record for record in self._records(owner))

    def _start(self, owner: Type) -> int:
        places = self._files.file(owner.path).definitions.get(owner.name, ())
        return places[0] if places else 0
