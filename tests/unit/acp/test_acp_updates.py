"""What a client is told of a question."""

from pathlib import Path

import pytest

from ipuaro_jupyter.acp.acp_updates import AcpUpdates
from ipuaro_jupyter.records.change import Proposal, ProposedFile
from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.tools import load_tools

ROOT = Path("/app")
EDIT = Proposal(
    id="1",
    kind="edit",
    tool="edit_lines",
    title="Edit",
    path="a.ts",
    old_text="1\n",
    new_text="2\n",
)
FILES = tuple(
    ProposedFile(path=path, kind="edit", old_text="1\n", new_text="2\n", is_chosen=path == "a.ts")
    for path in ("a.ts", "b.ts")
)
SET = Proposal(id="1", kind="changes", tool="rename_symbol", title="Rename", changed=FILES)


@pytest.fixture
def updates():
    return AcpUpdates(ROOT, load_tools())


def test_an_edit_that_its_diff_shows_has_no_words(updates):
    (diff,) = updates.asked(EDIT)
    assert (diff.path, diff.old_text, diff.new_text) == ("/app/a.ts", "1\n", "2\n")
    assert updates.words(EDIT) == ""


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"problems": ("syntax error in line 1: x",)}, "syntax error in line 1"),
        ({"reason": "The model had not read this file."}, "had not read"),
        ({"new_text": "2;\u200b\n"}, "[U+200B]"),
        ({"old_text": "1\u2028\n"}, "[U+2028]"),
        ({"kind": "command", "path": None, "command": "rm a.ts"}, "$ rm a.ts"),
        ({"kind": "commit", "path": None, "message": "Say so"}, "Say so"),
    ],
)
def test_what_a_diff_does_not_show_is_told_in_words(updates, fields, told):
    asked = EDIT.model_copy(update=fields)
    assert told in updates.words(asked)
    assert told in updates.asked(asked)[-1].content.text


def test_files_that_are_not_ticked_are_named_and_not_drawn(updates):
    *diffs, words = updates.asked(SET)
    assert [one.path for one in diffs] == ["/app/a.ts"]
    assert "b.ts" in words.content.text


def test_a_cell_is_drawn_as_a_part_of_its_notebook(updates):
    cell = EDIT.model_copy(update={"path": "n.ipynb", "part": "n.ipynb cell 3", "language": "py"})
    assert updates.asked(cell)[0].path == "/app/n.ipynb"


@pytest.mark.parametrize("is_sure", [True, False])
def test_an_answer_that_is_not_sure_says_so(updates, is_sure):
    told = list(updates.ended(Answer(question="q", text="Perhaps.", is_sure=is_sure)))
    assert [one.content.text.strip()[:8] for one in told] == ["Not sure"] * (not is_sure)
