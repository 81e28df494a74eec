"""Which nodes bind a name, and in which scope, in JavaScript and TypeScript."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ipuaro_jupyter.languages.language import Node

UNDERSTOOD = frozenset({"javascript", "typescript", "tsx"})
"""The languages whose scopes are understood."""

_FUNCTIONS = frozenset(
    {
        *("function_declaration", "generator_function_declaration", "function_signature"),
        *("function_expression", "generator_function", "arrow_function", "method_definition"),
        *("method_signature", "abstract_method_signature", "call_signature", "function_type"),
        *("construct_signature", "constructor_type", "class_static_block"),
    }
)
_BLOCKS = _FUNCTIONS | {
    *("program", "statement_block", "switch_body", "for_statement", "for_in_statement"),
    "catch_clause",
}
_OUTSIDE = frozenset(
    {
        *("function_declaration", "generator_function_declaration", "function_signature"),
        *("class_declaration", "abstract_class_declaration", "interface_declaration"),
        *("enum_declaration", "type_alias_declaration", "internal_module", "module"),
        "import_alias",
    }
)
"""Declarations whose name is bound in the enclosing block."""
_INSIDE = frozenset({"function_expression", "generator_function", "class"})
"""Expressions whose name is bound only inside themselves."""
_PROGRAM = frozenset({"program"})
_IMPORTS = frozenset({"import_clause", "namespace_import", "import_require_clause"})
_PATTERNS = frozenset({"object_pattern", "array_pattern", "rest_pattern"})
_PATTERN_PARTS = {
    "pair_pattern": "value",
    "assignment_pattern": "left",
    "object_assignment_pattern": "left",
}
_PARAMETERS = {
    "required_parameter": "pattern",
    "optional_parameter": "pattern",
    "arrow_function": "parameter",
    "catch_clause": "parameter",
}
NO_BINDINGS = frozenset(
    {"property_identifier", "private_property_identifier", "statement_identifier"}
)
"""Kinds of nodes that name members, keys and labels: they bind nothing in the enclosing scopes."""
_NAMESPACES = frozenset({"internal_module", "module"})
_ENUM_PARTS = frozenset({"enum_body", "enum_assignment"})
_WRAPPERS = frozenset({"export_statement", "ambient_declaration", "expression_statement"})
_TYPES_ONLY = frozenset(
    {
        *("type_parameter", "interface_declaration", "type_alias_declaration", "infer_type"),
        "mapped_type_clause",
    }
)
_TYPES_TOO = _IMPORTS | {
    *("class_declaration", "abstract_class_declaration", "class", "enum_declaration"),
    *("import_specifier", "import_alias", "internal_module", "module"),
}

_TYPE_PARTS = frozenset({"type_parameter", "infer_type", "mapped_type_clause", "index_signature"})
_BODIES = frozenset({"enum_body", "statement_block"})
_ENUM_BODY = frozenset({"enum_body"})

_LOADING = re.compile(rb"\b(?:require|import)\s*\(")

VALUE, TYPE = 1, 2
"""Declaration spaces: values and types. A namespace is in both."""


class Binding(NamedTuple):
    """A declaration of a name: the name's node, the declaring node, and its scope in bytes."""

    node: Node
    owner: Node
    start: int
    end: int

    @property
    def is_import(self) -> bool:
        """Whether the name comes from another module."""
        return self.owner.type == "import_specifier" or self.owner.type in _IMPORTS

    @property
    def is_named(self) -> bool:
        """Whether it is more than a parameter of a function or of a type."""
        return self.owner.type in _OUTSIDE or self.is_import

    @property
    def kinds(self) -> int:
        """The declaration spaces: `VALUE`, `TYPE`, or both."""
        kind = self.owner.type
        if kind in _TYPES_ONLY:
            return TYPE
        return VALUE | TYPE if kind in _TYPES_TOO else VALUE


def declaration_spaces(node: Node) -> int:
    """The declaration spaces that a use of a name may refer to, as bits.

    0 when any will do.
    """
    if node.type == "type_identifier":
        return TYPE
    parent = node.parent
    while parent is not None and parent.type == "nested_identifier":
        parent = parent.parent
    if parent is None or parent.type in {"export_specifier", "export_statement"}:
        return 0
    if parent.type in {"nested_type_identifier", "import_alias"}:
        return VALUE | TYPE
    return VALUE


def innermost(bounds: Iterable[Binding], node: Node) -> list[Binding]:
    """The declarations that a use of a name refers to; all of them are of one scope."""
    kinds, offset = declaration_spaces(node), node.start_byte
    around = [b for b in bounds if b.start <= offset < b.end and b.kinds & kinds == kinds]
    least = min((b.end - b.start for b in around), default=0)
    return [b for b in around if b.end - b.start == least]


def may_load(data: bytes, bound: Binding) -> bool:
    """Whether a name may be bound to the result of ``require`` or ``import`` of a module."""
    if bound.owner.type != "variable_declarator":
        return False
    value = bound.owner.child_by_field_name("value")
    return value is not None and bool(_LOADING.search(data, value.start_byte, value.end_byte))


def pattern_owner(node: Node) -> Node | None:
    """The node that declares the names of the pattern which ``node`` is, or is part of."""
    parent = node.parent
    while parent is not None:
        part = _PATTERN_PARTS.get(parent.type)
        if part is not None:
            if not _is_field(parent, part, node):
                return None
        elif parent.type not in _PATTERNS:
            return parent
        node, parent = parent, parent.parent
    return None


