"""Read the captures of a file from first to last, with what is open around each.

A capture's node lies inside the nodes of the frames on the stack, so that names, nesting and
what is exported follow from positions alone: no parent is ever looked up, and a declaration
inside a broken statement is found like any other.
"""

from collections.abc import Callable, Mapping
from operator import itemgetter

from ipuaro_jupyter.index.frames import Facts, Frame, Source
from ipuaro_jupyter.languages.language import Language, Node

LISTS = (
    *("imports", "exports", "functions", "classes", "interfaces", "types", "enums"),
    *("namespaces", "variables"),
)


class Sweep:
    """The facts of a file as far as they have been read.

    Attributes:
        source: The file's bytes and how to read nodes.
        stack: The open frames; the file itself is the first.
        facts: The lists of `records.code.FileFacts`.
        decisions: How many decisions there are.
        deepest: The deepest control flow.
        tops: What is declared at the top, by name, for exports that come later.
        chained: First bytes of the branches that continue another.
        variables: First byte and facts of each variable.
        claimed: First bytes of the bindings that name a function or class.
        exported_values: Values that are exported: frame, name, value.
        marked: Qualified names of what is exported.
    """

    def __init__(self, data: bytes, language: Language) -> None:
        self.source = Source(data, language)
        self.stack = [Frame("file", 0, len(data) + 1, None)]
        self.facts: dict[str, list[Facts]] = {name: [] for name in LISTS}
        self.decisions = 0
        self.deepest = 0
        self.chained: set[int] = set()
        self.tops: dict[str, list[Facts]] = {}
        self.variables: list[tuple[int, Facts]] = []
        self.claimed: set[int] = set()
        self.exported_values: list[tuple[Frame, str, Node]] = []
        self.marked: list[str] = []

    def push(self, kind: str, node: Node, start: int, end: int) -> Frame:
        """Open a frame inside the one on top and return it."""
        frame = Frame(kind, start, end, self.stack[-1])
        frame.node = node
        self.stack.append(frame)
        return frame

    def declare(self, kind: str, record: Facts, frame: Frame) -> None:
        """Add a declaration to the facts; remember it when it is at the top."""
        self.facts[kind].append(record)
        self.remember(record, frame)

    def remember(self, record: Facts, frame: Frame) -> None:
        """Let a later ``export { name }`` find the declaration."""
        if frame.level == 0:
            self.tops.setdefault(record["qualified"], []).append(record)

    def export(
        self, name: str, line: int, *, local: str | None = None, source: str | None = None
    ) -> None:
        """Add an export of the file."""
        self.facts["exports"].append({"name": name, "line": line, "local": local, "source": source})


Reader = Callable[[Sweep, Node, int, int], None]


def sweep(
    sweeping: Sweep, captures: Mapping[str, list[Node]], readers: Mapping[str, Reader]
) -> None:
    """Read ``captures``, the outer before the inner, each by the reader of its name.

    Of two captures with one range, the one whose reader is listed first comes first.
    """
    entries: list[tuple[int, int, int, int, Node]] = []
    listed = list(readers.values())
    for rank, name in enumerate(readers):
        nodes = captures.get(name)
        if nodes:
            entries.extend([(n.start_byte, -n.end_byte, rank, n.id, n) for n in nodes])
    entries.sort(key=itemgetter(0, 1, 2, 3))
    stack = sweeping.stack
    for start, end, rank, _, node in entries:
        while stack[-1].end <= start:
            stack.pop()
        listed[rank](sweeping, node, start, -end)


def read_branch(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read what decides and deepens, except that an else-if does not deepen."""
    read_decision(sweeping, node, start, end)
    if start not in sweeping.chained:
        read_block(sweeping, node, start, end)


def read_block(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read what deepens the control flow."""
    frame = sweeping.push("block", node, start, end)
    frame.depth += 1
    sweeping.deepest = max(sweeping.deepest, frame.depth)
    inside = frame.depth - frame.base
    frame.function["nesting"] = max(frame.function["nesting"], inside)


def read_decision(sweeping: Sweep, _node: Node, _start: int, _end: int) -> None:
    """Read what only decides."""
    sweeping.decisions += 1
    sweeping.stack[-1].function["cyclomatic"] += 1
