"""A directed graph as a table: each node with its roles and where its edges lead."""

from ipuaro_jupyter.records.outputs import Graph, Table
from ipuaro_jupyter.views import table

STYLES = table.STYLES


def text(graph: Graph) -> str:
    """Return one row for each node."""
    return table.text(_table(graph))


def html(graph: Graph) -> str:
    """Return one row for each node."""
    return table.html(_table(graph))


def _table(graph: Graph) -> Table:
    targets: dict[str, list[str]] = {node: [] for node in graph.nodes}
    for start, end in graph.edges:
        targets.setdefault(start, []).append(end)
    return Table(
        title=graph.title,
        columns=("From", "Role", "To"),
        rows=tuple(
            (node, ", ".join(graph.marks.get(node, ())), ", ".join(ends))
            for node, ends in targets.items()
        ),
    )
