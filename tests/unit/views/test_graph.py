"""A graph as a picture and as tables, the small and the large."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.records.graph import Graph
from ipuaro_jupyter.views import graph
from ipuaro_jupyter.views.drawing import mimebundle
from ipuaro_jupyter.views.graph_boxes import MOST_BOXES, MOST_FOLDERS, MOST_LINKS, boxes_of
from ipuaro_jupyter.views.live_data import GRAPH_TYPE, MOST_EDGES, MOST_NODES

EVIL = "src/<script>alert(1)</script>\"'&\n\udc80.ts"


def made(*edges, **fields):
    nodes = tuple(dict.fromkeys(end for edge in edges for end in edge))
    return Graph(title="Imports", nodes=nodes, edges=edges, **fields)


def project(count, *, folders=37):
    """A graph of many files, each of which imports four others; every fiftieth is a hub."""
    paths = [f"pkg{n % folders}/src/mod{n % 7}/f{n}.ts" for n in range(count)]
    edges = [(paths[n], paths[(n * k + 1) % count]) for n in range(count) for k in (3, 5, 7, 11)]
    return Graph(
        title="Imports",
        nodes=tuple(paths),
        edges=tuple(dict.fromkeys(edges)),
        marks=dict.fromkeys(paths[:40], ("cycle",)) | dict.fromkeys(paths[::50], ("hub",)),
        cycles=(tuple(paths[:40]),),
        loc=dict.fromkeys(paths, 10),
        scores=dict.fromkeys(paths, 50.0),
    )


class Page(HTMLParser):
    """What a browser makes of the HTML: the shapes of the picture, the titles, the texts."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.titles, self.labels, self._open = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag in {"title", "text"}:
            (self.titles if tag == "title" else self.labels).append("")

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if self._open and self._open[-1] in {"title", "text"}:
            (self.titles if self._open[-1] == "title" else self.labels)[-1] += data

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def test_each_edge_is_a_row_with_the_roles():
    lines = graph.text(made(("a", "b"), ("a", "c"), marks={"b": ("hub",)})).splitlines()
    assert lines[0] == "Imports (3 files, 2 imports, 1 hub)"
    assert lines[5].split() == ["a", "b", "(hub)"]
    assert lines[6].split() == ["a", "c"]


def test_a_node_without_an_edge_is_a_row_too():
    alone = Graph(title="t", nodes=("a", "b", "alone"), edges=(("a", "b"),))
    assert graph.text(alone).splitlines()[-1] == "alone"


def test_the_picture_has_a_box_for_each_node_and_an_arrow_for_each_edge():
    page = Page(graph.html(made(("src/a.ts", "src/b.ts"), ("src/a.ts", "src/c.ts"))))
    assert page.labels == ["a.ts", "b.ts", "c.ts"]
    assert len(page.all("polyline")) == len(page.all("polygon")) == 2
    (svg,) = page.all("svg")
    assert svg["role"] == "img"
    assert svg["aria-label"].startswith("Picture of 3 boxes and 2 arrows")


def test_names_that_are_the_same_in_two_folders_are_told_apart():
    page = Page(graph.html(made(("a/index.ts", "b/index.ts"), ("a/index.ts", "b/x.ts"))))
    assert page.labels == ["a/index.ts", "b/index.ts", "x.ts"]


def test_roles_are_words_and_forms():
    marks = {"hub.ts": ("hub",), "cycle.ts": ("cycle",), "main.ts": ("entry",)}
    edges = [("main.ts", "hub.ts"), ("main.ts", "cycle.ts")]
    html = graph.html(made(*edges, marks=marks))
    page = Page(html)
    assert {"hub", "cycle", "entry"} <= set(page.labels)
    frames = page.all("rect")
    assert len(frames) == 4  # the hub has two
    assert len([frame for frame in frames if "stroke-dasharray" in frame]) == 1
    assert len([frame for frame in frames if float(frame["rx"]) > 5]) == 1
    for said in ("Hub: a double frame", "Cycle: a dashed frame", "Entry: round ends"):
        assert said in html


def test_pointing_at_a_box_or_an_arrow_tells_what_it_is():
    shown = made(
        ("a.ts", "b.ts"), loc={"a.ts": 12}, scores={"a.ts": 7.5}, cycles=(("a.ts", "b.ts"),)
    )
    titles = Page(graph.html(shown)).titles
    assert "a.ts\n12 lines of code\ncomplexity 7.5" in titles
    assert "a.ts \u2192 b.ts, in a cycle" in titles


def test_what_was_asked_about_stands_out():
    page = Page(graph.html(made(("a.ts", "b.ts"), focus="b.ts")))
    focused = [g for g in page.all("g") if "ipuaro-focus" in g["class"]]
    assert len(focused) == 1


def test_without_an_edge_there_is_no_picture_and_the_table_is_open():
    html = graph.html(Graph(title="t", nodes=("a.ts",), edges=()))
    assert "<svg" not in html
    assert "<details open>" in html


