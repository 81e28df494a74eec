"""The stack of constructs around each capture while a file is read from first to last."""

from collections.abc import Mapping
from typing import Any

from ipuaro_jupyter.languages.language import Language, Node
from ipuaro_jupyter.languages.mending import Ranges

Facts = dict[str, Any]
_QUOTES = frozenset("'\"`")
_PAIR = 2

_NO_MODIFIERS: frozenset[str] = frozenset()
_BRACKETS = frozenset(b"(<")

MOST_KNOWN = 5000
LONGEST_KNOWN = 100
"""Limits of the cache of short sources: number of entries, and bytes of each."""


class Frame:
    """A construct that holds others.

    Attributes:
        kind: The capture's name, or "file".
        start: First byte.
        end: One past the last byte.
        node: The captured node.
        path: The dotted path, the own name included; "" at the top.
        outer: The path without the own name.
        this: The path that ``this`` stands for.
        level: The number of enclosing functions.
        function: The facts of the innermost function, for its metrics.
        base: The depth of control flow at the start of that function.
        record: The facts of the declaration itself.
        body: First byte of the body, for a class.
        line: 1-based first line of the declaration, decorators and ``export`` included.
        last_line: Its 1-based last line, included.
        exported: Whether declarations directly inside are exported.
        name: The name that the binding gives.
        name_at: The name's first byte; -1 for none.
        target: First byte of the function, class or object that this names; -1 for none.
        claimed: Whether a function or class has taken the name.
        given: The path of the function or class that took the name.
        specifiers: The names in an export statement.
        decorated: 1-based line of a decorator whose member is still to come; 0 for none.
    """

    record: Facts | None = None
    body = line = last_line = decorated = 0
    target = name_at = -1
    exported = claimed = False
    name = given = ""
    specifiers: "list[Facts]"

    def __init__(self, kind: str, node: Node, start: int, end: int, around: "Frame | None") -> None:
        self.kind = kind
        self.node = node
        self.start = start
        self.end = end
        if around is None:
            self.path = self.outer = self.this = ""
            self.level = self.base = 0
            self.function: Facts = {"cyclomatic": 1, "nesting": 0}
        else:
            self.path = self.outer = around.path
            self.this = around.this
            self.level = around.level
            self.base = around.base
            self.function = around.function


def uncommented(text: str) -> str:
    """A text without the C-style comments at its beginning."""
    while text.startswith(("/*", "//")):
        text = text.partition("*/" if text[1] == "*" else "\n")[2].lstrip()
    return text


class SourceBytes:
    """The bytes of a file, and its language's way to read nodes.

    When it ``is_irregular``, equal text need not mean the same as in other files: the file has
    syntax errors, or was rewritten for the grammar.
    """

    def __init__(
        self, data: bytes, language: Language, patched: Ranges = (), *, is_broken: bool = False
    ) -> None:
        self.data = data
        self._begins: dict[int, int] = {}
        self._made_up: set[int] = set()
        self._exports: set[int] = set()
        for start, end in patched:
            if data.startswith(b"import", start):
                self._begins[end] = start
            elif data.startswith(b"default", start):
                self._made_up.add(end)
            elif data.startswith(b"export", start):
                self._exports.add(end)
        self.tables = language.tables
        self.language = language
        self.is_irregular = is_broken or bool(patched)
        self._fields = language.field_ids
        self._heads = language.heads

    def text(self, node: Node) -> str:
        """The source of a node, unchanged."""
        return self.data[node.start_byte : node.end_byte].decode()

    def flat(self, node: Node) -> str:
        """Return the source of a node in one line."""
        return " ".join(self.data[node.start_byte : node.end_byte].decode().split())

    def type(self, node: Node) -> str:
        """The source of a type, with any prefix that the grammar did not see."""
        start = self._begins.get(node.start_byte, node.start_byte)
        return self.data[start : node.end_byte].decode()

    def is_missing_token(self, name: Node) -> bool:
        """Whether the parser invented a name that is not in the source."""
        return name.end_byte in self._made_up

    def is_exported(self, start: int) -> bool:
        """Whether an ``export`` that the grammar did not see precedes a statement."""
        return bool(self._exports) and len(self.data[:start].rstrip()) in self._exports

    def name(self, node: Node) -> str:
        """Return a name: in one line, and without quotes when it is a string."""
        text = self.data[node.start_byte : node.end_byte].decode()
        if text.isidentifier():
            return text
        if text[:1] == "[" and text[1:2] in _QUOTES and text.count(text[1]) == _PAIR:
            text = text[1:-1].strip()  # ["name"]
        if len(text) > 1 and text[0] in _QUOTES and text[-1] == text[0]:
            text = text[1:-1]
        return " ".join(text.split())

    def field(self, kind: int, field: str) -> int:
        """The grammar's id of a field of a node kind; 0 when it has none."""
        usual, special = self._fields[field]
        return special.get(kind, usual)

    def child(self, node: Node, field: str) -> Node | None:
        """The child in a field, by the index's name for it; None if absent."""
        usual, special = self._fields[field]
        number = special.get(node.kind_id, usual) if special else usual
        return node.child_by_field_id(number) if number else None

    def modifiers(self, node: Node) -> frozenset[str]:
        """The modifiers before the name of a node: "async", "static", …."""
        return self.modifiers_before(self.child(node, "name"), node)

    def modifiers_before(self, name: Node | None, node: Node) -> frozenset[str]:
        """The modifiers before the name of a node.

        Equal keywords are read once.

        Args:
            name: Its name; None when it has none.
            node: The node.
        """
        data, start = self.data, node.start_byte
        if name is None:
            if data[start] in _BRACKETS:
                return _NO_MODIFIERS
            first = node.named_child(0)
            if first is None or first.is_extra or first.start_byte == start:
                return self._markers(node, node.end_byte)
            end = first.start_byte
        else:
            end = name.start_byte
            if end == start:
                return _NO_MODIFIERS
        head = data[start:end]
        known = self._heads.get((node.kind_id, head))
        if known is None:
            known = self._markers(node, end)
            if len(self._heads) < MOST_KNOWN and len(head) < LONGEST_KNOWN:
                self._heads[node.kind_id, head] = known
        return known

    def _markers(self, node: Node, end: int) -> frozenset[str]:
        """The modifiers among the children before byte ``end``."""
        markers = self.tables.markers
        return frozenset(
            markers[child.type]
            for child in node.children
            if child.start_byte < end and child.type in markers
        )

    def call(self, node: Node) -> tuple[Node, Node] | None:
        """The function and the argument list of a call; None for any other node."""
        fields = self.tables.calls.get(node.type)
        if fields is None:
            return None
        function = node.child_by_field_name(fields["function"])
        arguments = node.child_by_field_name(fields["arguments"])
        return (function, arguments) if function and arguments else None

    def member(self, node: Node) -> tuple[Node, Node] | None:
        """The object and the property of a member access; None for any other node."""
        fields = self.tables.members.get(node.type)
        if fields is None:
            return None
        object_ = node.child_by_field_name(fields["object"])
        property_ = node.child_by_field_name(fields["property"])
        return (object_, property_) if object_ and property_ else None

    def unwrapped(self, node: Node) -> Node:
        """The expression inside parentheses, casts and the like."""
        places: Mapping[str, int] = self.tables.transparent
        while (place := places.get(node.type)) is not None:
            inner = [child for child in node.named_children if not child.is_extra]
            if not inner:
                break
            node = inner[place]
        return node
