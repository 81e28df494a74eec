"""Strongly connected components of a directed graph, and the number of nodes each reaches.

Nodes are numbers from 0; ``edges[n]`` are the targets of the edges of ``n``. Nothing here recurses:
a chain may be as long as there are nodes.
"""

from collections.abc import Sequence

from ipuaro_jupyter.cancellation import checkpoint

_OFTEN = 1000
_MOST_BITS = 1 << 29
"""The number of bits that the sets of nodes may take together at any time: 64 MB."""


def strong_components(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components, each after those it reaches.

    Tarjan's algorithm (SIAM Journal on Computing 1, 1972) with an explicit stack; time and memory
    are linear in nodes and edges. The order within a component is unspecified.
    """
    count = len(edges)
    order = [-1] * count  # when a node was first seen; `count` for nodes of finished components
    low = [0] * count
    place = [0] * count  # the number of edges of a node followed so far
    pending: list[int] = []
    found: list[list[int]] = []
    seen = 0
    for start in range(count):
        if start % _OFTEN == 0:
            checkpoint()
        path = [] if order[start] >= 0 else [start]
        while path:
            node = path[-1]
            if order[node] < 0:
                order[node] = low[node] = seen
                seen += 1
                pending.append(node)
            following = _next_new(node, edges, order, low, place)
            if following >= 0:
                path.append(following)
                continue
            path.pop()
            if path:
                low[path[-1]] = min(low[path[-1]], low[node])
            if low[node] == order[node]:
                found.append(_closed(node, pending, order))
    return found


def _next_new(
    node: int,
    edges: Sequence[Sequence[int]],
    order: list[int],
    low: list[int],
    place: list[int],
) -> int:
    """The next unseen node that an edge leads to, or -1; updates ``low`` for the seen ones."""
    targets = edges[node]
    for at in range(place[node], len(targets)):
        target = targets[at]
        if order[target] < 0:
            place[node] = at  # it will come up again, as a seen one
            return target
        low[node] = min(low[node], order[target])
    place[node] = len(targets)
    return -1


def _closed(node: int, pending: list[int], order: list[int]) -> list[int]:
    """Pop the component that begins with ``node`` off the stack."""
    group: list[int] = []
    while not group or group[-1] != node:
        group.append(pending.pop())
        order[group[-1]] = len(order)  # greater than any order: never the lower one
    return group


def condensed(
    components: Sequence[Sequence[int]], edges: Sequence[Sequence[int]]
) -> list[tuple[int, ...]]:
    """For each component, the other components that its edges lead to, each once."""
    component_of = [0] * len(edges)
    for number, group in enumerate(components):
        for node in group:
            component_of[node] = number
    return [
        tuple(sorted({component_of[to] for node in group for to in edges[node]} - {number}))
        for number, group in enumerate(components)
    ]


def reach_counts(
    sizes: Sequence[int], edges: Sequence[Sequence[int]], *, most_bits: int = _MOST_BITS
) -> list[int]:
    """For each component of an acyclic graph, the number of nodes of others that reach it.

    A set of nodes is the bits of one number, so that a machine word holds 64 of them. Sets are
    passed along the edges in rounds, each for as many nodes as fit into ``most_bits``: the time is
    edges * nodes / 64 in the worst case, the memory bounded. A set that has been passed on is
    dropped.

    Args:
        sizes: The number of nodes of each component.
        edges: For each component the targets of its edges; all come after it.
        most_bits: The number of bits that all sets may take together.
    """
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    total = starts[-1]
    width = max(64, most_bits // max(1, len(sizes)))
    counts = [0] * len(sizes)
    first = 0
    for low in range(0, total, width):
        high = min(low + width, total)
        while starts[first + 1] <= low:
            first += 1
        checkpoint()
        held = [0] * len(sizes)
        for number in range(first, len(sizes)):
            nodes = held[number]
            held[number] = 0
            counts[number] += nodes.bit_count()
            begin, end = max(starts[number], low), min(starts[number + 1], high)
            if begin < end:
                nodes |= ((1 << (end - begin)) - 1) << (begin - low)
            if nodes:
                for target in edges[number]:
                    held[target] |= nodes
    return counts
