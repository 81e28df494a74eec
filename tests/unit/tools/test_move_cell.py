"""A cell is moved."""

import pytest
from notebooks_of_cells import STREAM, notebook, sources

CELLS = [("markdown", "# A"), ("code", "b = 1\nc = 2"), ("raw", "\nr")]
TEXTS = [text for _, text in CELLS]


@pytest.mark.parametrize(
    ("cell", "after", "order"),
    [(1, 2, [1, 0, 2]), (1, 3, [1, 2, 0]), (3, 0, [2, 0, 1]), (3, 1, [0, 2, 1])],
)
def test_it_stands_after_the_cell_that_is_named(open_assistant, make_project, cell, after, order):
    before = notebook(*CELLS, outputs=[STREAM]).encode()
    root = make_project({"n.ipynb": before})
    assistant = open_assistant(root, [], auto_apply=True)
    result = assistant.call("move_cell", {"path": "n.ipynb", "cell": cell, "after": after})
    assert f"it is cell {order.index(cell - 1) + 1} now" in result.text()
    assert sources((root / "n.ipynb").read_bytes()) == [TEXTS[number] for number in order]
    assistant.undo()
    assert (root / "n.ipynb").read_bytes() == before


@pytest.mark.parametrize("after", [1, 2])
def test_a_move_to_where_it_is_is_said(run, after):
    call = run({"n.ipynb": notebook(*CELLS)})
    error = call("move_cell", {"path": "n.ipynb", "cell": 2, "after": after}).error
    assert "there already" in error.message


def test_the_question_shows_the_order(run):
    asked = []
    call = run({"n.ipynb": notebook(*CELLS)}, confirm=lambda one: asked.append(one) or False)
    call("move_cell", {"path": "n.ipynb", "cell": 3, "after": 0})
    (question,) = asked
    assert question.title == "Move cell 3 (raw) of n.ipynb to the beginning"
    assert question.old_text == "markdown: # A\ncode: b = 1\nraw: r\n"
    assert question.new_text == "raw: r\nmarkdown: # A\ncode: b = 1\n"
    assert (question.part, question.editable) == ("cells", False)
