"""A cell is put into a notebook."""

import json

import pytest
from notebooks_of_cells import notebook, sources

from ipuaro_jupyter import Decision

CELLS = [("markdown", "# Title"), ("code", "x = 1")]


@pytest.fixture
def insert(run, tmp_path):
    """Insert with auto-apply; return the result and the notebook."""

    def insert_into(before, /, *, confirm=None, **arguments):
        options = {"auto_apply": True} if confirm is None else {"confirm": confirm}
        result = run({"n.ipynb": before}, **options)(
            "insert_cell", {"path": "n.ipynb", **arguments}
        )
        return result, json.loads((tmp_path / "project/n.ipynb").read_bytes())

    return insert_into


@pytest.mark.parametrize(
    ("after", "order"),
    [
        (0, ["new", "# Title", "x = 1"]),
        (1, ["# Title", "new", "x = 1"]),
        (2, ["# Title", "x = 1", "new"]),
    ],
)
def test_it_stands_after_the_cell_that_is_named(insert, after, order):
    result, found = insert(notebook(*CELLS), after=after, content="new")
    assert ["".join(cell["source"]) for cell in found["cells"]] == order
    assert f"Inserted cell {after + 1} (code)" in result.text()
    assert ("one higher" in result.text()) == (after < 2)
    new = found["cells"][after]
    assert (new["outputs"], new["execution_count"], new["metadata"]) == ([], None, {})
    assert new["id"] not in {"c1", "c2"}


def test_a_cell_of_text_has_no_outputs(insert):
    _, found = insert(notebook(), after=0, content="# New", kind="markdown")
    (new,) = found["cells"]
    assert sorted(new) == ["cell_type", "id", "metadata", "source"]


@pytest.mark.parametrize("after", [-1, 3])
def test_a_place_that_there_is_not_is_said(insert, after):
    result, _ = insert(notebook(*CELLS), after=after, content="new")
    assert "which has 2 cells" in result.error.message
    assert result.error.suggestion == "Use a number from 0 to 2."


def test_the_question_shows_the_new_cell(insert):
    asked = []
    insert(notebook(*CELLS), after=1, content="new", confirm=lambda one: asked.append(one) or False)
    assert asked[0].title == "Insert a code cell after cell 1 of n.ipynb"
    assert (asked[0].old_text, asked[0].new_text, asked[0].part) == ("", "new\n", "cell 2")


@pytest.mark.parametrize(
    ("text", "made"), [("mine\n", ["# Title", "mine", "x = 1"]), ("", ["# Title", "", "x = 1"])]
)
def test_the_user_can_write_another_text(insert, text, made):
    decision = Decision(action="apply", text=text)
    _, found = insert(notebook(*CELLS), after=1, content="new", confirm=lambda _: decision)
    assert ["".join(cell["source"]) for cell in found["cells"]] == made


def test_a_syntax_error_is_asked_about(insert):
    result, found = insert(notebook(*CELLS), after=1, content="def (")
    assert result.error.type == "cancelled"
    assert len(found["cells"]) == 2


def test_cells_of_another_kernel_are_not_read_as_python(insert):
    before = notebook(*CELLS, kernelspec={"language": "R", "name": "ir"})
    result, found = insert(before, after=2, content="x <- function(")
    assert result.success
    assert len(found["cells"]) == 3


def test_undo_takes_it_away(open_assistant, make_project):
    before = notebook(*CELLS).encode()
    root = make_project({"n.ipynb": before})
    assistant = open_assistant(root, [], auto_apply=True)
    assistant.call("insert_cell", {"path": "n.ipynb", "after": 2, "content": "new"})
    assert sources((root / "n.ipynb").read_bytes())[2] == "new"
    assistant.undo()
    assert (root / "n.ipynb").read_bytes() == before
