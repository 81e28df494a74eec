"""How the graph of imports grows with a project, and whether networkx agrees.

``python tests/benchmarks/graph.py [FILES]``: times for FILES (2500), 4 times and 16 times as many,
made at random: files import mostly neighbours and a few files that everybody imports. networkx
(``pip install networkx``) checks small graphs of every kind, and the smallest of the large ones.
"""

import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence

import networkx as nx

from ipuaro_jupyter.index.ranking.dependency_graph import DependencyGraph

_IMPORTS = 6
_GRAPHS = 300


def project(count: int, chance: random.Random) -> dict[str, list[str]]:
    """Return a graph as projects have them: folders, popular files, a few circles."""
    edges: dict[str, list[str]] = {}
    for number in range(count):
        targets = []
        for _ in range(chance.randint(0, 2 * _IMPORTS)):
            if chance.random() < 0.7:
                targets.append(number - chance.randint(1, 60))
            elif chance.random() < 0.98:
                targets.append(int(number * chance.random() ** 3))
            else:
                targets.append(number + chance.randint(1, 60))
        edges[f"f{number:06}"] = [f"f{t:06}" for t in targets if 0 <= t < count and t != number]
    return edges


def sparse(count: int, chance: random.Random) -> dict[str, list[str]]:
    """Return a graph without any order; the more edges, the more circles."""
    wanted = chance.randint(0, 2 * count)
    edges: dict[str, list[str]] = {f"f{number}": [] for number in range(count)}
    for _ in range(wanted):
        edges[f"f{chance.randrange(count)}"].append(f"f{chance.randrange(count)}")
    return edges


def check(edges: dict[str, list[str]]) -> None:
    """Compare all that a graph says with networkx.

    Raises:
        AssertionError: Something is different.
    """
    ours = DependencyGraph(edges)
    theirs = nx.DiGraph()
    theirs.add_nodes_from(edges)
    theirs.add_edges_from((a, b) for a, targets in edges.items() for b in targets if a != b)
    assert ours.edge_count == theirs.number_of_edges()
    groups = {tuple(sorted(g)) for g in nx.strongly_connected_components(theirs) if len(g) > 1}
    assert set(ours.cycles()) == groups
    for path in edges:
        assert ours.transitive_dependents[path] == len(nx.ancestors(theirs, path))
        assert ours.transitive_dependencies[path] == len(nx.descendants(theirs, path))
        assert ours.dependents[path] == set(theirs.predecessors(path))
    popular = {path for path in edges if theirs.in_degree(path) > 5}
    assert set(ours.hubs()) == popular


def main(arguments: Sequence[str]) -> int:
    """Check, then print a table."""
    first = int(arguments[0]) if arguments else 2500
    chance = random.Random(1)
    for _ in range(_GRAPHS):
        check(sparse(chance.randint(1, 40), chance))
    check(project(first, chance))
    print(f"networkx agrees on {_GRAPHS} small graphs and one of {first} files")
    print(f"{'files':>8} {'edges':>8} {'make':>8} {'cycles':>8} {'dependents':>10}", end=" ")
    print(f"{'dependencies':>12} {'hubs':>8}  s; peak MB of dependents")
    for factor in (1, 4, 16):
        edges = project(first * factor, chance)
        start = time.process_time()
        graph = DependencyGraph(edges)
        steps: list[Callable[[], object]] = [
            graph.cycles,
            lambda graph=graph: graph.transitive_dependents,
            lambda graph=graph: graph.transitive_dependencies,
            graph.hubs,
        ]
        times = [time.process_time() - start]
        for step in steps:
            start = time.process_time()
            step()
            times.append(time.process_time() - start)
        fresh = DependencyGraph(edges)
        tracemalloc.start()
        _ = fresh.transitive_dependents
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        made, cycles, above, below, hubs = times
        print(
            f"{len(edges):8} {graph.edge_count:8} {made:8.2f} {cycles:8.2f} {above:10.2f}", end=" "
        )
        print(f"{below:12.2f} {hubs:8.2f}  {peak:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
