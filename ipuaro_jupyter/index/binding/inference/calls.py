"""What functions return, and the types of their type parameters, by their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipuaro_jupyter.index.binding.function_nodes import arguments, returned_values
from ipuaro_jupyter.index.binding.inference import builtins
from ipuaro_jupyter.index.binding.inference.call_signatures import (
    Signature,
    SignatureParameter,
    either,
    without_bodies,
    written_signature,
)
from ipuaro_jupyter.index.binding.inference.declared_values import is_const_asserted
from ipuaro_jupyter.index.binding.inference.inferred_type import (
    NOT_KNOWN,
    NOTHING,
    UNKNOWN,
    Bound,
    Type,
    Types,
    agreed,
    awaited,
    builtin,
    element,
    inner_widened,
    widened,
)
from ipuaro_jupyter.index.binding.inference.overloads import takes
from ipuaro_jupyter.index.binding.inference.type_reader import type_parameters, type_syntax
from ipuaro_jupyter.index.binding.inference.type_syntax import (
    OTHER,
    Compound,
    FunctionSyntax,
    Named,
    Object,
    Predicate,
    Syntax,
)

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ipuaro_jupyter.index.binding.inference.types_of import TypesOf
    from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
    from ipuaro_jupyter.languages.language import Node

_DECLARED = frozenset(
    {
        *("method_signature", "abstract_method_signature", "function_signature"),
        *("function_declaration", "method_definition", "generator_function_declaration"),
    }
)
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_MOST_DEPTH = 4
_OF_ANYTHING = (OTHER, *(Named((name,)) for name in ("any", "unknown", "object")))
"""What limits a type parameter to no literals: those that are given are not kept."""


class CallTypes:
    """Infers what calls return.

    Args:
        types: Infers types.
        files: The files.
    """

    def __init__(self, types: TypesOf, files: OpenedFiles) -> None:
        self._types = types
        self._files = files

    def of(self, path: str, call: Node) -> Types:
        """The types that a call returns."""
        function = call.child_by_field_name("function")
        if function is None or function.type == "super":
            return NOT_KNOWN
        if function.type == "import":
            return self._types.loaded(path, call)
        found: Types = NOTHING
        for signatures in self.overloads(self._types.of(path, function)):
            found |= NOTHING if signatures else NOT_KNOWN
            fitting = self.fitting(signatures, path, call)
            found |= either(
                fitting,
                (self._returned(one, self.inferred(one, path, call)) for one in fitting),
            )
        return found

    def of_new(self, path: str, call: Node) -> Types:
        """The types of the objects that ``new`` makes."""
        constructor = call.child_by_field_name("constructor")
        if constructor is None:
            return NOT_KNOWN
        listed = call.child_by_field_name("type_arguments")
        args = listed.named_children if listed is not None else ()
        given = tuple(self._types.written.annotated(path, one) for one in args)
        return self.made(self._types.of(path, constructor), given)

    def made(self, callees: Types, args: tuple[Types, ...] = ()) -> Types:
        """The types of the objects that classes make, with type arguments."""
        found: Types = NOTHING
        for one in callees:
            if one.kind == "value":
                found |= {Type("instance", one.path, one.name, args)}
            elif one.kind == "builtin" and one.name.startswith("typeof "):
                name = one.name.removeprefix("typeof ")
                known = builtins.members(name)
                missing = [NOT_KNOWN] * (len(known[0]) - len(args)) if known is not None else []
                found |= builtin(name, *args, *missing) if known is not None else NOT_KNOWN
            else:
                # An interface may be called, too: what it makes is written behind ``new``.
                signatures = [
                    of
                    for of in self.signatures(one)
                    if one.kind == "written"
                    or (of.node is not None and of.node.type == "construct_signature")
                ]
                found |= NOTHING if signatures else NOT_KNOWN
                found |= agreed(self._returned(of, self._open_scope(of)) for of in signatures)
        return found

    def returned(self, callees: Types) -> Types:
        """The types that functions return, whatever they are given."""
        found: Types = NOTHING
        for signatures in self.overloads(callees):
            some = without_bodies(signatures)
            found |= NOTHING if signatures else NOT_KNOWN
            found |= either(some, (self._returned(one, self._open_scope(one)) for one in some))
        return found

    def overloads(self, callees: Types) -> list[list[Signature]]:
        """The signatures of each function, in the order in which they are declared."""
        groups: dict[Hashable, list[Signature]] = {}
        for callee in sorted(callees, key=lambda one: (one.path, one.start)):
            key = self._function(callee) or callee
            groups.setdefault(key, []).extend(self.signatures(callee))
        return list(groups.values())

    def _function(self, callee: Type) -> Hashable:
        """What tells a declared function from others; None for what is not declared by a name."""
        if callee.kind != "expression" or callee.name != "function":
            return None
        node = self._types.properties.node(callee)
        name = node.child_by_field_name("name") if node is not None else None
        if node is None or name is None or node.type not in _DECLARED:
            return None
        qualified = self._files.file(callee.path).declared_at.get(name.start_byte)
        around = node.parent.start_byte if node.parent is not None and qualified is None else 0
        return callee.path, qualified or name.text, around, callee.scope

    def signatures(self, callee: Type) -> list[Signature]:
        """The signatures of a function."""
        if callee.kind == "written":
            syntax = callee.syntax
            if isinstance(syntax, FunctionSyntax):
                return [written_signature(callee, syntax)]
            if isinstance(syntax, Object):
                called = [one.type for one in syntax.members if one.name in {"()", "new"}]
                return [
                    written_signature(callee, one)
                    for one in called
                    if isinstance(one, FunctionSyntax)
                ]
        if callee.kind == "expression" and callee.name == "function":
            node = self._types.properties.node(callee)
            return [] if node is None else [self.of_node(callee.path, node, callee.scope)]
        if callee.kind == "instance":
            return self._call_signatures(callee)
        return []

    def constructors(self, callee: Type, depth: int = 0) -> list[Signature]:
        """The signatures of the constructors of a class."""
        if callee.kind != "value" or depth > _MOST_DEPTH:
            return []
        if self._types.properties.declares(
            Type("instance", callee.path, callee.name), "constructor"
        ):
            scope = self._types.properties.scope(Type("instance", callee.path, callee.name))
            declared = (callee.path, f"{callee.name}.constructor")
            made = self._types.values.of_member(declared, scope)
            return [one for function in made for one in self.signatures(function)]
        bases = self._types.properties.bases(callee)
        return [one for base in bases for one in self.constructors(base, depth + 1)]

    def of_node(self, path: str, node: Node, scope: Bound) -> Signature:
        """The signature of a function, given its node."""
        tree = self._files.tree(path)
        assert tree is not None  # noqa: S101 - the node is of it
        own, listed, said = (
            node.child_by_field_name(part)
            for part in ("type_parameters", "parameters", "return_type")
        )
        if node.type == "construct_signature":
            said = node.child_by_field_name("type")
        parameters = []
        for child in listed.named_children if listed is not None else ():
            pattern = child.child_by_field_name("pattern") or child
            if child.is_extra or pattern.type == "this":
                continue
            annotation = child.child_by_field_name("type")
            syntax = type_syntax(tree.text(annotation)) if annotation is not None else OTHER
            place = annotation.start_byte if annotation is not None else child.start_byte
            parameters.append(SignatureParameter(syntax, place, pattern.type == "rest_pattern"))
        return Signature(
            path,
            node.start_byte,
            type_parameters(tree.text(own)) if own is not None else (),
            tuple(parameters),
            type_syntax(tree.text(said)) if said is not None else None,
            node,
            scope,
        )

    def fitting(
        self, signatures: list[Signature], path: str, call: Node, leaving: Node | None = None
    ) -> list[Signature]:
        """The signatures that a call may mean, without bodies: the first one that takes all.

        Args:
            signatures: The signatures of a function, in the order in which they are declared.
            path: The file of the call.
            call: The call.
            leaving: The argument whose own type is not asked for.
        """
        signatures = without_bodies(signatures)
        given = arguments(call)
        some = [one for one in signatures if len(given) <= len(one.parameters) or one.takes_rest]
        if len(some) < 2:  # noqa: PLR2004
            return some or signatures
        found = []
        for signature in some:
            is_taken = self._takes(signature, path, given, leaving)
            if is_taken is not False:
                found.append(signature)
            if is_taken:
                break
        return found or some

    def _takes(
        self, signature: Signature, path: str, given: list[Node], leaving: Node | None
    ) -> bool | None:
        """Whether a signature takes arguments; None when that is not known."""
        is_known = len(given) == len(signature.parameters) and not signature.takes_rest
        names = {name for name, _ in signature.type_parameters}
        for parameter, argument in zip(signature.parameters, given, strict=False):
            syntax = parameter.type
            is_told = not parameter.is_rest and argument != leaving
            if not is_told or (isinstance(syntax, Named) and syntax.names[0] in names):
                is_known = False
                continue
            is_taken = takes(syntax, self._types.of(path, argument))
            if is_taken is False:
                return False
            is_known = is_known and bool(is_taken)
        return is_known or None

    def inferred(
        self, signature: Signature, path: str, call: Node, leaving: Node | None = None
    ) -> Bound:
        """The scope of a signature in a call: its type parameters by the arguments.

        Args:
            signature: The signature.
            path: The file of the call.
            call: The call.
            leaving: The argument whose own type is not asked for; functions then are not, either.
        """
        names = [name for name, _ in signature.type_parameters]
        if not names:
            return signature.scope
        listed = call.child_by_field_name("type_arguments")
        if listed is not None:
            args = tuple(self._types.written.annotated(path, one) for one in listed.named_children)
            return self._types.written.bound(
                signature.path,
                signature.type_parameters,
                args,
                signature.offset,
                signature.scope,
            )
        found: dict[str, Types] = {}
        given = arguments(call)
        for is_function in (False, True):
            for place, argument in enumerate(given):
                parameter = signature.parameter(place)
                is_late = argument.type in _FUNCTIONS
                if parameter is None or is_late != is_function or argument == leaving:
                    continue
                if leaving is not None and (is_late or argument.type == "object"):
                    continue
                types = self._types.of(path, argument)
                syntax = parameter.type
                if parameter.is_rest and isinstance(syntax, Named) and syntax.args:
                    syntax = syntax.args[0]
                self._match(syntax, types, names, found, 0)
        bound = []
        for name, limit in signature.type_parameters:
            types = found.get(name, NOTHING)
            types = widened(types) if limit in _OF_ANYTHING else types
            if not types and limit != OTHER:
                types = self._types.written.of(
                    signature.path, limit, signature.offset, signature.scope
                )
            bound.append((name, types or NOT_KNOWN))
        return (*bound, *signature.scope)

    def _match(  # noqa: C901, PLR0912 - a case per kind
        self, syntax: Syntax, types: Types, names: list[str], found: dict[str, Types], depth: int
    ) -> None:
        """Bind the type parameters in a written type by the types that are given for it."""
        if depth > _MOST_DEPTH:
            return
        match syntax:
            case Named((name,), ()) if name in names:
                found[name] = found.get(name, NOTHING) | (types - {UNKNOWN})
            case Named((("Array" | "ReadonlyArray" | "Iterable" | "Set"),), (inner,)):
                given = element(frozenset(one for one in types if one.kind == "builtin"))
                self._match(inner, given, names, found, depth + 1)
            case Named((("Promise" | "PromiseLike"),), (inner,)):
                some = frozenset(one for one in types if one.name == "Promise")
                self._match(inner, awaited(some), names, found, depth + 1)
            case Named(_, args) if args:
                for one in types:
                    for inner, given in zip(args, one.args, strict=False):
                        self._match(inner, given, names, found, depth + 1)
            case Compound(parts):
                for part in parts:
                    is_bare = isinstance(part, Named) and part.names[0] in names and not part.args
                    some = types
                    if is_bare:
                        some = frozenset(one for one in types if one.name != "Promise") or types
                    self._match(part, some, names, found, depth + 1)
            case Object(members):
                for one in types:
                    for member in members:
                        given = self._types.properties.of(one, member.name)
                        self._match(member.type, given, names, found, depth + 1)
            case FunctionSyntax(_, _, Predicate(_, said, _)):
                for one in types:
                    for signature in self.signatures(one):
                        if isinstance(signature.returned, Predicate):
                            given = self._types.written.of(
                                signature.path,
                                signature.returned.type,
                                signature.offset,
                                signature.scope,
                            )
                            self._match(said, given, names, found, depth + 1)
            case FunctionSyntax(_, parameters, returned):
                self._match(returned, self.returned(types), names, found, depth + 1)
                for signature in (of for one in types for of in self.signatures(one)):
                    pairs = zip(parameters, signature.parameters, strict=False)
                    for parameter, own in (pair for pair in pairs if pair[1].type != OTHER):
                        given = self._types.written.of(
                            signature.path, own.type, own.offset, signature.scope
                        )
                        self._match(parameter.type, given, names, found, depth + 1)

    def _returned(self, signature: Signature, scope: Bound) -> Types:
        if signature.returned is not None:
            return self._types.written.of(
                signature.path, signature.returned, signature.offset, scope
            )
        node = signature.node
        if node is None:
            return NOT_KNOWN
        found: Types = NOTHING
        receiver = dict(scope).get("this")
        values = list(returned_values(node))
        for value in values:
            if value.type == "this" and receiver is not None:
                found |= receiver
            else:
                found |= self._types.of(signature.path, value)
        if not any(is_const_asserted(value) for value in values):
            found = inner_widened(found) if len(found) > 1 else widened(found)
        words = {child.type for child in node.children}
        if "*" in words:
            return NOT_KNOWN
        return builtin("Promise", awaited(found)) if "async" in words else found

    def _open_scope(self, signature: Signature) -> Bound:
        return self._types.written.bound(
            signature.path, signature.type_parameters, (), signature.offset, signature.scope
        )

    def _call_signatures(self, callee: Type) -> list[Signature]:
        """The call signatures of an interface."""
        tree, file = self._files.tree(callee.path), self._files.file(callee.path)
        found = []
        for offset in file.definitions.get(callee.name, ()) if tree is not None else ():
            assert tree is not None  # noqa: S101 - there is nothing to go through otherwise
            name = tree.node(offset, callee.name.rpartition(".")[2])
            holder = name.parent if name is not None else None
            body = holder.child_by_field_name("body") if holder is not None else None
            for child in body.named_children if body is not None else ():
                if child.type in {"call_signature", "construct_signature"}:
                    scope = self._types.properties.scope(callee)
                    found.append(self.of_node(callee.path, child, scope))
        return found
