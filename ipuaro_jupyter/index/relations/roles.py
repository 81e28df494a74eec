"""What code does with a name, by the place of the name in the syntax tree."""

from typing import Literal

from ipuaro_jupyter.languages.language import Node

Role = Literal[
    "call", "new", "element", "decorator", "base", "value", "read", "type", "import", "write"
]
"""What a place does with a function or class: it calls it, makes an object of it, draws it as a JSX
element, decorates with it, inherits from it, passes it on, reads a member of it, or none of these.
"""

_AROUND_A_VALUE = frozenset(
    {
        *("parenthesized_expression", "non_null_expression", "as_expression"),
        *("satisfies_expression", "instantiation_expression"),
    }
)
_SELF_CALLS = frozenset({b"call", b"apply"})
_ELEMENTS = frozenset({"jsx_opening_element", "jsx_self_closing_element"})
_IMPORTS = frozenset(
    {
        *("import_specifier", "import_clause", "namespace_import", "export_specifier"),
        *("import_require_clause", "import_statement", "namespace_export"),
    }
)
_TYPES = frozenset(
    {
        *("type_annotation", "type_query", "type_arguments", "type_alias_declaration"),
        *("type_predicate", "type_parameter", "generic_type", "nested_type_identifier"),
    }
)
_HERITAGE = frozenset({"extends_clause", "implements_clause", "extends_type_clause"})
_EXTENDED = "class_heritage"
_DOTTED = frozenset({"member_expression", "nested_identifier", "nested_type_identifier"})


def role_of(name: Node) -> Role:
    """What JavaScript or TypeScript does with a name.

    Args:
        name: The node of the name; of ``a.b.c``, the last one.
    """
    outer = _whole(name)
    parent = outer.parent
    # An element is counted at its beginning.
    if parent is not None and parent.type in _IMPORTS | {"jsx_closing_element"}:
        return "import"
    if _is_base(outer):
        return "base"
    if name.type == "type_identifier" or (parent is not None and parent.type in _TYPES):
        return "type"
    return _called_as(outer) or _role_of_value(outer)


def _called_as(value: Node) -> Role | None:
    """How a value is called; None when it is not."""
    outer = _unwrapped(value)
    parent = outer.parent
    if parent is None:
        return None
    if parent.type == "call_expression" and parent.child_by_field_name("function") == outer:
        around = parent.parent
        return "decorator" if around is not None and around.type == "decorator" else "call"
    if parent.type == "new_expression" and parent.child_by_field_name("constructor") == outer:
        return "new"
    if parent.type in _ELEMENTS and parent.child_by_field_name("name") == outer:
        return "element"
    return "decorator" if parent.type == "decorator" else None


def _unwrapped(value: Node) -> Node:
    outer = value
    while outer.parent is not None and outer.parent.type in _AROUND_A_VALUE:
        outer = outer.parent
    return outer


def _role_of_value(value: Node) -> Role:
    outer = _unwrapped(value)
    parent = outer.parent
    if parent is None:
        return "value"
    if parent.type == "member_expression" and parent.child_by_field_name("object") == outer:
        return _role_of_object(outer, parent)
    is_left = parent.child_by_field_name("left") == outer
    if is_left and parent.type == "assignment_expression":
        return "write"
    return "import" if _is_exported(outer) else "value"


def _role_of_object(object_: Node, member: Node) -> Role:
    if _calls_itself(object_):
        return "call"
    property_ = member.child_by_field_name("property")
    return "value" if property_ is not None and property_.text == b"bind" else "read"


def _is_exported(value: Node) -> bool:
    """Whether a value is that of an export, or a property in ``module.exports = {…}``."""
    around = value.parent
    while around is not None and around.type in {"pair", "object"}:
        around = around.parent
    if around is None or around.type == "export_statement":
        return around is not None
    left = around.child_by_field_name("left")
    if around.type != "assignment_expression" or left is None:
        return False
    return (left.text or b"").startswith((b"module.exports", b"exports."))


def _calls_itself(function: Node) -> bool:
    """Whether a function is called as in ``function.call(this)``."""
    member = function.parent
    if member is None or member.type != "member_expression":
        return False
    property_ = member.child_by_field_name("property")
    call = member.parent
    if call is None or call.type != "call_expression" or property_ is None:
        return False
    is_called = call.child_by_field_name("function") == member
    is_object = member.child_by_field_name("object") == function
    return is_called and is_object and property_.text in _SELF_CALLS


def _whole(name: Node) -> Node:
    """The dotted expression that ends with a name, or the name."""
    parent = name.parent
    if parent is None or parent.type not in _DOTTED:
        return name
    last = parent.named_children[-1] if parent.named_children else None
    return parent if last == name else name


def heritage_of(name: Node) -> Node | None:
    """The class or interface whose bases a name is among; None when it is no base."""
    outer = _whole(name)
    if not _is_base(outer):
        return None
    around: Node | None = outer
    while around is not None and around.type not in DECLARING:
        around = around.parent
    return around


DECLARING = frozenset(
    {
        *("class_declaration", "abstract_class_declaration", "class", "interface_declaration"),
        *("interface", "class_expression"),
    }
)
"""The nodes of classes and interfaces."""


def _is_base(outer: Node) -> bool:
    parent = outer.parent
    if parent is not None and parent.type == "generic_type":
        if parent.named_children[:1] != [outer]:
            return False
        parent = parent.parent
    return parent is not None and parent.type in {*_HERITAGE, _EXTENDED}


def python_role_of(name: Node) -> Role:
    """What Python does with a name outside of imports.

    Args:
        name: The node of the name; of ``a.b.c``, the last one.
    """
    outer = name
    parent = name.parent
    if parent is not None and parent.type == "attribute":
        if parent.child_by_field_name("attribute") != name:
            return "read"
        outer, parent = parent, parent.parent
    while parent is not None and parent.type == "parenthesized_expression":
        outer, parent = parent, parent.parent
    if parent is None:
        return "value"
    if parent.type == "call" and parent.child_by_field_name("function") == outer:
        around = parent.parent
        return "decorator" if around is not None and around.type == "decorator" else "call"
    if parent.type == "decorator":
        return "decorator"
    if python_heritage_of(name) is not None:
        return "base"
    return _python_role_around(outer)


def _python_role_around(outer: Node) -> Role:
    inner: Node = outer
    around: Node | None = outer.parent
    while around is not None:
        if around.type == "type":
            return "type"
        if around.type == "assignment" and around.child_by_field_name("left") == inner:
            return "write"
        if around.type == "keyword_argument" and around.child_by_field_name("name") == inner:
            return "write"
        if around.type not in {"generic_type", "subscript"}:
            return "value"
        inner, around = around, around.parent
    return "value"


def python_heritage_of(name: Node) -> Node | None:
    """The class whose bases a name is among; None when it is no base."""
    outer: Node | None = name
    for _ in range(3):  # Base, module.Base, module.Base[Type]
        parent = outer.parent if outer is not None else None
        if parent is None or outer is None:
            return None
        if parent.type == "argument_list" and parent.parent is not None:
            class_ = parent.parent
            return class_ if class_.child_by_field_name("superclasses") == parent else None
        is_attribute = parent.type == "attribute"
        if is_attribute and parent.child_by_field_name("attribute") != outer:
            return None
        if parent.type == "subscript" and parent.child_by_field_name("value") != outer:
            return None
        if not is_attribute and parent.type != "subscript":
            return None
        outer = parent
    return None
