"""What a live drawing gets of graphs and tables."""

import json

import pytest

from ipuaro_jupyter.records.graph import Graph
from ipuaro_jupyter.records.outputs import Code, Place, Plain, Table, ToolFailure, ToolResult
from ipuaro_jupyter.tools.get_complexity import Complexity, ComplexitySummary
from ipuaro_jupyter.views.drawing import mimebundle
from ipuaro_jupyter.views.live_data import (
    GRAPH_TYPE,
    MOST_CODE_CHARACTERS,
    MOST_FILTERED,
    TABLE_TYPE,
    live_data,
)
from ipuaro_jupyter.views.table import FOLD_ROWS, MOST_ROWS

LISTED = "1,000 rows are listed; the filter looks through all 1,200"
EVIL = "<script>alert(1)</script>\"'&\u202e\udc80"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The kernel's working folder, with a project in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "project").mkdir()
    return tmp_path


def table(rows, **fields):
    return Table(title="t", columns=("file", "n"), rows=tuple(rows), **fields)


def test_a_graph_says_nodes_edges_and_cycles_by_number(here):
    shown = Graph(
        title="Imports",
        nodes=("src/a.ts", "src/b.ts", "gone.ts"),
        edges=(("src/a.ts", "src/b.ts"), ("src/b.ts", "src/a.ts"), ("src/a.ts", "gone.ts")),
        marks={"src/a.ts": ("hub", "cycle"), "gone.ts": ("missing",)},
        loc={"src/a.ts": 12},
        scores={"src/a.ts": 7.5},
        cycles=(("src/a.ts", "src/b.ts"),),
        focus="src/a.ts",
        depth=3,
        direction="in",
        root=str(here / "project"),
    )
    assert mimebundle(shown)[GRAPH_TYPE] == {
        "version": 1,
        "title": "Imports",
        "focus": "src/a.ts",
        "depth": 3,
        "direction": "in",
        "nodes": [
            {
                "id": "src/a.ts",
                "folder": "src",
                "marks": ["hub", "cycle"],
                "loc": 12,
                "score": 7.5,
                "href": "project/src/a.ts",
            },
            {
                "id": "src/b.ts",
                "folder": "src",
                "marks": [],
                "loc": None,
                "score": None,
                "href": "project/src/b.ts",
            },
            {
                "id": "gone.ts",
                "folder": "",
                "marks": ["missing"],
                "loc": None,
                "score": None,
                "href": None,
            },
        ],
        "edges": [[0, 1], [1, 0], [0, 2]],
        "cycles": [[0, 1]],
        "truncated": 0,
    }


def test_a_table_says_what_its_columns_are_and_what_its_rows_open(here):
    shown = table(
        [("a.ts", 70.5), ("b.ts", 3)],
        note="n",
        kinds={"file": "path", "n": "bar"},
        most={"n": 100},
        places=(Place(path="a.ts", line=4), None),
        code=((Code(title="run", lines=("x = 1",), start=4, language="ts"),), ()),
        root=str(here / "project"),
    )
    live = mimebundle(shown)[TABLE_TYPE]
    html = live["code"][0].pop("html")
    assert live == {
        "version": 1,
        "title": "t",
        "note": "n",
        "columns": [
            {"name": "file", "kind": "path", "max": None},
            {"name": "n", "kind": "bar", "max": 100.0},
        ],
        "rows": [["a.ts", 70.5], ["b.ts", 3]],
        "listed": 2,
        "folder": None,
        "links": [{"href": "project/a.ts", "line": 4}, None],
        "code": [{"title": "run", "language": "ts", "start": 4}, None],
    }
    assert '<span class="ipuaro-n">4  </span>' in html


def test_columns_without_a_kind_are_text_or_numbers():
    live = live_data(table([("a", 1), ("b", None)], places=(None, None)))[TABLE_TYPE]
    assert [column["kind"] for column in live["columns"]] == ["text", "number"]
    assert live["rows"] == [["a", 1], ["b", None]]


def test_a_short_table_that_opens_nothing_needs_no_live_form():
    rows = [("a", 1)]
    assert TABLE_TYPE not in live_data(table(rows))
    assert TABLE_TYPE in live_data(table(rows * (FOLD_ROWS + 1)))
    assert live_data(Plain(text="x")) == {}


