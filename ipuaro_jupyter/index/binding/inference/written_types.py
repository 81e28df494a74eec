"""Types by what is written: the types that an annotation names, and what an alias stands for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ipuaro_jupyter.index.binding.inference import builtins
from ipuaro_jupyter.index.binding.inference.inferred_type import (
    NOT_KNOWN,
    NOTHING,
    Bound,
    Type,
    Types,
    agreed,
    awaited,
    builtin,
    element,
    limited,
)
from ipuaro_jupyter.index.binding.inference.overloads import takes
from ipuaro_jupyter.index.binding.inference.react_types import MODULES, react_type
from ipuaro_jupyter.index.binding.inference.type_reader import type_parameters, type_syntax
from ipuaro_jupyter.index.binding.inference.type_syntax import (
    OTHER,
    Compound,
    Conditional,
    FunctionSyntax,
    Indexed,
    KeyOf,
    Mapped,
    Named,
    Object,
    Predicate,
    Syntax,
    Text,
    Tuple,
    WholeModule,
)

if TYPE_CHECKING:
    from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
    from ipuaro_jupyter.index.binding.inference.types_of import TypesOf
    from ipuaro_jupyter.index.binding.members import Members
    from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
    from ipuaro_jupyter.languages.language import Node

_MOST_DEPTH = 20
_SIGNS = frozenset("'\"0123456789")
"""The first characters of types that are literals."""

_WHOLE = frozenset({"default", "*"})


class WrittenTypes:
    """Evaluates types as written.

    Args:
        types: Infers the types of values.
        files: The files.
        members: Their declarations.
        aliases: Follows names through imports.
    """

    def __init__(
        self, types: TypesOf, files: OpenedFiles, members: Members, aliases: AliasResolver
    ) -> None:
        self._types = types
        self._files = files
        self._members = members
        self._aliases = aliases
        self._depth = 0
        self._parameters: dict[Declaration, tuple[tuple[str, Syntax], ...]] = {}

    def annotated(self, path: str, node: Node, scope: Bound = ()) -> Types:
        """The types that an annotation, or any other node with a type, names."""
        tree = self._files.tree(path)
        if tree is None:
            return NOT_KNOWN
        return self.of(path, type_syntax(tree.text(node)), node.start_byte, scope)

    def of(self, path: str, syntax: Syntax, offset: int, scope: Bound = ()) -> Types:
        """The types that a written type stands for.

        Args:
            path: The file that it is written in.
            syntax: The type.
            offset: The byte at which it is written, for the names in scope there.
            scope: The types of type parameters.
        """
        if self._depth > _MOST_DEPTH:
            return NOT_KNOWN
        self._depth += 1
        try:
            return limited(self._of(path, syntax, offset, scope))
        finally:
            self._depth -= 1

    def instance(self, declared: Declaration, args: tuple[Types, ...] = ()) -> Types:
        """The types that the name of a declaration stands for as a type."""
        path, qualified = declared
        records = self._files.file(path).declared.get(qualified, ())
        texts = [record["text"] for record in records if "text" in record]
        if not texts:
            return frozenset({Type("instance", path, qualified, args)})
        found: Types = NOTHING
        scope, offset = self.scope_of(declared, args), self._offset(declared)
        for text in texts:
            found |= self._types.once(
                ("alias", declared, args, text),
                lambda text=text: self._aliased(declared, type_syntax(text), offset, scope),  # type: ignore[misc]
            )
        return found

    def _aliased(self, declared: Declaration, syntax: Syntax, offset: int, scope: Bound) -> Types:
        """The types that an alias stands for; the members of its objects are those of the alias."""
        path, qualified = declared
        if isinstance(syntax, Compound):
            found = (self._aliased(declared, part, offset, scope) for part in syntax.parts)
            return limited(NOTHING.union(*found))
        types = self.of(path, syntax, offset, scope)
        if not isinstance(syntax, Object):
            return types
        return frozenset(replace(one, name=qualified) for one in types)

    def scope_of(self, declared: Declaration, args: tuple[Types, ...]) -> Bound:
        """The type parameters of a declaration, bound to arguments, else to their limits."""
        if declared not in self._parameters:
            self._parameters[declared] = self._read_parameters(declared)
        return self.bound(declared[0], self._parameters[declared], args, self._offset(declared))

    def bound(
        self,
        path: str,
        parameters: tuple[tuple[str, Syntax], ...],
        args: tuple[Types, ...],
        offset: int,
        scope: Bound = (),
    ) -> Bound:
        """Type parameters bound to arguments, else to their limits; what was bound before stays."""
        found = [*scope]
        for place, (name, limit) in enumerate(parameters):
            if place < len(args):
                given = args[place]
            else:
                given = self.of(path, limit, offset, tuple(found)) if limit != OTHER else NOT_KNOWN
            found.insert(0, (name, given))
        return tuple(found)

    def _read_parameters(self, declared: Declaration) -> tuple[tuple[str, Syntax], ...]:
        path, qualified = declared
        tree = self._files.tree(path)
        for offset in self._files.file(path).definitions.get(qualified, ()) if tree else ():
            assert tree is not None  # noqa: S101 - there is nothing to go through otherwise
            node = tree.node(offset, qualified.rpartition(".")[2])
            around = node.parent if node is not None else None
            listed = around.child_by_field_name("type_parameters") if around is not None else None
            if listed is not None:
                return type_parameters(tree.text(listed), by_default=True)
        return ()

    def _offset(self, declared: Declaration) -> int:
        places = self._files.file(declared[0]).definitions.get(declared[1], ())
        return places[0] if places else 0

    def _of(self, path: str, syntax: Syntax, offset: int, scope: Bound) -> Types:  # noqa: C901, PLR0911, PLR0912 - a case per kind
        match syntax:
            case Named():
                return self._named(path, syntax, offset, scope)
            case WholeModule(source):
                module = self._aliases.target(path, source)
                return NOT_KNOWN if module is None else frozenset({Type("module", module)})
            case Compound(parts):
                found = (self.of(path, part, offset, scope) for part in parts)
                return NOTHING.union(*found)
            case Tuple(parts):
                return builtin("Tuple", *(self.of(path, one, offset, scope) for one in parts))
            case Object() | FunctionSyntax():
                known = _closed(scope)
                return frozenset({Type("written", path, "", (), syntax, offset, scope=known)})
            case Mapped(_, KeyOf(object_), Indexed(held, _)) if object_ == held:
                return self.of(path, object_, offset, scope)
            case Mapped(_, KeyOf(), _):
                return frozenset({Type("written", path, "", (), syntax, offset, scope=scope)})
            case Mapped(name, keys, said):
                key = self.of(path, keys, offset, scope)
                return builtin("Record", key, self.of(path, said, offset, ((name, key), *scope)))
            case Indexed(object_, key):
                owners = self.of(path, object_, offset, scope)
                return self._types.subscript(owners, self.of(path, key, offset, scope))
            case Conditional():
                return self._conditional(path, syntax, offset, scope)
            case Predicate():
                return builtin("boolean")
            case Text(text):
                return builtin(text)
            case KeyOf():
                return builtin("string")
            case _:
                return NOT_KNOWN

    def _conditional(self, path: str, syntax: Conditional, offset: int, scope: Bound) -> Types:
        """The types of the branch that is taken; of both, where that is not known."""
        checked = self.of(path, syntax.checked, offset, scope)
        is_met = takes(syntax.extended, checked)
        some = [] if is_met is False else [syntax.then]
        some += [] if is_met else [syntax.otherwise]
        return agreed(self.of(path, one, offset, scope) for one in some)

    def _named(self, path: str, syntax: Named, offset: int, scope: Bound) -> Types:  # noqa: PLR0911 - a case per kind
        names = syntax.names
        args = tuple(self.of(path, arg, offset, scope) for arg in syntax.args)
        if syntax.source:
            return self._of_module(path, syntax, args)
        if syntax.is_value:
            return self._types.of_chain(path, names, offset)
        if len(names) == 1 and (local := self._local(path, names[0], offset, scope)) is not None:
            return local
        if declared := self._members.named(path, names) if path else ():
            return NOTHING.union(*(self.instance(one, args) for one in declared))
        if path and (outer := self._aliases.outer(path, names[0])) is not None:
            return self._of_react(outer, names, args)
        if path and names[0] == "React" and len(names) > 1:  # types may use it without an import
            return self._of_react(("react", "*"), names, args)
        known = NOT_KNOWN if len(names) > 1 else self._built_in(names[0], args)
        if known != NOT_KNOWN or not path:
            return known
        declared = self._members.global_(path, names)
        return NOTHING.union(*(self.instance(one, args) for one in declared)) or NOT_KNOWN

    def _of_module(self, path: str, syntax: Named, args: tuple[Types, ...]) -> Types:
        """The types that ``import("x").Name`` stands for."""
        module = self._aliases.target(path, syntax.source)
        declared = self._members.exported(module, syntax.names) if module is not None else ()
        if syntax.is_value:
            return NOTHING.union(*map(self._types.values.of, declared)) or NOT_KNOWN
        return NOTHING.union(*(self.instance(one, args) for one in declared)) or NOT_KNOWN

    def _local(self, path: str, name: str, offset: int, scope: Bound) -> Types | None:
        """The types of a type parameter, or of ``this``; None for another name."""
        for known, types in scope:
            if known == name:
                return types
        if name == "this":
            return self._types.this_at(path, offset)
        tree = self._files.tree(path) if path else None
        parameter = tree.parameter(name, offset) if tree is not None else None
        if parameter is None:
            return None
        limit = parameter.owner.child_by_field_name("constraint")
        if limit is None or tree is None:
            return NOT_KNOWN
        syntax = type_syntax(tree.text(limit).removeprefix("extends"))
        return self._types.once(
            ("limit", path, limit.start_byte),
            lambda: self.of(path, syntax, limit.start_byte, scope),
        )

    def _of_react(
        self, outer: tuple[str, str], names: tuple[str, ...], args: tuple[Types, ...]
    ) -> Types:
        """The types that a type of React stands for; not known for those of other modules."""
        module, name = outer
        chain = (*([name] if name not in _WHOLE else []), *names[1:])
        known = react_type(chain[0]) if module in MODULES and len(chain) == 1 else None
        if known is None:
            return NOT_KNOWN
        parameters, syntax = known
        missing = [NOT_KNOWN] * (len(parameters) - len(args))
        return self.of("", syntax, 0, tuple(zip(parameters, (*args, *missing), strict=False)))

    def _built_in(self, name: str, args: tuple[Types, ...]) -> Types:  # noqa: C901, PLR0911 - a case per name
        if name in builtins.NULLS:
            return NOTHING
        if name in builtins.SCALARS:
            return builtin(name)
        first = args[0] if args else NOT_KNOWN
        if name in builtins.PASSING:
            return first
        match name:
            case "Awaited":
                return awaited(first)
            case "FlatElement":
                return frozenset().union(
                    *(element(frozenset({one})) if _is_list(one) else {one} for one in first)
                )
            case "ReturnType":
                return self._types.calls.returned(first)
            case "InstanceType":
                return self._types.calls.made(first)
            case "Exclude" | "Extract" if len(args) > 1:
                return _chosen(first, args[1], is_kept=name == "Extract")
            case "Record" if len(args) > 1:
                return builtin("Record", *args)
            case "Parameters" | "ConstructorParameters" | "any" | "unknown":
                return NOT_KNOWN
        plain = builtins.NAMES.get(name, name)
        known = builtins.members(plain)
        if known is None:
            return NOT_KNOWN
        missing = len(known[0]) - len(args)
        return builtin(plain, *args[: len(known[0])], *[NOT_KNOWN] * missing)


def _chosen(types: Types, chosen: Types, *, is_kept: bool) -> Types:
    """Of a union, the parts that are of some type, or are not, as far as that is known.

    Whether another type has all members of the chosen one is not looked at.
    """
    same = types & chosen - NOT_KNOWN
    left = types - same
    if is_kept:
        return same | NOT_KNOWN if same and left else same or (left and _one(left))
    is_told = not chosen or all(one.name[:1] in _SIGNS for one in types | chosen)
    return left if is_told else _one(left)


def _one(types: Types) -> Types:
    """Types of which some may not be left: not known, unless there is one."""
    return types if len(types) < 2 else NOT_KNOWN  # noqa: PLR2004


def _is_list(one: Type) -> bool:
    return one.kind == "builtin" and one.name in {"Array", "Tuple"}


def _closed(scope: Bound) -> Bound:
    """A scope as it is kept with a type; what it binds may be large."""
    return tuple((name, limited(types)) for name, types in scope)
