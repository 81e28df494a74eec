"""PageRank, and what lies near some nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.cancellation import CancelToken, watching
from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.index.ranking.components import strong_components
from ipuaro_jupyter.index.ranking.page_rank import (
    EvenEdges,
    EvenSources,
    near,
    page_rank,
    page_rank_along,
    turned,
)


@st.composite
def graphs(draw):
    """Edges whose shares sum up to 1, some nodes without any."""
    count = draw(st.integers(1, 12))
    targets = st.dictionaries(st.integers(0, count - 1), st.integers(1, 5), max_size=4)
    edges = []
    for weights in draw(st.lists(targets, min_size=count, max_size=count)):
        whole = sum(weights.values())
        edges.append([(target, weight / whole) for target, weight in sorted(weights.items())])
    return edges


def walked(edges, start, *, onward):
    """Return where walks end that go on with a chance of ``onward``, the simplest way."""
    found, passing = [0.0] * len(edges), list(start)
    for _ in range(200):
        following = [0.0] * len(edges)
        for node, weight in enumerate(passing):
            found[node] += (1 - onward) * weight
            for target, share in edges[node]:
                following[target] += onward * weight * share
        passing = following
    return found


def test_ranks_of_a_small_graph_are_those_of_the_paper():
    """A page that two link to, which links back to one of them: solved by hand."""
    ranks = page_rank([[(2, 1.0)], [(2, 1.0)], [(0, 1.0)]], [1, 1, 1])
    third = 0.15 / 3
    hub = third * (1 + 0.85 + 0.85) / (1 - 0.85**2)
    assert ranks == pytest.approx([third + 0.85 * hub, third, hub], abs=1e-5)


@given(graphs())
def test_ranks_sum_up_to_one_and_do_not_change_any_more(edges):
    start = [1.0 + node % 3 for node in range(len(edges))]
    ranks = page_rank(edges, start)
    assert sum(ranks) == pytest.approx(1)
    ends = sum(ranks[node] for node, targets in enumerate(edges) if not targets)
    begin = [weight / sum(start) for weight in start]
    again = [(0.15 + 0.85 * ends) * weight for weight in begin]
    for node, targets in enumerate(edges):
        for target, share in targets:
            again[target] += 0.85 * ranks[node] * share
    assert again == pytest.approx(ranks, abs=1e-4)


@given(graphs())
def test_even_edges_rank_as_if_they_were_written_out(edges):
    targets = [[target for target, _ in some] for some in edges]
    sources = [[n for n, some in enumerate(targets) if node in some] for node in range(len(edges))]
    even = [[(target, 1 / len(some)) for target in some] for some in targets]
    start = [1.0] * len(edges)
    ranks = page_rank_along(strong_components(targets), EvenSources(targets, sources), start)
    assert ranks == pytest.approx(page_rank(even, start))
    assert [EvenEdges(targets)[node] for node in range(len(edges))] == even


def test_no_nodes_have_no_ranks():
    assert page_rank([], []) == []


@given(graphs(), st.data())
def test_what_is_near_is_where_walks_end(edges, data):
    nodes = st.integers(0, len(edges) - 1)
    seeds = data.draw(st.dictionaries(nodes, st.integers(1, 9), min_size=1))
    whole = sum(seeds.values())
    start = [seeds.get(node, 0) / whole for node in range(len(edges))]
    found = near(seeds, edges)
    exact = walked(edges, start, onward=0.5)
    assert [found.get(node, 0.0) for node in range(len(edges))] == pytest.approx(exact, abs=0.02)


def test_far_nodes_are_not_visited():
    """The time depends on the seeds, not on the graph."""
    chain = [[(node + 1, 1.0)] for node in range(10_000)] + [[]]
    found = near({0: 1.0}, chain)
    assert len(found) < 30
    assert found[0] > found[1] > found[2]


def test_stop_ends_the_rounds_of_one_large_component():
    """A component may be the whole graph, which is then one step for the rest."""

    class _AtThirdLook(CancelToken):
        looks = 0

        def check(self):
            self.looks += 1
            if self.looks == 3:
                self.cancel()
            super().check()

    ring = [[((node + 1) % 50, 0.5), ((node + 7) % 50, 0.5)] for node in range(50)]
    components, sources = [list(range(50))], turned(ring)
    with watching(_AtThirdLook()), pytest.raises(Cancelled):
        page_rank_along(components, sources, [float(node + 1) for node in range(50)])