def test_a_failure_has_no_live_form():
    error = ToolFailure(type="file", message="No a.ts.")
    assert set(mimebundle(ToolResult(tool="get_complexity", error=error))) == {
        "text/plain",
        "text/html",
    }


def test_a_result_knows_where_its_project_is(here):
    summary = ComplexitySummary(
        total_files=1, high_complexity=0, medium_complexity=0, low_complexity=1, average_score=9
    )
    files = [{"path": "a.ts", "loc": 1, "nestingDepth": 0, "cyclomaticComplexity": 1, "score": 9}]
    output = Complexity(files=files, summary=summary)
    shown = ToolResult(tool="get_complexity", output=output, root=str(here / "project"))
    assert mimebundle(shown)[TABLE_TYPE]["links"] == [{"href": "project/a.ts", "line": None}]


def test_a_long_table_says_how_much_is_left_out_in_every_form():
    drawn = mimebundle(table([(f"f{n}", n) for n in range(MOST_ROWS + 234)], note="n"))
    live = drawn[TABLE_TYPE]
    assert live["listed"] == len(live["links"]) == len(live["code"]) == MOST_ROWS
    assert len(live["rows"]) == MOST_ROWS + 234
    assert live["note"] == "n; 1,000 rows are listed; the filter looks through all 1,234"
    assert drawn["text/html"].count("<tr>") == MOST_ROWS + 1
    for told in (drawn["text/plain"], drawn["text/html"]):
        assert "n; and 234 more rows; .to_pandas() has all" in told


def test_a_filter_looks_through_rows_that_are_not_listed(here):
    more = tuple((f"src/a b{n}.ts", n) for n in range(6000))
    shown = table(
        [("c.ts", 1)], more=more, places=(Place(path="c.ts"),), root=str(here / "project")
    )
    live = mimebundle(shown)[TABLE_TYPE]
    assert (live["listed"], live["folder"]) == (1, "project")
    assert live["rows"][:2] == [["c.ts", 1], ["src/a b0.ts", 0]]
    assert len(live["rows"]) == MOST_FILTERED
    told = "1 rows are listed; the filter looks through the first 5,000 of 6,001"
    assert live["note"] == told.replace("rows are", "row is")
    assert "a b0" not in mimebundle(shown)["text/html"] + mimebundle(shown)["text/plain"]


def test_code_is_bounded_and_left_out_from_the_end():
    code = (Code(title="f", lines=("let x = 1;" * 9,) * 24, language="ts"),)
    live = live_data(table([("a", 1)] * 500, code=(code,) * 500))[TABLE_TYPE]
    given = [row for row in live["code"] if row is not None]
    assert 0 < len(given) < 500
    assert live["code"][: len(given)] == given
    assert sum(len(row["html"]) for row in given) <= MOST_CODE_CHARACTERS
    assert live["note"] == f"Show has the code of the first {len(given)} of 500 rows"


@pytest.mark.parametrize(
    ("coded", "rows", "note"),
    [
        (
            20,
            1200,
            f"n; {LISTED}; Show has the code of the first 20 of 1,000 rows",
        ),
        (20, 21, "n; Show has the code of the first 20 of 21 rows"),
        (21, 21, "n"),
        (0, 30, "n"),
        (3, 5, "n"),
    ],
)
def test_a_long_table_says_which_rows_have_code(coded, rows, note):
    code = ((Code(title="f", lines=("x = 1",), language="py"),),) * coded + ((),) * (rows - coded)
    drawn = mimebundle(table([("a", 1)] * rows, code=code, places=(None,) * rows, note="n"))
    assert drawn[TABLE_TYPE]["note"] == note
    assert "has the code" not in drawn["text/html"] + drawn["text/plain"]


def test_hostile_texts_are_spelled_out_and_code_is_escaped():
    code = ((Code(title=EVIL, lines=(EVIL,), language="ts"),),)
    shown = table([(EVIL, 1)], places=(Place(path=EVIL),), code=code, root="/x", note=EVIL)
    live = live_data(shown)[TABLE_TYPE]
    json.dumps(live, ensure_ascii=False).encode()
    assert live["rows"][0][0].endswith("[U+202E][U+DC80]")
    assert "<script" not in live["code"][0]["html"]