def test_without_the_library_the_tables_say_all():
    code = (
        "import sys; sys.modules['graphlay'] = None\n"
        "from ipuaro_jupyter.records.graph import Graph\n"
        "from ipuaro_jupyter.views import graph\n"
        "print(graph.html(Graph(title='t', nodes=('a', 'b'), edges=(('a', 'b'),))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert "<svg" not in done.stdout
    assert '<th scope="row">a</th><td>b</td>' in done.stdout


def test_the_library_is_loaded_when_a_graph_is_drawn_and_not_before():
    code = "import sys, ipuaro_jupyter.views.drawing; print('graphlay' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "False"


def test_the_words_of_the_picture_are_hidden_where_the_picture_is_taken_out():
    """Untrusted notebooks lose style sheets and SVG, and keep the words in it and ``hidden``."""
    drawn = mimebundle(made(("a.ts", "b.ts")))["text/html"]
    inside = re.search(r'<div class="ipuaro-picture" hidden>(.*?)<details>', drawn)[1]
    assert "<svg" in inside
    assert "An arrow leads from" in inside
    assert ".ipuaro-picture[hidden]{display: block" in drawn


def test_hostile_names_are_text_everywhere():
    shown = made((EVIL, "b.ts"), marks={EVIL: ("hub",)}, focus=EVIL, cycles=((EVIL, "b.ts"),))
    drawn = mimebundle(shown)
    page = Page(drawn["text/html"])
    assert "script" not in {tag for tag, _ in page.tags}
    assert any("<script>alert(1)</script>" in title for title in page.titles)
    for told in (drawn["text/plain"], drawn["text/html"], json.dumps(drawn[GRAPH_TYPE])):
        told.encode()  # no half of a surrogate pair is left
    assert drawn[GRAPH_TYPE]["nodes"][0]["id"].endswith("\n[U+DC80].ts")


@pytest.mark.parametrize("count", [2000, 10_000])
@pytest.mark.parametrize("folders", [1, 37])
def test_a_large_graph_stays_small_when_it_is_shown(count, folders):
    shown = project(count, folders=folders)
    drawn = mimebundle(shown)
    assert len(drawn["text/plain"]) < 40_000
    assert len(drawn["text/html"]) < 150_000
    assert len(json.dumps(drawn[GRAPH_TYPE])) < 600_000
    live = drawn[GRAPH_TYPE]
    assert len(live["nodes"]) + live["truncated"] == count
    assert len(live["nodes"]) <= MOST_NODES
    assert len(live["edges"]) <= MOST_EDGES
    hubs = [node for node in live["nodes"] if "hub" in node["marks"]]
    assert len(hubs) == count // 50, "hubs are left out last"
    boxes = boxes_of(shown)
    assert 10 < len(boxes.boxes) <= MOST_FOLDERS
    assert len(boxes.links) <= MOST_LINKS
    assert "more files; .nodes_to_pandas() has all" in drawn["text/plain"]


def test_a_dense_graph_leaves_nodes_out_rather_than_edges_between_them():
    paths = [f"f{n}.ts" for n in range(200)]
    dense = Graph(title="t", nodes=tuple(paths), edges=tuple((a, b) for a in paths for b in paths))
    live = mimebundle(dense)[GRAPH_TYPE]
    assert live["truncated"] == 200 - len(live["nodes"]) > 0
    assert len(live["edges"]) == len(live["nodes"]) ** 2


def test_a_large_graph_is_drawn_by_folder_with_the_files_that_count():
    shown = project(2000)
    boxes = boxes_of(shown)
    assert boxes.is_by_folder
    folder = next(box for box in boxes.boxes if re.fullmatch(r"pkg\d+/src/", box.name))
    assert all(node.startswith(folder.name) for node in folder.nodes)
    assert "in cycles" in " ".join(role for box in boxes.boxes for role in box.roles)
    drawn = mimebundle(shown)
    assert any(box.name == "\u2026" for box in boxes.boxes), "too many folders for a box each"
    assert "Imports between folders" in drawn["text/plain"]
    assert re.search(r"pkg\d+/src/ \(\d+ files", drawn["text/plain"])


_NAMES = st.lists(st.sampled_from(["a", "b", "c", "\u00fc", "<", ".."]), min_size=1, max_size=4)


@given(
    st.lists(st.tuples(_NAMES, st.integers(0, 60)), min_size=1, max_size=120).flatmap(
        lambda names: st.tuples(
            st.just(["/".join([*folders, f"{n}.ts"]) for folders, n in names]),
            st.lists(st.tuples(st.integers(0, 119), st.integers(0, 119)), max_size=150),
        )
    )
)
def test_every_graph_is_drawn_with_every_node_in_one_box(names_and_pairs):
    names, pairs = names_and_pairs
    edges = tuple((names[a % len(names)], names[b % len(names)]) for a, b in pairs)
    shown = Graph(title="t", nodes=tuple(dict.fromkeys(names)), edges=edges)
    boxes = boxes_of(shown)
    assert sorted(node for box in boxes.boxes for node in box.nodes) == sorted(shown.nodes)
    assert len(boxes.boxes) <= MOST_BOXES
    between = sum(link.count for link in boxes.links) + sum(box.inner for box in boxes.boxes)
    assert boxes.left_out or between == len(edges)
    page = Page(graph.html(shown))
    assert len(page.all("polyline")) == len(boxes.links)
