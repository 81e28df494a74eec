"""A cell is deleted."""

import pytest
from notebooks_of_cells import STREAM, notebook, sources

CELLS = [("markdown", "# Title"), ("code", "x = 1"), ("raw", "r")]


@pytest.mark.parametrize("cell", [1, 2, 3])
def test_the_others_stay_and_undo_brings_it_back(open_assistant, make_project, cell):
    before = notebook(*CELLS, outputs=[STREAM]).encode()
    root = make_project({"n.ipynb": before})
    assistant = open_assistant(root, [], auto_apply=True)
    result = assistant.call("delete_cell", {"path": "n.ipynb", "cell": cell})
    left = [text for number, (_, text) in enumerate(CELLS, 1) if number != cell]
    assert sources((root / "n.ipynb").read_bytes()) == left
    assert ("one lower" in result.text()) == (cell < 3)
    assistant.undo()
    assert (root / "n.ipynb").read_bytes() == before


def test_the_last_one_leaves_an_empty_notebook(run, tmp_path):
    call = run({"n.ipynb": notebook(("code", "x"))}, auto_apply=True)
    assert call("delete_cell", {"path": "n.ipynb", "cell": 1}).success
    assert (tmp_path / "project/n.ipynb").read_text() == notebook()


def test_the_question_shows_what_goes(run):
    asked = []
    call = run(
        {"n.ipynb": notebook(*CELLS, outputs=[STREAM])},
        confirm=lambda one: asked.append(one) or False,
    )
    assert call("delete_cell", {"path": "n.ipynb", "cell": 2}).error.type == "cancelled"
    (question,) = asked
    assert question.title == "Delete cell 2 (code) of n.ipynb"
    assert (question.old_text, question.new_text) == ("x = 1\n", "")
    assert question.reason.startswith("Its outputs go with it.")
    assert not question.editable


def test_a_cell_that_there_is_not_is_said(run):
    error = run({"n.ipynb": notebook()})("delete_cell", {"path": "n.ipynb", "cell": 1}).error
    assert "which has 0 cells" in error.message
    assert error.suggestion is None
