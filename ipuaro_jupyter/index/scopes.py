"""Where the names of a file are bound: the syntax tree of JavaScript and TypeScript.

Only the places where one name occurs are looked at, which the postings give: a declaration of
that name is one of them.
"""

from threading import Lock
from typing import NamedTuple

from ipuaro_jupyter.index.postings import offsets
from ipuaro_jupyter.languages.language import Language, Node
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.languages.syntax import parse_fitting

UNDERSTOOD = frozenset({"javascript", "typescript", "tsx"})
"""The languages whose scopes are known here."""

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
"""Declarations whose name is bound in the block around them."""
_INSIDE = frozenset({"function_expression", "generator_function", "class"})
"""Expressions whose name is bound in themselves only."""
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
_NO_BINDINGS = frozenset(
    {"property_identifier", "private_property_identifier", "statement_identifier"}
)

_parsing = Lock()


class Bound(NamedTuple):
    """A declaration of a name: the name's node, what declares it, and where it holds (bytes)."""

    node: Node
    owner: Node
    start: int
    end: int

    @property
    def is_import(self) -> bool:
        """Whether the name comes from another module."""
        return self.owner.type == "import_specifier" or self.owner.type in _IMPORTS


class SourceTree:
    """The syntax tree of a file, asked for names.

    Args:
        language: Its language, one that `is_understood`.
        data: The file.
        blob: Its postings.

    Raises:
        ParsingTooSlow: The parser takes too long.
    """

    def __init__(self, language: Language, data: bytes, blob: bytes) -> None:
        self.data = data
        self._blob = blob
        with _parsing:
            _, self._tree, _ = parse_fitting(language, data)
        self._known: dict[str, list[Bound]] = {}

    def node(self, offset: int, name: str) -> Node | None:
        """Return the node of a name that begins at ``offset``."""
        end = offset + len(name.encode())
        return self._tree.root_node.descendant_for_byte_range(offset, end)

    def text(self, node: Node) -> str:
        """Return the source of a node."""
        return self.data[node.start_byte : node.end_byte].decode()

    def places(self, name: str) -> list[int]:
        """Return where a name occurs, in bytes, ascending."""
        return offsets(self._blob, name)

    def bound(self, name: str, offset: int) -> list[Bound]:
        """Return the declarations that ``name`` means at ``offset``; several of one scope."""
        if name not in self._known:
            nodes = (self.node(place, name) for place in self.places(name))
            found = (declared_by(node) for node in nodes if node is not None)
            self._known[name] = [declared for declared in found if declared is not None]
        around = [b for b in self._known[name] if b.start <= offset < b.end]
        if not around:
            return []
        least = min(b.end - b.start for b in around)
        return [b for b in around if b.end - b.start == least]


def is_understood(path: str) -> Language | None:
    """Return the language of a file whose scopes are understood, else None."""
    language = language_for(path)
    return language if language is not None and language.name in UNDERSTOOD else None


def is_member(node: Node) -> bool:
    """Return whether a name is one of a member and not of a variable."""
    if node.type in _NO_BINDINGS:
        return True
    parent = node.parent
    if parent is None or parent.type not in {"nested_type_identifier", "nested_identifier"}:
        return False
    first = parent.named_children[0] if parent.named_children else None
    return first is not None and first.id != node.id


def pattern_owner(node: Node) -> Node | None:
    """Return what declares the names of the pattern that ``node`` is in, or is the whole of."""
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


def declared_by(node: Node) -> Bound | None:
    """Return the declaration that a name is, None for a mere use."""
    parent = node.parent
    if parent is None or node.type in _NO_BINDINGS:
        return None
    kind = parent.type
    if kind in _OUTSIDE or kind in _INSIDE:
        is_name = _is_field(parent, "name", node) or kind == "import_alias"
        scope = parent if kind in _INSIDE else _around(parent.parent, _BLOCKS)
        return _in(node, parent, scope) if is_name else None
    if kind in _IMPORTS or kind == "import_specifier":
        part = "name" if parent.child_by_field_name("alias") is None else "alias"
        is_local = kind in _IMPORTS or _is_field(parent, part, node)
        return _in(node, parent, _around(parent, _PROGRAM)) if is_local else None
    if kind == "type_parameter":
        around = parent.parent
        return _in(node, parent, around.parent if around is not None else None)
    return _declared_in_pattern(node)


def _declared_in_pattern(node: Node) -> Bound | None:
    """Return the variable or parameter that a name in a pattern, or alone, declares."""
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


def _in(node: Node, owner: Node, scope: Node | None) -> Bound | None:
    if scope is None:
        return None
    return Bound(node, owner, scope.start_byte, scope.end_byte + (scope.type == "program"))


def _around(node: Node | None, kinds: frozenset[str]) -> Node | None:
    """Return the first of ``node`` and its ancestors that is of a kind."""
    while node is not None and node.type not in kinds:
        node = node.parent
    return node


def _is_field(parent: Node, field: str, node: Node) -> bool:
    child = parent.child_by_field_name(field)
    return child is not None and child.id == node.id
