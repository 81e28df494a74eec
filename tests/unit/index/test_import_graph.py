"""The graph of imports, whole and around a path."""

import json
import os

import pytest

from ipuaro_jupyter.errors import SettingsError

# entry.ts -> a -> b -> c -> a (a cycle), c -> far/d -> far/e; six files import far/e
FILES = {
    "entry.ts": "import './src/a'",
    "src/a.ts": "import './b'",
    "src/b.ts": "import './c'",
    "src/c.ts": "import './a'; import '../far/d'",
    "far/d.ts": "import './e'",
    "far/e.ts": "export const e = 1",
    **{f"user{n}.ts": "import './far/e'" for n in range(6)},
    "alone.ts": "export const one = 1\nexport const two = 2",
    "data.json": '{"a": 1}',
}


@pytest.fixture
def assistant(make_project, open_assistant):
    return open_assistant(make_project(FILES), [])


def test_the_whole_project_has_every_file_of_code(assistant):
    graph = assistant.graph()
    assert set(graph.nodes) == set(FILES) - {"data.json"}
    assert ("src/c.ts", "far/d.ts") in graph.edges
    assert len(graph.edges) == 12
    assert graph.cycles == (("src/a.ts", "src/b.ts", "src/c.ts"),)
    assert graph.marks["far/e.ts"] == ("hub",)
    assert graph.marks["src/a.ts"] == ("cycle",)
    assert graph.marks["entry.ts"] == graph.marks["alone.ts"] == ("entry",)
    assert "far/d.ts" not in graph.marks
    assert (graph.loc["alone.ts"], graph.scores["alone.ts"]) == (2, 10.8)
    assert graph.focus is None
    assert graph.root == str(assistant.root)


@pytest.mark.parametrize(
    ("depth", "direction", "files"),
    [
        (0, "both", {"src/a.ts"}),
        (1, "out", {"src/a.ts", "src/b.ts"}),
        (1, "in", {"src/a.ts", "src/c.ts", "entry.ts"}),
        (1, "both", {"src/a.ts", "src/b.ts", "src/c.ts", "entry.ts"}),
        (3, "out", {"src/a.ts", "src/b.ts", "src/c.ts", "far/d.ts"}),
        (99, "out", {"src/a.ts", "src/b.ts", "src/c.ts", "far/d.ts", "far/e.ts"}),
        (99, "in", {"src/a.ts", "src/b.ts", "src/c.ts", "entry.ts"}),
    ],
)
def test_around_a_file_imports_are_followed_so_far(assistant, depth, direction, files):
    graph = assistant.graph("src/a.ts", depth=depth, direction=direction)
    assert set(graph.nodes) == files
    assert all({source, target} <= files for source, target in graph.edges)
    assert graph.focus == "src/a.ts"


def test_around_a_folder_its_files_are_the_start(assistant):
    graph = assistant.graph("far", direction="in")
    assert set(graph.nodes) == {"far/d.ts", "far/e.ts", "src/c.ts"} | {
        f"user{n}.ts" for n in range(6)
    }
    assert set(assistant.graph("far", depth=0).nodes) == {"far/d.ts", "far/e.ts"}


def test_roles_are_those_in_the_whole_project(assistant):
    graph = assistant.graph("far/d.ts", depth=1)
    assert graph.marks == {"far/e.ts": ("hub",), "src/c.ts": ("cycle",)}
    assert graph.cycles == (), "one file of a cycle is none"


def test_each_edge_is_what_get_dependencies_tells(assistant):
    graph = assistant.graph()
    for path in graph.nodes:
        told = assistant.call("get_dependencies", {"path": path}).output.dependencies
        assert [to for source, to in graph.edges if source == path] == [file.path for file in told]


def test_modules_of_a_python_package_are_followed(make_project, open_assistant):
    """``from pkg import a, b`` leads to two files."""
    files = {"pkg/__init__.py": "", "pkg/a.py": "", "pkg/b.py": "", "u.py": "from pkg import a, b"}
    graph = open_assistant(make_project(files), []).graph("u.py", direction="out")
    assert set(graph.nodes) == {"pkg/a.py", "pkg/b.py", "u.py"}


def test_odd_names_of_files_are_nodes(make_project, open_assistant):
    odd = ['it\'s "q" <b>.ts', "two\nlines.ts", "\u202egnp.ts"]
    files = {"a.ts": "import './\u202egnp'", **dict.fromkeys(odd, "export {}")}
    graph = open_assistant(make_project(files), []).graph()
    assert set(graph.nodes) == {"a.ts", *odd}
    assert graph.edges == (("a.ts", odd[2]),)


def test_a_name_that_is_no_text_breaks_nothing(make_project, open_assistant):
    root = make_project({"a.ts": "export {}"})
    with open(os.fsencode(root / "caf\udce9.ts"), "wb") as file:  # noqa: PTH123 - name of bytes
        file.write(b"import './a'")
    drawn = open_assistant(root, []).graph()._repr_mimebundle_()
    assert "a.ts" in drawn["text/plain"]
    json.dumps(drawn, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("path", "options", "told"),
    [
        ("none.ts", {}, "none.ts"),
        ("src/aa.ts", {}, "src/a.ts"),
        ("data.json", {}, "No file in data.json is indexed whose imports are understood"),
        ("src/a.ts", {"depth": -1}, "depth=-1.* Use a depth of 0 or more"),
        ("src/a.ts", {"direction": "up"}, "direction='up'"),
        ("../..", {}, "outside"),
    ],
)
def test_what_there_is_no_graph_of_is_said(assistant, path, options, told):
    with pytest.raises(SettingsError, match=told):
        assistant.graph(path, **options)