def declarations_by(node: Node) -> Iterator[Binding]:
    """Yield the declarations made by a name; nothing for a use.

    The members of an enum or namespace are in scope in all of its parts: one declaration for each.
    """
    bound = declared_by(node)
    if bound is None:
        return
    yield bound
    body = _around(bound.owner, _BODIES)
    if body is None or (body.start_byte, body.end_byte) != (bound.start, bound.end):
        return
    holder = body.parent
    is_offered = body.type == "enum_body" or _is_exported(bound.owner, body)
    if holder is not None and is_offered and holder.type in _NAMESPACES | {"enum_declaration"}:
        for other in _parts(holder):
            yield Binding(node, bound.owner, other.start_byte, other.end_byte)


def declared_by(node: Node) -> Binding | None:
    """The declaration made by a name; None for a use."""
    parent = node.parent
    if parent is None:
        return None
    kind = parent.type
    if node.type in NO_BINDINGS:
        is_member = kind == "enum_body" or (
            kind == "enum_assignment" and _is_field(parent, "name", node)
        )
        return _in(node, parent, _around(parent, _ENUM_BODY)) if is_member else None
    if kind in _OUTSIDE or kind in _INSIDE:
        is_name = _is_field(parent, "name", node) or kind == "import_alias"
        scope = parent if kind in _INSIDE else _around(parent.parent, _BLOCKS)
        return _in(node, parent, scope) if is_name else None
    if kind in _IMPORTS or kind == "import_specifier":
        part = "name" if parent.child_by_field_name("alias") is None else "alias"
        is_local = kind in _IMPORTS or _is_field(parent, part, node)
        return _in(node, parent, _around(parent, _PROGRAM)) if is_local else None
    if kind in _TYPE_PARTS:
        return _declared_in_type(node, parent)
    return _declared_in_pattern(node)


def _declared_in_type(node: Node, parent: Node) -> Binding | None:
    """The declaration made by ``<T>``, ``infer T``, ``[K in T]: U`` or ``[key: string]: T``."""
    if parent.type == "type_parameter":
        listed = parent.parent
        return _in(node, parent, listed.parent if listed is not None else None)
    first = parent.named_children[0]
    if parent.type == "index_signature":
        return _in(node, parent, parent) if _is_field(parent, "name", node) else None
    if first.id != node.id:
        return None
    if parent.type == "mapped_type_clause":
        return _in(node, parent, parent.parent)
    inner, around = parent, parent.parent
    while around is not None:
        if around.type == "conditional_type" and _is_field(around, "right", inner):
            end = around.child_by_field_name("consequence") or inner
            return Binding(node, parent, inner.start_byte, end.end_byte)
        inner, around = around, around.parent
    return None


def _declared_in_pattern(node: Node) -> Binding | None:
    """The variable or parameter declared by a name, alone or in a pattern."""
    owner = pattern_owner(node)
    if owner is None:
        return None
    top = node
    while top.parent is not None and top.parent.id != owner.id:
        top = top.parent
    kind = owner.type
    scope: Node | None = None
    if kind == "variable_declarator" and _is_field(owner, "name", top):
        declaration = owner.parent
        is_var = declaration is not None and declaration.type == "variable_declaration"
        scope = _around(owner, _FUNCTIONS | _PROGRAM if is_var else _BLOCKS)
    elif kind == "formal_parameters":
        scope = owner.parent
    elif kind == "for_in_statement" and _is_field(owner, "left", top):
        is_new = owner.child_by_field_name("kind") is not None
        scope = owner if is_new else None
    elif kind in _PARAMETERS and _is_field(owner, _PARAMETERS[kind], top):
        scope = _around(owner, _BLOCKS)
    return _in(node, owner, scope)


def _in(node: Node, owner: Node, scope: Node | None) -> Binding | None:
    if scope is None:
        return None
    return Binding(node, owner, scope.start_byte, scope.end_byte + (scope.type == "program"))


def _around(node: Node | None, kinds: frozenset[str]) -> Node | None:
    """The first of ``node`` and its ancestors whose kind is among ``kinds``."""
    while node is not None and node.type not in kinds:
        node = node.parent
    return node


def _is_field(parent: Node, field: str, node: Node) -> bool:
    child = parent.child_by_field_name(field)
    return child is not None and child.id == node.id


def _is_exported(owner: Node, body: Node) -> bool:
    """Whether the declaration ``owner`` in the body of a namespace is exported from it."""
    node: Node | None = owner
    while node is not None and node.id != body.id:
        if node.type == "export_statement":
            return True
        node = node.parent
    return False


def _parts(holder: Node) -> Iterator[Node]:
    """Yield the bodies of the other parts of an enum or namespace."""
    name = holder.child_by_field_name("name")
    around = holder.parent
    while around is not None and around.type in _WRAPPERS:
        around = around.parent
    for child in around.named_children if around is not None else ():
        found: Node | None = child
        while found is not None and found.type in _WRAPPERS:
            count = found.named_child_count
            found = found.named_child(count - 1) if count else None
        if found is None or found.type != holder.type or found.id == holder.id:
            continue
        other, body = found.child_by_field_name("name"), found.child_by_field_name("body")
        if body is not None and name is not None and other is not None and other.text == name.text:
            yield body
