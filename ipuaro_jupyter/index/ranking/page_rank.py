"""The importance of graph nodes: PageRank of all, and of those near a few of them.

Nodes are numbers from 0. ``edges[n]`` are the nodes that node ``n`` passes its weight on to, each
with its share; the shares of a node sum up to 1, or there are none. Everything is deterministic.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from operator import mul
from typing import Protocol

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.ranking.components import strong_components

Edges = Sequence[Sequence[tuple[int, float]]]


class Neighbours(Protocol):
    """What each node passes its weight on to, with the shares."""

    def __getitem__(self, node: int, /) -> Sequence[tuple[int, float]]:
        """The nodes that get the weight of a node."""


_DAMPING = 0.85
_CLOSE = 1e-5
_MOST_ROUNDS = 60
_OFTEN = 1000
_KEPT = 0.5
_LEAST = 1e-4


def page_rank(edges: Edges, start: Sequence[float]) -> list[float]:
    """The PageRank of each node (Page, Brin, Motwani and Winograd, 1999).

    Args:
        edges: The nodes that get the weight of each node; without edges, all nodes get it.
        start: The probability that a walk begins at each node, unnormalized; not all 0.

    Returns:
        Weights that sum up to 1.
    """
    components = strong_components([[target for target, _ in targets] for targets in edges])
    return page_rank_along(components, turned(edges), start)


def page_rank_along(
    components: Sequence[Sequence[int]], sources: Neighbours, start: Sequence[float]
) -> list[float]:
    """The same of nodes whose strongly connected components are known.

    What nodes without edges lose goes to all others by ``start``: so it only scales the ranks, and
    these follow from node to node where no walk returns. Only within a component they are iterated,
    each from the newest of the others (Gauss-Seidel).

    Args:
        components: The components, each after those that it reaches.
        sources: The nodes whose weight each node gets, with their shares; see `turned`.
        start: As for `page_rank`.
    """
    whole = sum(start)
    begin = [weight / whole for weight in start]  # avoids dividing where there are no nodes
    weights = list(begin)
    for place, group in enumerate(reversed(components)):
        if place % _OFTEN == 0:
            checkpoint()
        close = _CLOSE * len(group) / len(weights)
        known = [_RankedNode(node, begin[node], sources[node]) for node in reversed(group)]
        for _ in range(_MOST_ROUNDS):
            if len(group) > 1:
                checkpoint()
            if _settle(known, weights) <= close:
                break
    total = sum(weights)
    return [weight / total for weight in weights]


def turned(edges: Edges) -> list[list[tuple[int, float]]]:
    """For each node those that have an edge to it, with the share of that edge."""
    found: list[list[tuple[int, float]]] = [[] for _ in edges]
    for node, targets in enumerate(edges):
        for target, share in targets:
            found[target].append((node, share))
    return found


class EvenEdges:
    """Edges of which those of a node have equal shares; made where they are looked at."""

    def __init__(self, edges: Sequence[Sequence[int]]) -> None:
        self._edges = edges

    def __getitem__(self, node: int, /) -> Sequence[tuple[int, float]]:
        targets = self._edges[node]
        return [(target, 1 / len(targets)) for target in targets]


class EvenSources:
    """The same, turned."""

    def __init__(self, edges: Sequence[Sequence[int]], sources: Sequence[Sequence[int]]) -> None:
        self._edges = edges
        self._sources = sources

    def __getitem__(self, node: int, /) -> Sequence[tuple[int, float]]:
        return [(source, 1 / len(self._edges[source])) for source in self._sources[node]]


class _RankedNode:
    """A node with what its weight follows from."""

    __slots__ = ("begin", "node", "shares", "sources")

    def __init__(self, node: int, begin: float, sources: Sequence[tuple[int, float]]) -> None:
        self.node = node
        self.begin = begin
        self.sources = [source for source, _ in sources]
        self.shares = [_DAMPING * share for _, share in sources]


def _settle(group: Sequence[_RankedNode], weights: list[float]) -> float:
    """Set the weights of nodes by those of their sources; return how much may be missing."""
    change = 0.0
    look_up = weights.__getitem__
    for one in group:
        weight = one.begin + sum(map(mul, map(look_up, one.sources), one.shares))
        change += abs(weight - weights[one.node])
        weights[one.node] = weight
    is_alone = len(group) == 1 and group[0].node not in group[0].sources
    return 0.0 if is_alone else change


def near(seeds: Mapping[int, float], edges: Neighbours) -> dict[int, float]:
    """The PageRank of the nodes near ``seeds``, for walks that begin at these alone.

    The forward push of Andersen, Chung and Lang (FOCS 2006): the time depends on the seeds, not on
    the graph. A walk goes on with half of its weight, so that seeds rank above their neighbours.

    Args:
        seeds: The probability that a walk begins at a node.
        edges: The nodes that get the weight of each node; at a node without edges, walks end.
    """
    whole = sum(seeds.values())
    left = {node: seeds[node] / whole for node in sorted(seeds) if seeds[node] > 0}
    found: dict[int, float] = {}
    waiting = deque(left)
    queued = set(left)
    while waiting:
        node = waiting.popleft()
        queued.discard(node)
        weight, left[node] = left[node], 0.0
        found[node] = found.get(node, 0.0) + _KEPT * weight
        passed = (1.0 - _KEPT) * weight
        for target, share in edges[node]:
            grown = left[target] = left.get(target, 0.0) + passed * share
            if target not in queued and grown > _LEAST * (1 + len(edges[target])):
                waiting.append(target)
                queued.add(target)
    for node, weight in left.items():
        found[node] = found.get(node, 0.0) + _KEPT * weight
    return found
