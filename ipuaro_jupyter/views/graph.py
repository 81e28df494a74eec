"""A directed graph as a table: each node with its roles and where its edges lead."""

from ipuaro_jupyter.records.outputs import Graph, Table
from ipuaro_jupyter.views import table

STYLES = table.STYLES


def text(graph: Graph) -> str:
    """Return one row for each edge, then the nodes without one."""
    return table.text(_table(graph))


def html(graph: Graph) -> str:
    """Return one row for each edge, then the nodes without one."""
    return table.html(_table(graph))


def _table(graph: Graph) -> Table:
    linked = {node for edge in graph.edges for node in edge}
    alone = tuple((_named(graph, node), "") for node in graph.nodes if node not in linked)
    return Table(
        title=graph.title,
        columns=("from", "to"),
        rows=(*((_named(graph, a), _named(graph, b)) for a, b in graph.edges), *alone),
    )


def _named(graph: Graph, node: str) -> str:
    """Return a node with its roles behind it."""
    roles = ", ".join(graph.marks.get(node, ()))
    return f"{node} ({roles})" if roles else node
