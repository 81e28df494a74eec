"""The type that is expected of an expression where it stands.

https://www.typescriptlang.org/docs/handbook/type-inference.html#contextual-typing
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipuaro_jupyter.index.binding.function_nodes import arguments
from ipuaro_jupyter.index.binding.inference.call_signatures import (
    Signature,
    either,
    without_bodies,
)
from ipuaro_jupyter.index.binding.inference.inferred_type import (
    NOT_KNOWN,
    NOTHING,
    Type,
    Types,
    awaited,
    element,
)
from ipuaro_jupyter.index.binding.inference.type_syntax import (
    OTHER,
    Named,
)

if TYPE_CHECKING:
    from ipuaro_jupyter.index.binding.inference.types_of import TypesOf
    from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
    from ipuaro_jupyter.languages.language import Node

_DECLARED = frozenset(
    {
        *("variable_declarator", "public_field_definition", "field_definition"),
        *("required_parameter", "optional_parameter"),
    }
)
_EXPRESSIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_FUNCTIONS = _EXPRESSIONS | {
    *("function_declaration", "generator_function_declaration", "method_definition"),
}
_THROUGH = frozenset({"parenthesized_expression", "ternary_expression", "non_null_expression"})
_LITERALS = frozenset({"string", "number", "true", "false"})


class Expectations:
    """Finds the types that are expected of expressions.

    Args:
        types: Infers types.
        files: The files.
    """

    def __init__(self, types: TypesOf, files: OpenedFiles) -> None:
        self._types = types
        self._files = files

    def of(self, path: str, node: Node) -> Types:
        """The types that are expected of an expression; none without any expectation."""
        key = ("expected", path, node.start_byte, node.end_byte, node.type)
        return self._types.once(key, lambda: self._of(path, node))

    def of_literal(self, path: str, literal: Node) -> Types:
        """The types expected of an object literal: of a union, those that its texts allow."""
        expected = self.of(path, literal)
        if len(expected) < 2:  # noqa: PLR2004
            return expected
        tree = self._files.tree(path)
        for pair in literal.named_children if tree is not None else ():
            assert tree is not None  # noqa: S101 - there is nothing to go through otherwise
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key is None or value is None or value.type not in _LITERALS:
                continue
            name, text = tree.text(key).strip("'\""), tree.text(value)
            expected = self._types.narrowing.by_text(expected, name, text, is_same=True)
        return expected

    def parameter(self, path: str, parameter: Node) -> Types:
        """The types of a function's parameter without an annotation, by what the function is for.

        Args:
            path: The file.
            parameter: A child of the list of parameters, or the function with just one.
        """
        function = parameter if parameter.type in _FUNCTIONS else None
        place = 0
        if function is None and parameter.parent is not None:
            listed = [c for c in parameter.parent.named_children if not c.is_extra]
            place = listed.index(parameter)
            function = parameter.parent.parent
        if function is None or function.type not in _FUNCTIONS:
            return NOT_KNOWN
        if function.type not in _EXPRESSIONS:
            return self._of_method(path, function, place)
        return self._given(self.of(path, function), place)

    def properties(self, path: str, element_: Node) -> Types:
        """The types of the properties of the component that an element of JSX is one of."""
        tree = self._files.tree(path)
        name = element_.child_by_field_name("name")
        if (
            name is None
            or tree is None
            or (name.type == "identifier" and tree.text(name)[0].islower())
        ):
            return NOTHING
        found: Types = NOTHING
        for component in self._types.of(path, name):
            found |= self._taken(component)
        return found

    def _taken(self, component: Type) -> Types:
        """The types of a component's properties."""
        if component.kind == "value":
            instance = Type("instance", component.path, component.name)
            return self._types.properties.of(instance, "props")
        found: Types = NOTHING
        for signature in self._types.calls.signatures(component):
            parameter = signature.parameter(0)
            if parameter is None:
                continue
            if parameter.type != OTHER:
                found |= self._types.written.of(
                    signature.path, parameter.type, parameter.offset, signature.scope
                )
        return found

    def _given(self, functions: Types, place: int) -> Types:
        """The types that functions of these types get as a parameter."""
        found: Types = NOTHING
        for one in functions:
            signatures = self._types.calls.signatures(one)
            if not signatures:
                found |= NOT_KNOWN if one.kind == "unknown" else NOTHING
            some = without_bodies(signatures)
            found |= either(some, [self._parameter(signature, place) for signature in some])
        return found or NOT_KNOWN

    def _parameter(self, signature: Signature, place: int) -> Types:
        parameter = signature.parameter(place)
        if parameter is None:
            return NOTHING
        types = self._types.written.of(
            signature.path, parameter.type, parameter.offset, signature.scope
        )
        return element(types) if parameter.is_rest else types

    def _of_method(self, path: str, method: Node, place: int) -> Types:
        """The types of a parameter of a method in an object literal."""
        literal, tree = method.parent, self._files.tree(path)
        name = method.child_by_field_name("name")
        if literal is None or literal.type != "object" or name is None or tree is None:
            return NOT_KNOWN
        return self._given(self._property(path, literal, tree.text(name)), place)

    def _property(self, path: str, literal: Node, name: str) -> Types:
        owners = self.of_literal(path, literal)
        return NOTHING.union(*(self._types.properties.of(owner, name) for owner in owners))

    def _of(self, path: str, node: Node) -> Types:  # noqa: C901, PLR0911, PLR0912 - a case per place
        holder = node.parent
        tree = self._files.tree(path)
        if holder is None or tree is None:
            return NOTHING
        kind = holder.type
        if kind == "satisfies_expression":
            return self._types.written.annotated(path, holder.named_children[-1])
        if kind == "as_expression":
            if len(holder.named_children) > 1:
                return self._types.written.annotated(path, holder.named_children[-1])
            return self.of(path, holder)  # as const
        if kind in _DECLARED:
            annotation = holder.child_by_field_name("type")
            if annotation is not None:
                return self._types.written.annotated(path, annotation)
            return NOTHING
        if kind in _THROUGH:
            return self.of(path, holder)
        match kind:
            case "binary_expression":
                is_either = tree.text(holder.children[1]) in {"??", "||", "&&"}
                return self.of(path, holder) if is_either else NOTHING
            case "array":
                return element(self.of(path, holder))
            case "spread_element" | "jsx_expression" if holder.parent is not None:
                return self._through(path, holder)
            case "pair":
                key, literal = holder.child_by_field_name("key"), holder.parent
                if key is None or literal is None or key == node:
                    return NOTHING
                name = tree.text(key).strip("'\"")
                if key.type == "computed_property_name":
                    owners = self.of_literal(path, literal)
                    unknown_key = NOT_KNOWN
                    return self._types.subscript(owners, unknown_key)
                return self._property(path, literal, name)
            case "arguments":
                return self._of_argument(path, holder, node)
            case "return_statement" | "arrow_function":
                return self._of_return(path, holder)
            case "assignment_expression":
                left = holder.child_by_field_name("left")
                return NOTHING if left is None or left == node else self._types.of(path, left)
            case "assignment_pattern" | "object_assignment_pattern":
                return self._types.values.of_pattern(path, holder.named_children[0])
        return NOTHING

    def _through(self, path: str, holder: Node) -> Types:
        around = holder.parent
        if around is None:
            return NOTHING
        if holder.type == "spread_element":
            return self.of(path, around) if around.type == "object" else NOTHING
        if around.type == "jsx_attribute" and around.parent is not None:
            tree = self._files.tree(path)
            name = tree.text(around.named_children[0]) if tree is not None else ""
            owners = self.properties(path, around.parent)
            return NOTHING.union(*(self._types.properties.of(one, name) for one in owners))
        return NOTHING

    def _of_argument(self, path: str, holder: Node, node: Node) -> Types:
        call = holder.parent
        if call is None:
            return NOTHING
        given = arguments(call)
        if node not in given:
            return NOTHING
        place = given.index(node)
        function = call.child_by_field_name("function")
        constructor = call.child_by_field_name("constructor")
        found: Types = NOTHING
        callees = self._types.all(path, [function, constructor])
        if constructor is None:
            each = self._types.calls.overloads(callees)
        else:
            each = [self._types.calls.constructors(callee) for callee in callees]
        for signatures in each:
            fitting = self._types.calls.fitting(signatures, path, call, leaving=node)
            found |= either(
                fitting,
                (self._of_parameter(one, place, path, call, node) for one in fitting),
            )
        return found

    def _of_parameter(
        self, signature: Signature, place: int, path: str, call: Node, node: Node
    ) -> Types:
        parameter = signature.parameter(place)
        if parameter is None:
            return NOTHING
        scope = self._types.calls.inferred(signature, path, call, leaving=node)
        syntax = parameter.type
        if parameter.is_rest and isinstance(syntax, Named) and syntax.args:
            syntax = syntax.args[0]
        return self._types.written.of(signature.path, syntax, parameter.offset, scope)

    def _of_return(self, path: str, holder: Node) -> Types:
        function: Node | None = holder
        while function is not None and function.type not in _FUNCTIONS:
            function = function.parent
        if function is None:
            return NOTHING
        said = function.child_by_field_name("return_type")
        is_async = any(child.type == "async" for child in function.children)
        if said is not None:
            found = self._types.written.annotated(path, said)
        elif function.type in _EXPRESSIONS:
            found = self._types.calls.returned(
                frozenset(one for one in self.of(path, function) if one.kind != "unknown")
            )
        else:
            return NOTHING
        return awaited(found) if is_async else found
