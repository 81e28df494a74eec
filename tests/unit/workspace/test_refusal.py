"""What the model is told of a rejection after the user has edited the text."""

import pytest

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.workspace.approval import refusal
from ipuaro_jupyter.workspace.changes.change_proposal import typed_lines

EDIT = Proposal(
    id="1",
    kind="edit",
    tool="edit_lines",
    title="Edit line 2 of a.ts",
    path="a.ts",
    old_text="1\n2\n3\n",
    new_text="1\ntwo\n3\n",
    editable=True,
)
COMMIT = Proposal(id="1", kind="commit", tool="git_commit", title="Commit 1 file", message="Mend.")


def told(proposal, text, **decided):
    decision = Decision(action="reject", reason="no", text=text, **decided)
    typed = text if proposal.kind == "commit" else typed_lines(proposal, decision)
    return refusal(proposal, decision, typed=typed)


def test_nothing_typed_is_told_as_nothing():
    assert "changed your text" not in told(EDIT, None).suggestion


def test_the_lines_that_the_user_typed_follow():
    error = told(EDIT, "1\nzwei\n3\n")
    assert error.rejected
    assert error.message == "Not done: Edit line 2 of a.ts. The user rejected it: no"
    assert error.suggestion.endswith("which was not written either:\nzwei")


@pytest.mark.parametrize("text", ["1\n3\n", ""])
def test_a_text_that_was_taken_out_is_named(text):
    assert told(EDIT, text).suggestion.endswith("the user had taken out all of your text.")


def test_a_new_file_and_a_message_are_told_whole():
    new = EDIT.model_copy(update={"kind": "create", "old_text": None})
    assert told(new, "a\nb\n").suggestion.endswith(":\na\nb")
    assert told(COMMIT, "Mend it.\n").suggestion.endswith(":\nMend it.")


def test_a_long_text_is_told_by_its_ends():
    error = told(COMMIT, "".join(f"line {number}\n" for number in range(2000)))
    assert "line 0\n" in error.suggestion
    assert "line 1999" in error.suggestion
    assert len(error.suggestion) < 5000


def test_where_nobody_answered_the_typed_text_is_told_too():
    error = told(EDIT, "1\nzwei\n3\n", by="nobody")
    assert not error.rejected
    assert "Only the user can" in error.suggestion
    assert error.suggestion.endswith("\nzwei")


def test_an_error_without_advice_gets_the_text_alone():
    error = told(EDIT, "1\nzwei\n3\n", by="setting")
    assert error.suggestion.startswith("Before that")
