"""What is open at a place in a file while its captures are read from first to last."""

from collections.abc import Mapping
from typing import Any

from ipuaro_jupyter.languages.language import Language, Node

Facts = dict[str, Any]


class Frame:
    """A construct that holds others.

    Attributes:
        kind: The capture's name, or "file".
        start: First byte.
        end: One past the last byte.
        path: The dotted names that lead here, itself included; "" at the top.
        this: The path that ``this`` stands for.
        level: How many functions are around.
        depth: How deep the control flow is, through functions.
        function: The facts of the innermost function, for its metrics.
        base: ``depth`` at the start of that function.
        record: The facts of the declaration itself.
        body: First byte of the body, for a class.
        line: 1-based first line of what is recorded, decorators and ``export`` included.
        last_line: 1-based last line of it.
        exported: Whether what is declared directly inside is exported.
        target: First byte of the function, class or object that this names; -1 for none.
        outer: The path around, without the own name.
        claimed: Whether a function or class has taken the name.
        name: The name that is given.
        given: The path of the function or class that took the name.
        specifiers: The names in an export statement.
        decorated: Line of a decorator that waits for its member; 0 for none.
    """

    __slots__ = (
        *("kind", "start", "end", "path", "this", "level", "depth", "function", "base", "record"),
        *("body", "line", "last_line", "exported", "target", "outer", "claimed", "name"),
        *("given", "specifiers", "decorated", "node"),
    )

    def __init__(self, kind: str, start: int, end: int, parent: "Frame | None") -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.record: Facts | None = None
        self.body = self.line = self.last_line = self.decorated = 0
        self.target = -1
        self.exported = self.claimed = False
        self.name = self.given = ""
        self.specifiers: list[Facts] = []
        self.node: Node | None = None
        if parent is None:
            self.path = self.this = self.outer = ""
            self.level = self.depth = self.base = 0
            self.function: Facts = {"cyclomatic": 1, "nesting": 0}
        else:
            self.path = self.outer = parent.path
            self.this = parent.this
            self.level = parent.level
            self.depth = parent.depth
            self.base = parent.base
            self.function = parent.function


class Source:
    """The bytes of a file and the language's way of reading nodes in it."""

    def __init__(self, data: bytes, language: Language) -> None:
        self.data = data
        self.tables = language.tables
        self._fields = language.field_ids

    def text(self, node: Node) -> str:
        """Return the source of a node, as it is."""
        return self.data[node.start_byte : node.end_byte].decode()

    def flat(self, node: Node) -> str:
        """Return the source of a node in one line."""
        return " ".join(self.data[node.start_byte : node.end_byte].decode().split())

    def name(self, node: Node) -> str:
        """Return a name: without quotes when it is a string."""
        text = self.flat(node)
        if len(text) > 1 and text[0] in "'\"`" and text[-1] == text[0]:
            return text[1:-1]
        return text

    def child(self, node: Node, field: str) -> Node | None:
        """Return the child in a field, by the name that the index has for it; None if absent."""
        usual, special = self._fields[field]
        number = special.get(node.type, usual) if special else usual
        return node.child_by_field_id(number) if number else None

    def words(self, node: Node) -> set[str]:
        """Return the kinds of the children before the body: keywords and modifiers."""
        return {child.type for child in node.children}

    def has(self, words: set[str], modifier: str) -> bool:
        """Return whether ``words`` hold what the language uses for a modifier."""
        return not words.isdisjoint(self.tables.modifiers.get(modifier, ()))

    def call(self, node: Node) -> tuple[Node, Node] | None:
        """Return the function and the argument list of a call; None for any other node."""
        fields = self.tables.calls.get(node.type)
        if fields is None:
            return None
        function = node.child_by_field_name(fields["function"])
        arguments = node.child_by_field_name(fields["arguments"])
        return (function, arguments) if function and arguments else None

    def member(self, node: Node) -> tuple[Node, Node] | None:
        """Return the object and the property of a member access; None for any other node."""
        fields = self.tables.members.get(node.type)
        if fields is None:
            return None
        object_ = node.child_by_field_name(fields["object"])
        property_ = node.child_by_field_name(fields["property"])
        return (object_, property_) if object_ and property_ else None

    def unwrapped(self, node: Node) -> Node:
        """Return what is inside parentheses, casts and the like."""
        places: Mapping[str, int] = self.tables.transparent
        while (place := places.get(node.type)) is not None:
            inner = [child for child in node.named_children if not child.is_extra]
            if not inner:
                break
            node = inner[place]
        return node
