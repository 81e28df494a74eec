"""The open constructs at a place in a Python file, and the targets of its bindings."""

from collections.abc import Iterator

from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.scope_stack import Facts, Frame, SourceBytes
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.syntax import Syntax

_SCOPES = frozenset({"file", "class", "function"})


class PythonExtraction(Extraction):
    """The facts of a Python file read so far.

    Attributes:
        decorated: 1-based line of the first pending decorator; 0 for none.
        decorators: The values of the pending decorators in the table ``decorators``.
        types_end: One past the last byte of a block for type checkers only.
        selves: For each open method: one past its last byte, the name of its first parameter, the
            class, and whether that parameter is the class itself.
        stars: Star imports at the top of the file.
        re_exported: Imports under the same name, as in ``import a as a``: name and line.
        scopes: The ids of the nodes of functions and classes.
        comment_ends: One past the last bytes of the comments.
    """

    def __init__(self, data: bytes, syntax: Syntax) -> None:
        super().__init__(data, syntax)
        self.decorated = 0
        self.decorators: list[str] = []
        self.types_end = 0
        self.selves: list[tuple[int, str, Frame, bool]] = []
        self.stars: list[Facts] = []
        self.re_exported: list[tuple[str, int]] = []
        self.scopes: set[int] = set()
        self.comment_ends = {node.end_byte for node in syntax.captures.get("comment", ())}
        self._bound: set[tuple[int, str]] = set()

    @property
    def scope(self) -> Frame:
        """The innermost file, class or function."""
        return next(frame for frame in reversed(self.stack) if frame.kind in _SCOPES)

    def binds(self, scope: Frame, name: str) -> bool:
        """Record a binding of a name in a scope; return whether it is the first."""
        key = scope.start if scope.kind != "file" else -1, name
        if key in self._bound:
            return False
        self._bound.add(key)
        return True

    def holder_of(self, receiver: str, start: int) -> tuple[Frame, bool] | None:
        """The class behind a receiver at a place, and whether the receiver is the class itself.

        None when ``receiver`` is not the first parameter of an open method.
        """
        self.leave_methods(start)
        for _, name, holder, is_class in reversed(self.selves):
            if name == receiver:
                return holder, is_class
        return None

    def leave_methods(self, start: int) -> None:
        """Drop the methods that end before ``start``."""
        while self.selves and self.selves[-1][0] <= start:
            self.selves.pop()

    def take_decorators(self, frame: Frame) -> list[str]:
        """Set the lines of a declaration, decorators included; return the decorators' values."""
        frame.line = self.decorated or frame.node.start_point.row + 1
        frame.last_line = self._last_statement(frame.node).end_point.row + 1
        self.decorated, said = 0, self.decorators
        self.decorators = []
        return said

    def _last_statement(self, node: Node) -> Node:
        """The last statement of a declaration, which trailing comments do not belong to."""
        while node.end_byte in self.comment_ends:
            inner = next((child for child in reversed(node.children) if not child.is_extra), None)
            if inner is None:
                break
            node = inner
        return node


def targets(source: SourceBytes, pattern: Node) -> Iterator[tuple[Node | None, Node]]:
    """Yield the targets of a pattern, in order: (object, attribute), or (None, name)."""
    tables = source.tables
    open_ = [pattern]
    while open_:
        node = open_.pop()
        member = source.member(node)
        if member is not None:
            yield member
        elif node.type in tables.pattern_leaves:
            yield None, node
        elif node.type not in tables.unnamed:
            open_.extend(reversed(node.named_children))


def last_name(text: str) -> str:
    """Return the last part of a dotted name, without arguments: "Final" of "t.Final[int]"."""
    return text.strip("\"' ").partition("[")[0].partition("(")[0].rpartition(".")[2].strip()
