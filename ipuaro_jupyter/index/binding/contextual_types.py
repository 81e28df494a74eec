"""The expected type of an object literal, from its context, and of the attributes of an element."""

from collections.abc import Callable

from ipuaro_jupyter.index.binding.expression_types import ExpressionTypes
from ipuaro_jupyter.index.binding.members import Found, Members
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree
from ipuaro_jupyter.languages.language import Node

_MOST_DEPTH = 12
_DECLARED = frozenset(
    {
        *("variable_declarator", "public_field_definition", "field_definition"),
        *("required_parameter", "optional_parameter"),
    }
)
_CASTS = frozenset({"as_expression", "satisfies_expression"})
_THROUGH = frozenset({"parenthesized_expression", "array", "ternary_expression"})
_FUNCTIONS = frozenset(
    {
        *("function_declaration", "function_expression", "arrow_function", "method_definition"),
        *("generator_function_declaration", "generator_function"),
    }
)


class ContextualTypes:
    """Finds the expected types of object literals, among the files of an index.

    Args:
        files: The files.
        members: Their declarations.
        types: Finds the types of expressions.
    """

    def __init__(self, files: OpenedFiles, members: Members, types: ExpressionTypes) -> None:
        self._files = files
        self._members = members
        self._types = types
        self._by_kind: dict[str, Callable[[str, SourceTree, Node, Node, int], Found]] = {
            "pair": self._of_pair,
            "arguments": self._of_argument,
            "return_statement": self._of_return,
            "arrow_function": self._of_return,
            "assignment_expression": self._of_assignment,
        }

    def of(self, path: str, key: Node) -> Found:
        """The expected types of the object literal around a key, or of an element's attributes."""
        tree = self._files.tree(path)
        if tree is not None and key.parent is not None and key.parent.type == "jsx_attribute":
            return self._of_element(path, tree, key.parent)
        literal = key.parent
        if literal is not None and literal.type in {"pair", "method_definition"}:
            literal = literal.parent
        if tree is None or literal is None or literal.type != "object":
            return set()
        return self._expected(path, tree, literal, 0)

    def _of_element(self, path: str, tree: SourceTree, attribute: Node) -> Found:
        """The types of the properties of the component that an element is one of."""
        element = attribute.parent
        name = element.child_by_field_name("name") if element is not None else None
        if name is None or (name.type == "identifier" and tree.text(name)[0].islower()):
            return set()
        return {
            found
            for component in self._types.of(path, name)
            for text in self._members.property_types(component)
            for found in self._members.typed(component[0], text)
        }

    def _expected(self, path: str, tree: SourceTree, node: Node, depth: int) -> Found:
        """The expected types of an expression."""
        holder = node.parent
        if holder is None or depth > _MOST_DEPTH:
            return set()
        if holder.type in _CASTS:
            return self._types.annotated(path, holder.named_children[-1])
        if holder.type in _DECLARED:
            annotation = holder.child_by_field_name("type")
            return set() if annotation is None else self._types.annotated(path, annotation)
        is_either = holder.type == "binary_expression" and tree.text(holder.children[1]) in {
            "??",
            "||",
        }
        if holder.type in _THROUGH or is_either:
            return self._expected(path, tree, holder, depth + 1)
        reader = self._by_kind.get(holder.type)
        return set() if reader is None else reader(path, tree, holder, node, depth + 1)

    def _of_pair(self, path: str, tree: SourceTree, holder: Node, _node: Node, depth: int) -> Found:
        key, literal = holder.child_by_field_name("key"), holder.parent
        if key is None or literal is None or key.type != "property_identifier":
            return set()
        name = tree.text(key)
        owners = self._expected(path, tree, literal, depth)
        return {found for owner in owners for found in self._types.member_type(owner, name)}

    def _of_argument(
        self, path: str, _tree: SourceTree, holder: Node, node: Node, _depth: int
    ) -> Found:
        call = holder.parent
        given = [child for child in holder.named_children if not child.is_extra]
        if call is None or node not in given:
            return set()
        callee = call.child_by_field_name("function") or call.child_by_field_name("constructor")
        place = given.index(node)
        found: Found = set()
        for function in self._types.of(path, callee) if callee is not None else ():
            texts = self._members.parameter_types(function, place)
            found |= self._members.agreed(function[0], texts)
        return found

    def _of_return(
        self, path: str, _tree: SourceTree, holder: Node, _node: Node, _depth: int
    ) -> Found:
        function: Node | None = holder
        while function is not None and function.type not in _FUNCTIONS:
            function = function.parent
        said = function.child_by_field_name("return_type") if function is not None else None
        return set() if said is None else self._types.annotated(path, said)

    def _of_assignment(
        self, path: str, _tree: SourceTree, holder: Node, _node: Node, _depth: int
    ) -> Found:
        left = holder.child_by_field_name("left")
        return set() if left is None else self._types.of(path, left)
