"""Which nodes of a graph are shown when there are too many."""

from ipuaro_jupyter.records.graph import Graph

_ROLES = {"missing": 1, "entry": 1, "cycle": 2, "hub": 3}


def most_telling(graph: Graph, count: int) -> list[str]:
    """Return at most ``count`` nodes, in the graph's order: those that tell most about it.

    First what was asked about, then hubs, cycles and entry points, each by how many edges it has.
    """
    if len(graph.every_node) <= count:
        return list(graph.every_node)
    kept = set(ranked(graph)[:count])
    return [node for node in graph.every_node if node in kept]


def ranked(graph: Graph) -> list[str]:
    """Return the nodes, those that tell most first."""
    degrees = graph.degrees()

    def weight(node: str) -> tuple[bool, int, int, str]:
        roles = max((_ROLES.get(role, 0) for role in graph.marks.get(node, ())), default=0)
        return node != graph.focus, -roles, -sum(degrees[node]), node

    return sorted(graph.every_node, key=weight)
