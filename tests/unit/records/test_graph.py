"""A graph and a table as plain values: text, DataFrame, Markdown."""

from markdown_it import MarkdownIt

from ipuaro_jupyter.records.graph import Graph
from ipuaro_jupyter.records.outputs import Table

SHOWN = Graph(
    title="Imports",
    nodes=("src/a.ts", "b.ts"),
    edges=(("src/a.ts", "b.ts"), ("src/a.ts", "c.ts")),
    marks={"b.ts": ("hub",)},
    cycles=(("src/a.ts", "b.ts"),),
    loc={"b.ts": 7},
    scores={"b.ts": 2.5},
)


def test_a_graph_is_a_short_text():
    assert SHOWN.text() == str(SHOWN)
    assert SHOWN.text().splitlines() == [
        "Imports: 2 files, 2 imports",
        "Hubs: b.ts",
        "Cycle: src/a.ts, b.ts",
        "src/a.ts -> b.ts, c.ts",
    ]


def test_the_text_of_a_large_graph_is_bounded():
    paths = [f"f{n}.ts" for n in range(400)]
    edges = tuple((a, b) for a in paths for b in paths[:30])
    large = Graph(title="t", nodes=tuple(paths), edges=edges)
    lines = large.text().splitlines()
    assert len(lines) == 201
    assert lines[-1] == "and 201 more"
    assert lines[1].endswith("f19.ts, and 10 more")


def test_a_graph_is_two_frames():
    edges = SHOWN.to_pandas()
    assert edges.to_dict("records") == [
        {"source": "src/a.ts", "target": "b.ts"},
        {"source": "src/a.ts", "target": "c.ts"},
    ]
    nodes = SHOWN.nodes_to_pandas().set_index("path")
    assert list(nodes.index) == ["src/a.ts", "b.ts", "c.ts"]
    assert nodes.loc["b.ts", ["folder", "loc", "hub", "imported_by"]].tolist() == ["", 7, True, 1]
    assert nodes.loc["src/a.ts", ["folder", "hub", "imports"]].tolist() == ["src", False, 2]


def cells(markdown):
    """The texts of the cells that a renderer of GitHub's Markdown makes of a table."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    inner = [token for token in tokens if token.type == "inline"]
    assert all(piece.type == "text" for token in inner for piece in token.children)
    return ["".join(piece.content for piece in token.children) for token in inner]


def test_markdown_shows_names_as_they_are():
    names = ("__init__.py", "a|b.ts", "<script>", "*x*", "[a](b)", "`c`", "\\d", "&amp;", "~~s~~")
    table = Table(title="t", columns=("file", "n_1"), rows=tuple((name, 1) for name in names))
    assert cells(table.to_markdown())[:2] == ["file", "n_1"]
    assert cells(table.to_markdown())[2::2] == list(names)


def test_markdown_keeps_a_cell_on_its_line():
    table = Table(title="t", columns=("a", "b"), rows=(("x\n| y |", None),))
    assert cells(table.to_markdown()) == ["a", "b", "x | y |", ""]


def test_the_markdown_of_a_graph_has_its_edges():
    assert cells(SHOWN.to_markdown())[2:4] == ["src/a.ts", "b.ts"]


HIDING = "a\u202e\x1b[31m\u200b.ts"
SPELLED = "a[U+202E][U+001B][31m[U+200B].ts"


def test_markdown_spells_out_what_hides():
    table = Table(title="t", columns=(HIDING,), rows=((HIDING,),))
    assert cells(table.to_markdown()) == [SPELLED, SPELLED]


def test_the_printed_text_of_a_graph_spells_out_what_hides(capsys):
    print(Graph(title="Imports", nodes=(HIDING, "b.ts"), edges=((HIDING, "b.ts"),)))  # noqa: T201
    assert capsys.readouterr().out == f"Imports: 2 files, 1 imports\n{SPELLED} -> b.ts\n"
