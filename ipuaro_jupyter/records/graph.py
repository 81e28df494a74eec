"""A graph of files and their imports."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from ipuaro_jupyter.records.data_frames import frame
from ipuaro_jupyter.records.markdown import markdown_table
from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.records.visible import visible

if TYPE_CHECKING:
    import pandas as pd

Direction = Literal["in", "out", "both"]
_MOST_LINES = 200
_MOST_TOLD = 20


class Graph(Drawn, Record):
    """All nodes and directed edges (from, to); a drawing shows a bounded number of them.

    Attributes:
        title: The heading.
        nodes: Names of files, or of anything else; those that occur in edges may be left out.
        edges: Pairs of nodes; the first one imports the second one.
        marks: The roles of nodes: "hub", "cycle", "entry", "missing".
        loc: Lines of code, by node, where known.
        scores: Complexity, 0-100, by node, where known.
        cycles: Groups of nodes that reach each other; no node is in two.
        focus: The file or folder in the centre; None for the whole project.
        depth: The number of edges followed from there; None when not given.
        direction: The direction followed: "out" to imported files, "in" to importers.
        note: A remark, printed below.
        root: The folder that the nodes' paths are relative to; "" when nodes are not paths.
    """

    title: str
    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    marks: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    loc: dict[str, int] = Field(default_factory=dict)
    scores: dict[str, float] = Field(default_factory=dict)
    cycles: tuple[tuple[str, ...], ...] = ()
    focus: str | None = None
    depth: int | None = None
    direction: Direction = "both"
    note: str = ""
    root: str = ""

    def text(self) -> str:
        """The counts, hubs, cycles, and the imports of each node; at most 200 lines of them."""
        hubs = [node for node in self.nodes if "hub" in self.marks.get(node, ())]
        told = [f"{self.title}: {len(self.nodes):,} files, {len(self.edges):,} imports"]
        told += [f"Hubs: {_listed(hubs)}"] if hubs else []
        told += [f"Cycle: {_listed(cycle)}" for cycle in self.cycles[:_MOST_TOLD]]
        targets: dict[str, list[str]] = {}
        for source, target in self.edges:
            targets.setdefault(source, []).append(target)
        told += [f"{node} -> {_listed(found)}" for node, found in targets.items()]
        left = len(told) - _MOST_LINES
        return "\n".join([*told[:_MOST_LINES], *([f"and {left:,} more"] if left > 0 else [])])

    def __str__(self) -> str:
        return visible(self.text())

    @property
    def every_node(self) -> tuple[str, ...]:
        """The nodes, followed by those that only occur in edges."""
        return tuple(dict.fromkeys([*self.nodes, *(end for edge in self.edges for end in edge)]))

    def degrees(self) -> dict[str, tuple[int, int]]:
        """The numbers of outgoing and incoming edges of each node."""
        every = self.every_node
        out, into = dict.fromkeys(every, 0), dict.fromkeys(every, 0)
        for source, target in self.edges:
            out[source] += 1
            into[target] += 1
        return {node: (out[node], into[node]) for node in every}

    def to_pandas(self) -> "pd.DataFrame":
        """The edges as a DataFrame with the columns ``source`` and ``target``.

        Raises:
            ProjectError: pandas is not installed.
        """
        return frame(self.edges, ("source", "target"))

    def to_markdown(self) -> str:
        """The edges as a GitHub Markdown table."""
        return markdown_table(("source", "target"), self.edges)

    def nodes_to_pandas(self) -> "pd.DataFrame":
        """The nodes as a DataFrame.

        Columns: ``path folder loc score hub cycle entry imports imported_by``.

        Raises:
            ProjectError: pandas is not installed.
        """
        degrees = self.degrees()
        rows = [
            (
                *(node, node.rpartition("/")[0], self.loc.get(node), self.scores.get(node)),
                *(role in self.marks.get(node, ()) for role in ("hub", "cycle", "entry")),
                *degrees[node],
            )
            for node in degrees
        ]
        roles = ("hub", "cycle", "entry")
        return frame(rows, ("path", "folder", "loc", "score", *roles, "imports", "imported_by"))


def _listed(nodes: Sequence[str]) -> str:
    left = len(nodes) - _MOST_TOLD
    return ", ".join([*nodes[:_MOST_TOLD], *([f"and {left:,} more"] if left > 0 else [])])
