import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ipuaro_jupyter.index.binding.fixpoint import Fixpoint

GRAPHS = st.lists(st.lists(st.integers(0, 7), max_size=4), min_size=8, max_size=8)


def asking(graph, fixpoint, asked):
    """Return a function to the set of a node: itself, and the sets of where its edges lead."""

    def of(node):
        asked.append(node)
        return fixpoint.of(node, lambda: {node}.union(*(of(other) for other in graph[node])))

    return of


def reached(graph, start):
    found, waiting = {start}, [start]
    while waiting:
        waiting += [other for other in graph[waiting.pop()] if other not in found]
        found.update(waiting)
    return found


@given(graph=GRAPHS, order=st.permutations(range(8)))
@example(graph=[[2], [7], [0, 1], [0], [], [], [], [2, 3]], order=[1, 0, 2, 3, 4, 5, 6, 7])
def test_sets_are_the_least_solution_whichever_is_asked_first(graph, order):
    of = asking(graph, Fixpoint(deepest=100), [])
    for node in order:
        assert of(node) == reached(graph, node)


@given(graph=GRAPHS)
def test_what_is_asked_depends_on_what_was_found(graph):
    """Members are asked of the owners that a round has found, which are more in the next."""

    def solve(start):
        fixpoint = Fixpoint(deepest=100)

        def of(node):
            return fixpoint.of(node, lambda: {node}.union(*(of(graph[m][0]) for m in first(node))))

        def first(node):
            owners = of(graph[node][-1]) if graph[node] else set()
            return [owner for owner in owners if graph[owner]]

        return of(start)

    values = {node: {node} for node in range(8)}
    while True:
        before = {node: set(value) for node, value in values.items()}
        for node in range(8):
            owners = values[graph[node][-1]] if graph[node] else set()
            for owner in list(owners):
                values[node] |= values[graph[owner][0]] if graph[owner] else set()
        if before == values:
            break
    for node in range(8):
        assert solve(node) == values[node]


def test_a_cycle_costs_a_few_rounds():
    asked = []
    many = 300
    graph = [[*range(1, many)], *([0] for _ in range(many - 1))]
    of = asking(graph, Fixpoint(deepest=100), asked)
    assert of(0) == set(range(many))
    assert len(asked) < 10 * many
    asked.clear()
    assert of(7) == set(range(many))
    assert len(asked) == 1


def test_what_lies_too_deep_is_left_out_and_not_kept():
    graph = [[number + 1] for number in range(9)] + [[]]
    of = asking(graph, Fixpoint(deepest=5), [])
    assert of(0) == {0, 1, 2, 3, 4}
    assert of(3) == {3, 4, 5, 6, 7}
    assert of(5) == {5, 6, 7, 8, 9}
    assert of(3) == {3, 4, 5, 6, 7, 8, 9}


def test_nothing_is_left_of_a_computation_that_was_broken_off():
    fixpoint = Fixpoint(deepest=100)

    def broken():
        fixpoint.of("b", lambda: fixpoint.of("a", set))
        raise TimeoutError

    with pytest.raises(TimeoutError):
        fixpoint.of("a", broken)
    assert fixpoint.of("b", lambda: {1}) == {1}
    assert fixpoint.of("a", lambda: {2}) == {2}
