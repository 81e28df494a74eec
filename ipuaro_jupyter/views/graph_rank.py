"""The nodes of a graph to show when there are too many."""

from ipuaro_jupyter.records.graph import Graph

_ROLES = {"missing": 1, "entry": 1, "cycle": 2, "hub": 3}


def most_significant(graph: Graph, count: int) -> list[str]:
    """At most ``count`` nodes, the most significant ones, in the graph's order.

    First the focus, then hubs, cycles and entry points, each by their number of edges.
    """
    if len(graph.every_node) <= count:
        return list(graph.every_node)
    kept = set(ranked(graph)[:count])
    return [node for node in graph.every_node if node in kept]


def ranked(graph: Graph) -> list[str]:
    """The nodes, the most significant first."""
    degrees = graph.degrees()

    def weight(node: str) -> tuple[bool, int, int, str]:
        roles = max((_ROLES.get(role, 0) for role in graph.marks.get(node, ())), default=0)
        return node != graph.focus, -roles, -sum(degrees[node]), node

    return sorted(graph.every_node, key=weight)
