"""The types of what declarations declare: variables, parameters, members, classes and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipuaro_jupyter.index.binding.inference.inferred_type import (
    NOT_KNOWN,
    NOTHING,
    Bound,
    Type,
    Types,
    builtin,
    element,
    inner_widened,
    widened,
)
from ipuaro_jupyter.index.binding.inference.react_types import MODULES, react_functions

if TYPE_CHECKING:
    from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
    from ipuaro_jupyter.index.binding.inference.types_of import TypesOf
    from ipuaro_jupyter.index.binding.members import Members
    from ipuaro_jupyter.index.binding.module_names import ModuleNames
    from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
    from ipuaro_jupyter.index.extract.ecmascript.binder import Binding
    from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree
    from ipuaro_jupyter.languages.language import Node

_CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
_VALUES = _CLASSES | {"enum_declaration", "internal_module", "module"}
_SIGNATURES = frozenset(
    {
        *("method_signature", "abstract_method_signature", "function_signature"),
        *("function_declaration", "generator_function_declaration", "method_definition"),
        *("function_expression", "generator_function", "arrow_function"),
    }
)
_OWN_THIS = frozenset(
    {
        *("method_definition", "function_expression", "function_declaration"),
        *("generator_function", "generator_function_declaration"),
    }
)
_ANNOTATED = frozenset(
    {
        *("variable_declarator", "public_field_definition", "property_signature"),
        *("required_parameter", "optional_parameter", "field_definition"),
    }
)
_PARAMETERS = frozenset({"required_parameter", "optional_parameter"})
_LITERALS_AROUND = frozenset(
    {
        *("object", "array", "pair", "shorthand_property_identifier", "parenthesized_expression"),
        *("string", "number", "identifier", "ternary_expression"),
    }
)
_AS_AROUND = frozenset({"object_assignment_pattern", "assignment_pattern"})


class DeclaredValues:
    """Infers the types of what is declared.

    Args:
        types: Infers types.
        files: The files.
        modules: Resolves names from other files.
        members: The declarations of the files.
        aliases: Follows names through imports.
    """

    def __init__(
        self,
        types: TypesOf,
        files: OpenedFiles,
        *,
        modules: ModuleNames,
        members: Members,
        aliases: AliasResolver,
    ) -> None:
        self._types = types
        self._files = files
        self._modules = modules
        self._members = members
        self._aliases = aliases

    def of(self, declared: Declaration) -> Types:
        """The types of the value that a declaration declares."""
        return self._types.once(("value", declared), lambda: self._of(declared, ()))

    def of_member(self, declared: Declaration, scope: Bound) -> Types:
        """The types of a member, in the scope of the object that has it."""
        return self._types.once(("member", declared, scope), lambda: self._of(declared, scope))

    def of_binding(self, path: str, bound: Binding, name: str) -> Types:
        """The types of a name that is bound in a file."""
        if self._modules.is_imported(path, bound, name):
            declared = self._members.named(path, (name,))
            if not declared:
                return self._outer(path, name)
            return NOTHING.union(*(self.of(one) for one in declared))
        tree = self._files.tree(path)
        if tree is None:
            return NOT_KNOWN
        key = ("bound", path, bound.node.start_byte)
        return self._types.once(key, lambda: self._named(path, tree, bound.node, ()))

    def _outer(self, path: str, name: str) -> Types:
        """The types of a name that is imported and that no declaration in the project has."""
        module, exported = self._aliases.outer(path, name) or ("", "")
        if inner := self._aliases.imported(path, name):
            return NOTHING.union(*(self._types.of_export(target, of) for target, of in inner))
        if module not in MODULES:
            return NOT_KNOWN
        if exported in {"default", "*"}:
            return builtin("typeof React")
        known = react_functions().get(exported)
        return NOT_KNOWN if known is None else self._types.written.of("", known.type, 0)

    def of_node(self, path: str, node: Node, scope: Bound) -> Types:
        """The type of a function or a method, given its node; for a getter, what it returns."""
        words = {child.type for child in node.children}
        if "get" in words:
            return self._types.calls.returned(_function(path, node, scope))
        return NOTHING if "set" in words else _function(path, node, scope)

    def of_name(self, path: str, node: Node) -> Types:
        """The types of the variable of a shorthand property."""
        tree = self._files.tree(path)
        if tree is None:
            return NOT_KNOWN
        name = tree.text(node)
        bounds = tree.bound(name, node)
        found = NOTHING.union(*(self.of_binding(path, bound, name) for bound in bounds))
        return self._types.narrowing.of(path, node, found) if bounds else NOT_KNOWN

    def given(self, path: str, node: Node, value: Node | None) -> Types:
        """The types of a property in an object literal, which may be given other values later.

        Args:
            path: The file.
            node: The property.
            value: Its value; the property itself where it names a variable.
        """
        found = self.of_name(path, node) if value == node else self._types.all(path, [value])
        return found if is_const_asserted(node) else widened(found)

    def of_class(self, path: str, node: Node) -> Types:
        """The value of a class expression, by the name that its members are known by."""
        qualified = self._qualified(path, node)
        return frozenset({Type("value", path, qualified)}) if qualified else NOT_KNOWN

    def of_pattern(self, path: str, node: Node) -> Types:
        """The types of the value that a pattern, or a name in one, is given."""
        tree = self._files.tree(path)
        if tree is None:
            return NOT_KNOWN
        key = ("pattern", path, node.start_byte, node.end_byte)
        return self._types.once(key, lambda: self._taken(path, tree, node, ()))

    def this(self, path: str, node: Node) -> Types:
        """The type of ``this`` at a place."""
        inner: Node = node
        around = node.parent
        while around is not None:
            if around.type == "class_static_block":
                return self._of_owner(path, around.parent and around.parent.parent, is_static=True)
            said = self._said_this(path, inner) if inner.type in _OWN_THIS else None
            if said is not None:
                return said
            if around.type in {"class_body", "interface_body", "object_type"}:
                is_static = any(child.type == "static" for child in inner.children)
                return self._of_owner(path, around.parent, is_static=is_static)
            if inner.type in _OWN_THIS:
                literal = around.parent if around.type == "pair" else around
                if literal is not None and literal.type == "object":
                    expected = self._types.expectations.of(path, literal)
                    return expected | self._types.of(path, literal)
                if inner.type != "method_definition":
                    return NOT_KNOWN
            inner, around = around, around.parent
        return NOT_KNOWN

    def beside(self, owner: Type, name: str) -> Types:
        """The types of a member that is not among those of a declaration, but of its value."""
        if owner.kind == "value":
            found = self.of((owner.path, owner.name)) - {owner}
            return NOTHING.union(*(self._types.properties.of(one, name) for one in found))
        return NOTHING

    def _of(self, declared: Declaration, scope: Bound) -> Types:
        path, qualified = declared
        tree = self._files.tree(path)
        if tree is None:
            return NOT_KNOWN
        found: Types = NOTHING
        name = qualified.rpartition(".")[2]
        for offset in self._files.file(path).definitions.get(qualified, ()):
            node = tree.node(offset, name)
            if node is not None:
                found |= self._named(path, tree, node, scope)
        return found

    def _named(self, path: str, tree: SourceTree, node: Node, scope: Bound) -> Types:  # noqa: PLR0911 - a case per kind
        """The types of what a name declares, by the node around it."""
        around = node.parent
        if around is None:
            return NOT_KNOWN
        kind = around.type
        if kind in _CLASSES or kind in _VALUES:
            qualified = self._qualified(path, around)
            return frozenset({Type("value", path, qualified)}) if qualified else NOT_KNOWN
        if kind in _SIGNATURES and around.child_by_field_name("parameter") != node:
            return self.of_node(path, around, scope)
        if kind in {"interface_declaration", "type_alias_declaration"}:
            return NOTHING
        if kind == "pair":
            return self.given(path, around, around.child_by_field_name("value"))
        if kind in {"enum_body", "enum_assignment"}:
            return self._enum_member(path, around)
        if kind == "member_expression":
            assignment = around.parent
            right = assignment.child_by_field_name("right") if assignment is not None else None
            return widened(self._types.all(path, [right]))
        if kind in {"public_field_definition", "field_definition"}:
            return self._typed(path, tree, around, scope) or self._assigned(
                path, tree, around, node
            )
        if node.type.startswith("shorthand_property_identifier") and kind == "object":
            return self.given(path, node, node)
        return self._taken(path, tree, node, scope)

    def _taken(self, path: str, tree: SourceTree, node: Node, scope: Bound) -> Types:  # noqa: PLR0911 - a case per kind
        """The types that a name or pattern gets from the declaration around it."""
        around = node.parent
        if around is None:
            return NOT_KNOWN
        kind = around.type
        if kind in _AS_AROUND:
            given = self._taken(path, tree, around, scope)
            default = widened(self._types.all(path, around.named_children[-1:]))
            return given if given and given != NOT_KNOWN else given | default
        if kind == "rest_pattern":
            return self._rest(path, tree, around, scope)
        if kind == "pair_pattern" and around.parent is not None:
            key = around.child_by_field_name("key")
            return self._part(path, tree, around.parent, key, scope)
        if kind == "object_pattern":
            return self._part(path, tree, around, node, scope)
        if kind == "array_pattern":
            given = self._taken(path, tree, around, scope)
            listed = [child for child in around.children if child.type not in {"[", "]"}]
            place = sum(child.type == "," for child in listed[: listed.index(node)])
            return self._at(given, place)
        if kind == "formal_parameters":
            return self._types.expectations.parameter(path, node)
        if kind in _ANNOTATED or kind in {"for_in_statement", "arrow_function", "catch_clause"}:
            return self._typed(path, tree, around, scope)
        return NOT_KNOWN

    def _at(self, given: Types, place: int) -> Types:
        found: Types = NOTHING
        for one in given:
            if one.kind == "builtin" and one.name == "Tuple":
                found |= one.args[place] if place < len(one.args) else NOT_KNOWN
            else:
                found |= element(frozenset({one}))
        return found

    def _rest(self, path: str, tree: SourceTree, pattern: Node, scope: Bound) -> Types:
        around = pattern.parent
        if around is None:
            return NOT_KNOWN
        if around.type == "object_pattern":
            return self._taken(path, tree, around, scope)
        if around.type == "array_pattern":
            return builtin("Array", element(self._taken(path, tree, around, scope)))
        return self._taken(path, tree, pattern, scope)

    def _part(
        self, path: str, tree: SourceTree, pattern: Node, key: Node | None, scope: Bound
    ) -> Types:
        """The types of a property of the value that an object pattern destructures."""
        if key is not None and key.type == "object_assignment_pattern":
            key = key.named_children[0]
        if key is None or key.type == "computed_property_name":
            return NOT_KNOWN
        name = tree.text(key).strip("'\"")
        owners = self._taken(path, tree, pattern, scope)
        return NOTHING.union(*(self._types.properties.of(owner, name) for owner in owners))

    def _typed(self, path: str, tree: SourceTree, owner: Node, scope: Bound) -> Types:
        """The types of a declaration's annotation, else of its value."""
        annotation = owner.child_by_field_name("type")
        if annotation is not None:
            return self._types.written.annotated(path, annotation, scope)
        if owner.type == "for_in_statement":
            return self._iterated(path, tree, owner)
        value = owner.child_by_field_name("value")
        if owner.type in _PARAMETERS or owner.type == "arrow_function":
            expected = self._types.expectations.parameter(path, owner)
            return expected if value is None else widened(self._types.of(path, value))
        found = self._types.all(path, [value])
        if value is None or is_const_asserted(value):
            return found
        return inner_widened(found) if _is_constant(owner) else widened(found)

    def _iterated(self, path: str, tree: SourceTree, loop: Node) -> Types:
        operator = loop.child_by_field_name("operator")
        if operator is None or tree.text(operator) != "of":
            return builtin("string")
        right = loop.child_by_field_name("right")
        found = element(self._types.all(path, [right]))
        return found if right is None or right.type != "array" else widened(found)

    def _assigned(self, path: str, tree: SourceTree, field: Node, name: Node) -> Types:
        """The types that ``this.name = …`` in the class itself gives to a field."""
        body = field.parent
        text = tree.text(name)
        found: Types = NOTHING
        for offset in tree.places(text):
            node = tree.node(offset, text)
            target = node.parent if node is not None else None
            assignment = target.parent if target is not None else None
            if target is None or assignment is None or target.type != "member_expression":
                continue
            receiver, left = target.child_by_field_name("object"), None
            if assignment.type == "assignment_expression":
                left = assignment.child_by_field_name("left")
            is_own = body is not None and body.start_byte < offset < body.end_byte
            if receiver is not None and receiver.type == "this" and left == target and is_own:
                right = assignment.child_by_field_name("right")
                found |= widened(self._types.all(path, [right]))
        return found

    def _enum_member(self, path: str, around: Node) -> Types:
        body = around if around.type == "enum_body" else around.parent
        qualified = self._qualified(path, body.parent) if body is not None and body.parent else ""
        return frozenset({Type("instance", path, qualified)}) if qualified else NOT_KNOWN

    def _of_owner(self, path: str, node: Node | None, *, is_static: bool) -> Types:
        qualified = self._qualified(path, node) if node is not None else ""
        if not qualified:
            return NOT_KNOWN
        return frozenset({Type("value" if is_static else "instance", path, qualified)})

    def _said_this(self, path: str, function: Node) -> Types | None:
        """The type of a parameter ``this``; None without one."""
        listed = function.child_by_field_name("parameters")
        first = listed.named_children[0] if listed is not None and listed.named_children else None
        pattern = first.child_by_field_name("pattern") if first is not None else None
        annotation = first.child_by_field_name("type") if first is not None else None
        if pattern is None or pattern.type != "this" or annotation is None:
            return None
        return self._types.written.annotated(path, annotation)

    def _qualified(self, path: str, node: Node) -> str:
        """The qualified name of a declaration, given its node; "" when it has none."""
        file = self._files.file(path)
        for holder in (node, node.parent):  # const A = class B {} declares A
            name = holder.child_by_field_name("name") if holder is not None else None
            qualified = file.declared_at.get(name.start_byte) if name is not None else None
            if qualified is not None:
                return qualified
        return ""


def is_const_asserted(node: Node) -> bool:
    """Whether ``as const`` is said of an expression, or of literals around it."""
    around: Node | None = node
    while around is not None and around.type in _LITERALS_AROUND:
        around = around.parent
    if around is None or around.type != "as_expression":
        return False
    return any(child.type == "const" for child in around.children)


def _is_constant(owner: Node) -> bool:
    """Whether a declaration is that of a constant or of a field that is only read."""
    holder = owner.parent if owner.type == "variable_declarator" else owner
    return holder is not None and any(
        child.type in {"const", "readonly"} for child in holder.children
    )


def _function(path: str, node: Node, scope: Bound) -> Types:
    start, end = node.start_byte, node.end_byte
    return frozenset({Type("expression", path, "function", start=start, end=end, scope=scope)})
