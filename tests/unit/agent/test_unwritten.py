"""What was decided to be applied, and could not be written, is never told as applied."""

import json

import pytest

from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.events import ProposalDecided
from ipuaro_jupyter.views import proposal as view

ARGUMENTS = {"path": "a.txt", "start": 1, "end": 1, "content": "ONE"}


def call(name, arguments):
    body = json.dumps({"name": name, "arguments": arguments})
    return f"<tool_call>{body}</tool_call>"


@pytest.fixture
def root(tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    return tmp_path


@pytest.fixture
def changed_meanwhile(open_assistant, root):
    """An assistant whose user applies an edit of a file that somebody else has just changed."""
    replies = [call("get_lines", {"path": "a.txt"}), call("edit_lines", ARGUMENTS), "Done."]
    assistant = open_assistant(root, replies)

    def apply(_proposal):
        (root / "a.txt").write_text("other\n")
        return Decision(action="apply")

    assistant.confirm = apply
    return assistant


def test_a_turn_tells_that_it_was_not_applied_and_why(changed_meanwhile):
    *events, finished = changed_meanwhile.stream("Change it")
    (decided,) = (one for one in events if isinstance(one, ProposalDecided))
    drawn = view.text(decided.proposal, decided.decision)
    assert drawn.startswith("\u2717 Not applied: Edit line 1 of a.txt \u2013 ")
    edit = finished.answer.tool_calls[-1]
    assert edit.decided == ()
    assert decided.decision.failed == edit.result.error.message


def test_the_result_names_the_proposal_that_was_not_written(changed_meanwhile):
    error = changed_meanwhile.call("edit_lines", ARGUMENTS).error
    assert error.type == "conflict"
    assert error.unwritten
    assert "unwritten" not in error.to_dict()


def test_a_rejection_is_no_failed_write(open_assistant, root):
    assistant = open_assistant(root, [])
    assistant.confirm = lambda _: False
    assert assistant.call("edit_lines", ARGUMENTS).error.unwritten == ""
