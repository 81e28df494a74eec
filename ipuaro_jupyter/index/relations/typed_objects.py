"""The object literals that a type in JavaScript or TypeScript says to be of it."""

from collections.abc import Iterator

from ipuaro_jupyter.index.binding.function_nodes import returned_values
from ipuaro_jupyter.languages.language import Node

_PARTS_OF_A_TYPE = frozenset({"union_type", "intersection_type", "parenthesized_type"})
_WRAPPED = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression"})
_ASSERTED = frozenset({"as_expression", "satisfies_expression"})


def typed_objects(name: Node) -> Iterator[Node]:
    """Yield the objects that are of the type of that name, as their variable or function says."""
    inner, around = name, name.parent
    while around is not None and (
        around.type in _PARTS_OF_A_TYPE
        or (around.type == "generic_type" and around.child_by_field_name("name") == inner)
        or (around.type == "nested_type_identifier" and around.named_children[-1] == inner)
    ):
        inner, around = around, around.parent
    if around is None:
        return
    values: list[Node] = []
    if around.type in _ASSERTED and around.named_children[0] != inner:
        values = around.named_children[:1]
    elif around.type == "type_annotation" and around.parent is not None:
        holder = around.parent
        value = holder.child_by_field_name("value")
        if holder.child_by_field_name("return_type") == around:
            values = returned_values(holder)
        elif value is not None:
            values = [value]
    for value in values:
        while value.type in _WRAPPED and value.named_children:
            value = value.named_children[0]  # noqa: PLW2901 - what it wraps
        if value.type == "object":
            yield value


def key_in(holder: Node, name: str) -> Node | None:
    """The node of a member's name in an object, or in a class."""
    body = holder.child_by_field_name("body") or holder
    for child in body.named_children:
        key = child.child_by_field_name("key") or child.child_by_field_name("name")
        if child.type == "shorthand_property_identifier":
            key = child
        if key is not None and (key.text or b"").decode().strip("'\"") == name:
            return key
    return None


def is_key(name: Node) -> bool:
    """Whether a name is that of a property or method in an object literal."""
    if name.type == "shorthand_property_identifier":
        return True
    parent = name.parent
    if parent is None:
        return False
    if parent.type == "pair":
        return parent.child_by_field_name("key") == name
    around = parent.parent
    is_method = parent.type == "method_definition" and around is not None
    return is_method and around is not None and around.type == "object"
