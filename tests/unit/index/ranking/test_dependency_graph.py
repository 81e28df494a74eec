"""The graph of imports, and the roles of files."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.index.ranking.components import reach_counts
from ipuaro_jupyter.index.ranking.dependency_graph import DependencyGraph
from ipuaro_jupyter.index.ranking.file_roles import file_type, is_first_file

PATHS = [f"{letter}.ts" for letter in "abcdefg"]
EDGES = st.dictionaries(st.sampled_from(PATHS), st.sets(st.sampled_from(PATHS)))


def reached(edges, start):
    """Return what `start` reaches, found in the simplest way."""
    found, waiting = set(), [start]
    while waiting:
        for target in edges.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def test_dependents_are_the_edges_turned_around():
    graph = DependencyGraph({"a": ["b", "c"], "b": ["c"], "c": ["c"]})
    assert graph.dependents == {"a": set(), "b": {"a"}, "c": {"a", "b"}}
    assert graph.edge_count == 3


def test_edges_may_be_given_by_what_imports_a_file():
    """An importer that is no file of the graph is left out, what it imports is not."""
    dependents = [("b", ["a", "b", "gone"]), ("data.bin", ["a"]), ("c", ["gone"])]
    graph = DependencyGraph({"a": ["c"], "b": [], "c": []}, dependents=dependents)
    assert graph.dependencies == {"a": {"b", "c", "data.bin"}, "b": set(), "c": set()} | {
        "data.bin": set()
    }
    assert graph.dependents["data.bin"] == {"a"}
    assert len(graph.dependents) == 4
    with pytest.raises(KeyError):
        graph.dependencies["gone"]


def test_hub_has_more_than_five_dependents():
    five = {f"u{i}": ["five"] for i in range(5)}
    six = {f"v{i}": ["six"] for i in range(6)}
    assert DependencyGraph({**five, **six}).hubs() == ["six"]


def test_roots_are_what_nothing_imports():
    assert DependencyGraph({"a": ["b"], "c": ["c"]}).roots() == ["a", "c"]


def test_cycles_are_the_largest_groups_that_import_each_other():
    edges = {"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": ["e"], "e": ["d"], "f": ["f", "a"]}
    assert DependencyGraph(edges).cycles() == [("a", "b", "c"), ("d", "e")]


def test_long_chain_of_imports_is_no_problem():
    count = 20_000
    edges = {f"{i:05}": [f"{i + 1:05}"] for i in range(count)}
    graph = DependencyGraph(edges)
    assert graph.cycles() == []
    assert graph.transitive_dependents[f"{count:05}"] == count
    assert graph.transitive_dependencies["00000"] == count


def test_many_paths_through_layers_take_no_longer():
    layers = [[f"{layer}-{i}" for i in range(6)] for layer in range(40)]
    edges = {path: below for above, below in itertools.pairwise(layers) for path in above}
    assert DependencyGraph(edges).transitive_dependents["39-0"] == 39 * 6


@given(EDGES)
def test_transitive_dependents_are_all_that_reach_a_file(edges):
    graph = DependencyGraph(edges)
    for path in graph.dependencies:
        others = set(graph.dependencies) - {path}
        expected = sum(path in reached(edges, other) for other in others)
        assert graph.transitive_dependents[path] == expected


@given(EDGES)
def test_two_files_share_a_cycle_when_each_reaches_the_other(edges):
    graph = DependencyGraph(edges)
    groups = graph.cycles()
    for one, other in itertools.combinations(graph.dependencies, 2):
        together = other in reached(edges, one) and one in reached(edges, other)
        assert any(one in group and other in group for group in groups) == together


@given(EDGES)
def test_transitive_dependencies_are_all_that_a_file_reaches(edges):
    graph = DependencyGraph(edges)
    for path in graph.dependencies:
        assert graph.transitive_dependencies[path] == len(reached(edges, path) - {path})


@given(
    st.lists(st.integers(1, 90), min_size=1, max_size=8).flatmap(
        lambda sizes: st.tuples(
            st.just(sizes),
            st.tuples(*[st.sets(st.integers(n + 1, len(sizes))) for n in range(len(sizes))]),
        )
    )
)
def test_counts_are_the_same_in_turns_as_at_once(given_graph):
    sizes, targets = given_graph
    edges = [[t for t in some if t < len(sizes)] for some in targets]
    assert reach_counts(sizes, edges, most_bits=0) == reach_counts(sizes, edges)


def test_entry_points_are_first_files_entries_of_packages_and_roots():
    graph = DependencyGraph(
        {"a.ts": ["src/index.ts", "b.ts", "c.ts"], "src/index.ts": [], "b.ts": ["c.ts"]}
    )
    assert graph.entry_points() == ["a.ts", "src/index.ts"]
    assert graph.entry_points({"b.ts"}) == ["a.ts", "b.ts", "src/index.ts"]


def test_most_impact_is_by_how_many_files_reach_a_file():
    graph = DependencyGraph({"a": ["b"], "b": ["c"], "d": ["c"], "e": ["b"]})
    assert graph.most_impact(9) == ["c", "b"]
    assert graph.most_impact(1) == ["c"]


def test_impact_is_the_share_of_files_that_a_change_may_reach():
    graph = DependencyGraph({"a": ["b"], "b": ["c"], "d": []})
    assert graph.impact("c") == pytest.approx(200 / 3)
    assert graph.impact("a") == 0
    assert DependencyGraph({"only": []}).impact("only") == 0


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.ts", "source"),
        ("src/latest.ts", "source"),
        ("src/contest/a.ts", "source"),
        ("src/prototypes/a.ts", "source"),
        ("src/configure.ts", "source"),
        ("src/App.vue", "source"),
        ("tests/a.ts", "test"),
        ("src/__tests__/a.tsx", "test"),
        ("src/a.test.ts", "test"),
        ("src/a.spec.jsx", "test"),
        ("tests/types/a.ts", "test"),
        ("src/a.d.ts", "types"),
        ("src/types/index.ts", "types"),
        ("src/types.ts", "types"),
        ("src/user.types.ts", "types"),
        ("vite.config.ts", "config"),
        ("src/config.ts", "config"),
        ("tsconfig.app.json", "config"),
        ("package.json", "config"),
        (".eslintrc.cjs", "config"),
        (".prettierrc", "config"),
        ("README.md", "unknown"),
        ("tests/data.json", "unknown"),
    ],
)
def test_file_type_follows_from_the_parts_of_the_path(path, expected):
    assert file_type(path) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("index.ts", True),
        ("src/main.tsx", True),
        ("a/index.d.ts", True),
        ("index.html", False),
        ("src/indexes.ts", False),
        ("index/a.ts", False),
        ("src/index.test.ts", False),
    ],
)
def test_first_files_are_called_index_or_main(path, expected):
    assert is_first_file(path) is expected
