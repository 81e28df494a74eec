"""A graph of files: which imports which."""

from typing import TYPE_CHECKING

from pydantic import Field

from ipuaro_jupyter.records.frames import frame
from ipuaro_jupyter.records.record import Drawn, Record

if TYPE_CHECKING:
    import pandas as pd


class Graph(Drawn, Record):
    """Nodes and directed edges (from, to), all of them; what is drawn of many is bounded.

    Attributes:
        title: What it shows.
        nodes: Names of files, or of anything else.
        edges: Pairs of nodes; the first one imports the second one.
        marks: The roles of nodes: "hub", "cycle", "entry", "missing".
        loc: Lines of code, by node; for those of which it is known.
        scores: Complexity, 0-100, by node; for those of which it is known.
        cycles: Groups of nodes that reach each other; no node is in two.
        focus: The file or folder that was asked about; None for the whole project.
        note: A remark, printed below.
        root: The folder that nodes are paths in; "" when they are no paths.
    """

    title: str
    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    marks: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    loc: dict[str, int] = Field(default_factory=dict)
    scores: dict[str, float] = Field(default_factory=dict)
    cycles: tuple[tuple[str, ...], ...] = ()
    focus: str | None = None
    note: str = ""
    root: str = ""

    def degrees(self) -> dict[str, tuple[int, int]]:
        """Return for each node how many edges lead from it, and how many lead to it."""
        out, into = dict.fromkeys(self.nodes, 0), dict.fromkeys(self.nodes, 0)
        for source, target in self.edges:
            out[source] = out.get(source, 0) + 1
            into[target] = into.get(target, 0) + 1
        return {node: (out.get(node, 0), into.get(node, 0)) for node in {**out, **into}}

    def to_pandas(self) -> "pd.DataFrame":
        """Return the edges as a DataFrame with the columns ``source`` and ``target``.

        Raises:
            ProjectError: pandas is not installed.
        """
        return frame(self.edges, ("source", "target"))

    def nodes_to_pandas(self) -> "pd.DataFrame":
        """Return the nodes as a DataFrame.

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
            for node in self.nodes
        ]
        roles = ("hub", "cycle", "entry")
        return frame(rows, ("path", "folder", "loc", "score", *roles, "imports", "imported_by"))
