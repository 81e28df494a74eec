"""Notebooks are read by cell, and places in them are told by cell."""

import json

import pytest

DRAW = """%matplotlib inline
from kit import load


def draw(ship):
    return load(ship)  # TODO: colour"""
PLOT = """!pip install kit
class Plot:
    size = 3

    def show(self):
        return draw(self)
"""
CELLS = [
    ("markdown", "# Plots\nof ships"),
    ("code", DRAW),
    ("code", "%%bash\nls  # TODO: no"),
    ("code", "def broken(:\n    pass"),
    ("code", PLOT),
    ("code", ""),
]
FILES = {"kit.py": "def load(name):\n    return name\n"}


def notebook(cells=CELLS, **metadata):
    made = [
        {"cell_type": kind, "id": f"c{n}", "metadata": {}, "source": text.splitlines(keepends=True)}
        | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        for n, (kind, text) in enumerate(cells)
    ]
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def call(run):
    return run({**FILES, "n.ipynb": notebook()})


def test_a_cell_is_read_by_its_number(call):
    result = call("get_lines", {"path": "n.ipynb", "cell": 2})
    assert result.text().splitlines()[0] == "     1\t%matplotlib inline"
    assert len(result.text().splitlines()) == 6


def test_lines_of_a_cell_are_counted_in_it(call):
    result = call("get_lines", {"path": "n.ipynb", "cell": 5, "start": 2, "end": 3})
    assert result.text() == "     2\tclass Plot:\n     3\t    size = 3"


def test_without_a_cell_all_are_shown(call):
    text = call("get_lines", {"path": "n.ipynb"}).text()
    assert text.startswith("cell 1 (markdown)\n     1\t# Plots\n     2\tof ships\ncell 2 (code)\n")
    assert text.endswith("cell 6 (code)\n     1\t")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"path": "n.ipynb", "start": 2}, "in which cell"),
        ({"path": "n.ipynb", "cell": 7}, "6 cells"),
        ({"path": "n.ipynb", "cell": 0}, "6 cells"),
        ({"path": "n.ipynb", "cell": 1, "start": 3}, "2 lines"),
        ({"path": "kit.py", "cell": 1}, "no notebook"),
    ],
)
def test_a_wrong_cell_is_an_error_that_says_what_there_is(call, arguments, said):
    error = call("get_lines", arguments).error
    assert error.type == "validation"
    assert said in error.message


def test_a_definition_is_told_by_cell_and_line(call):
    found = call("find_definition", {"symbol": "draw"})
    (definition,) = found.to_dict()["output"]["definitions"]
    assert (definition["path"], definition["cell"], definition["line"]) == ("n.ipynb", 2, 5)
    assert definition["context"] == ["def draw(ship):", "    return load(ship)  # TODO: colour"]
    assert "n.ipynb cell 2:5 (function)" in found.text()


def test_a_definition_in_a_plain_file_has_no_cell(call):
    (definition,) = call("find_definition", {"symbol": "load"}).to_dict()["output"]["definitions"]
    assert "cell" not in definition
    assert (definition["path"], definition["line"]) == ("kit.py", 1)


def test_references_are_told_by_cell_line_and_column(call):
    found = call("find_references", {"symbol": "load"}).to_dict()["output"]["references"]
    places = [(r["path"], r.get("cell"), r["line"], r["column"]) for r in found]
    assert places == [("kit.py", None, 1, 5), ("n.ipynb", 2, 2, 17), ("n.ipynb", 2, 6, 12)]
    assert found[2]["context"][-1] == "    return load(ship)  # TODO: colour"


def test_markers_are_told_by_cell_and_line(call):
    (todo,) = call("get_todos", {}).to_dict()["output"]["todos"]
    assert (todo["path"], todo["cell"], todo["line"], todo["text"]) == ("n.ipynb", 2, 6, "colour")


def test_a_function_and_a_class_are_read_with_their_cell(call):
    function = call("get_function", {"path": "n.ipynb", "name": "Plot.show"}).to_dict()["output"]
    assert (function["cell"], function["lineStart"], function["lineEnd"]) == (5, 5, 6)
    assert function["code"] == "     5\t    def show(self):\n     6\t        return draw(self)"
    holder = call("get_class", {"path": "n.ipynb", "name": "Plot"})
    assert holder.to_dict()["output"]["cell"] == 5
    assert holder.text().startswith("n.ipynb cell 5:2-6 class Plot")


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"cells": 1}', "null", '{"cells": [1]}'])
def test_what_is_no_notebook_is_reported(run, content):
    call = run({"n.ipynb": content})
    error = call("get_lines", {"path": "n.ipynb"}).error
    assert error.type == "parse"
    assert "cannot be read by cells" in error.message
    assert call("find_definition", {"symbol": "x"}).success


def test_a_notebook_is_not_edited_by_lines(run):
    call = run({"n.ipynb": notebook()}, auto_apply=True)
    result = call("edit_lines", {"path": "n.ipynb", "start": 1, "end": 1, "content": "x"})
    assert "notebooks are not edited by lines" in result.error.message
