"""Read the captures of a file from first to last, on a stack of the constructs around each.

A capture's node lies inside the nodes of the frames on the stack, so names, nesting and exports
follow from positions alone: no parent is ever looked up, and a declaration inside a broken
statement is found like any other.
"""

from collections.abc import Callable, Mapping

from ipuaro_jupyter.index.extract.scope_stack import Facts, Frame, SourceBytes
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.syntax import Syntax

LISTS = (
    *("imports", "exports", "functions", "classes", "interfaces", "types", "enums"),
    *("namespaces", "variables"),
)


class Extraction:
    """The facts of a file read so far.

    Attributes:
        source: The file's bytes and how to read nodes.
        stack: The open frames; the file itself is the first.
        blocks: One past the last byte of each open block of the control flow.
        facts: The lists of `records.code.FileFacts`.
        decisions: The number of decisions.
        deepest: The greatest depth of control flow.
        tops: The top-level declarations, by name, for exports that come later.
        chained: First bytes of the branches that continue another.
        variables: First byte and facts of each variable.
        claimed: First bytes of the bindings that name a function or class.
        exported_values: Values that are exported: frame, name, value.
        astray: One past the last byte of a function that was closed early because of an error.
        marked: Qualified names of the exported declarations.
        places: Qualified names of the definitions, with the first bytes of their names.
    """

    def __init__(self, data: bytes, syntax: Syntax, readers: "Readers | None" = None) -> None:
        self._syntax = syntax
        self._readers = readers
        is_broken = syntax.error_line is not None
        self.source = SourceBytes(data, syntax.language, syntax.patched, is_broken=is_broken)
        self.stack = [Frame("file", syntax.tree.root_node, 0, len(data) + 1, None)]
        self.blocks: list[int] = []
        self.facts: dict[str, list[Facts]] = {name: [] for name in LISTS}
        self.decisions = 0
        self.deepest = 0
        self.chained: set[int] = set()
        self.tops: dict[str, list[Facts]] = {}
        self.variables: list[tuple[int, Facts]] = []
        self.claimed: set[int] = set()
        self.exported_values: list[tuple[Frame, str, Node]] = []
        self.marked: list[str] = []
        self.astray = 0
        self._exported: set[tuple[str, str | None, str | None]] = set()
        self.places: list[tuple[str, int]] = []

    def push(self, kind: str, node: Node, start: int, end: int) -> Frame:
        """Open a frame inside the one on top and return it."""
        frame = Frame(kind, node, start, end, self.stack[-1])
        self.stack.append(frame)
        return frame

    @property
    def has_details(self) -> bool:
        """Whether the captures inside imports and exports are yet to be read by `read_details`."""
        return self._syntax.details is not None

    def read_details(self, node: Node, *, depth: int) -> None:
        """Read the captures inside an import or export that is not simple.

        Args:
            node: The statement, whose frame is on top.
            depth: How many levels below the statement.
        """
        if self._readers is not None:
            self._readers.read_all(self, self._syntax.details_in(node, depth=depth))

    def leave_functions(self, node: Node) -> None:
        """Close the functions around a statement that is only valid at the top.

        One of them lacks its closing brace; it is taken to end before the statement.
        """
        while self.stack[-1].level > 0:
            frame = self.stack.pop()
            record = frame.function
            self.astray = max(self.astray, frame.end)
            if "line_end" in record:
                record["line_end"] = max(record["line_start"], node.start_point.row)
        self.blocks.clear()

    def declare(self, kind: str, record: Facts, frame: Frame) -> None:
        """Add a declaration to the facts; remember it when it is at the top."""
        self.facts[kind].append(record)
        self.remember(record, frame)
        self.place(frame)

    def place(self, frame: Frame) -> None:
        """Record the byte offset of a definition's name."""
        if frame.name_at >= 0:
            self.places.append((frame.path, frame.name_at))

    def remember(self, record: Facts, frame: Frame) -> None:
        """Make a declaration known to a later ``export { name }``."""
        if frame.level == 0:
            self.tops.setdefault(record["qualified"], []).append(record)

    def export(
        self, name: str, line: int, *, local: str | None = None, source: str | None = None
    ) -> None:
        """Add an export of the file, once: overloads export one name."""
        if (name, local, source) not in self._exported:
            self._exported.add((name, local, source))
            self.facts["exports"].append(
                {"name": name, "line": line, "local": local, "source": source}
            )


Reader = Callable[[Extraction, Node, int, int], None]


class Readers:
    """The reader of each capture; of captures with the same range, the first listed comes first."""

    def __init__(self, readers: Mapping[str, Reader]) -> None:
        self._readers = list(readers.values())
        self._ranks = {name: rank for rank, name in enumerate(readers)}

    def read_all(self, extraction: Extraction, captures: Mapping[str, list[Node]]) -> None:
        """Read ``captures`` by position, outer before inner."""
        entries: list[tuple[int, int, int, int, Node]] = []
        for name, nodes in captures.items():
            rank = self._ranks.get(name)
            if rank is not None:
                entries += [(n.start_byte, -n.end_byte, rank, n.id, n) for n in nodes]
        entries.sort()
        stack, blocks, readers = extraction.stack, extraction.blocks, self._readers
        for start, end, rank, _, node in entries:
            while stack[-1].end <= start:
                stack.pop()
            while blocks and blocks[-1] <= start:
                blocks.pop()
            readers[rank](extraction, node, start, -end)


def read_branch(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a branch, which counts as a decision and a level of depth; else-if adds no depth."""
    extraction.decisions += 1
    extraction.stack[-1].function["cyclomatic"] += 1
    if start not in extraction.chained:
        read_block(extraction, node, start, end)


def read_block(extraction: Extraction, _node: Node, _start: int, end: int) -> None:
    """Read a block, which adds a level of depth."""
    blocks, top = extraction.blocks, extraction.stack[-1]
    blocks.append(end)
    depth = len(blocks)
    extraction.deepest = max(extraction.deepest, depth)
    top.function["nesting"] = max(top.function["nesting"], depth - top.base)


def read_decision(extraction: Extraction, _node: Node, _start: int, _end: int) -> None:
    """Read a decision that adds no depth."""
    extraction.decisions += 1
    extraction.stack[-1].function["cyclomatic"] += 1
