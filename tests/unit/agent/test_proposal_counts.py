"""The last line of an answer counts what became of the proposals, whatever the model says."""

import pytest

from ipuaro_jupyter import Decision, ScriptedModel
from ipuaro_jupyter.records.chat import ProposalCounts
from ipuaro_jupyter.sessions.ipynb import read_notebook
from ipuaro_jupyter.sessions.recording import answer_of
from ipuaro_jupyter.views import answer as answer_view

FILES = {"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n"}


def call(name, /, **parameters):
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in parameters.items())
    return f'<tool_call name="{name}">\n{tags}</tool_call>\n'


def edit(start, end, content):
    return call("edit_lines", path="a.txt", start=start, end=end, content=content)


READ = call("get_lines", path="a.txt")
CLAIM = "I have changed both lines and deleted the file."


@pytest.fixture
def talk(make_project, open_assistant):
    """Return a function that sends one message, and gives the answer and the assistant."""

    def ask(*replies, decide=lambda _: True, **options):
        model = ScriptedModel([*replies, CLAIM])
        assistant = open_assistant(make_project(FILES), model, confirm=decide, **options)
        return assistant.ask("Change it"), assistant

    return ask


def counts(answer):
    return answer.proposals.applied, answer.proposals.rejected, answer.proposals.failed


def test_what_was_applied_rejected_and_failed_is_in_the_last_line(talk):
    decisions = iter([True, False, True])
    calls = edit(1, 1, "ONE\n1.1") + call("delete_file", path="b.txt") + edit(1, 1, "overlaps")
    answer, _ = talk(READ, calls + edit(3, 3, "THREE"), decide=lambda _: next(decisions))
    assert answer.text == CLAIM
    told = "2 applied, 1 rejected, 1 failed"
    assert str(answer.proposals) == told
    assert answer_view.ending(answer).split(" \u00b7 ")[2] == told
    assert told in answer_view.text(answer)
    assert told in answer_view.html(answer)


def test_they_survive_the_session_its_export_and_a_new_kernel(talk, open_assistant, tmp_path):
    decisions = iter([True, False])
    calls = edit(1, 1, "ONE") + edit(2, 2, "TWO") + edit(9, 9, "NINE")
    answer, assistant = talk(READ, calls, decide=lambda _: next(decisions))
    assert counts(answer) == (1, 1, 1)
    exported = assistant.export(tmp_path / "talk.ipynb")
    (turn,) = read_notebook(exported).turns()
    assert counts(answer_of(turn)) == (1, 1, 1)
    assert "1 applied, 1 rejected, 1 failed" in exported.read_text()
    root = assistant.root
    assistant.close()
    (shown,) = open_assistant(root, []).transcript().turns
    assert counts(shown) == (1, 1, 1)


@pytest.mark.parametrize(
    ("calls", "decision", "expected"),
    [
        (READ, True, (0, 0, 0)),
        (call("get_lines", path="nowhere.txt"), True, (0, 0, 0)),
        (edit(1, 1, "one"), True, (0, 0, 1)),
        (call("str_replace", path="a.txt"), True, (0, 0, 1)),
        (call("make_coffee", path="a.txt"), True, (0, 0, 0)),
        (edit(1, 1, "1"), None, (0, 1, 0)),
        (edit(1, 1, "1"), Decision(action="apply", hunks=()), (0, 1, 0)),
        (edit(1, 1, "1"), Decision(action="apply", text="mine\n"), (1, 0, 0)),
        (call("create_file", path="c.txt", content="c"), True, (1, 0, 0)),
        (call("run_command", command="git --version"), True, (0, 0, 0)),
        (call("run_command", command="rm -rf /"), True, (0, 0, 1)),
        (call("run_command", command="echo hi"), True, (1, 0, 0)),
    ],
)
def test_reading_is_not_counted_and_each_proposal_is_once(talk, calls, decision, expected):
    def decide(_):
        return decision

    answer, _ = talk(READ, calls, decide=None if decision is None else decide)
    assert counts(answer) == expected
    told = "applied" in answer_view.ending(answer)
    assert told == any(expected)


def test_where_nobody_looks_what_was_refused_counts_as_failed(talk):
    answer, _ = talk(edit(1, 1, "1"), READ, edit(1, 1, "1"), decide=None, auto_apply=True)
    assert counts(answer) == (1, 0, 1)


def test_a_write_that_failed_is_not_applied(make_project, open_assistant):
    root = make_project(FILES)

    def change_meanwhile(_):
        (root / "a.txt").write_text("other\n")
        return True

    replies = [READ, edit(1, 1, "1"), CLAIM]
    answer = open_assistant(root, replies, confirm=change_meanwhile).ask("Change it")
    assert counts(answer) == (0, 0, 1)


def test_older_recordings_count_what_their_decisions_tell():
    applied, rejected = Decision(action="apply"), Decision(action="reject")
    of = ProposalCounts.of
    assert of([applied], error=None, changes=False) == ProposalCounts(applied=1)
    assert of([rejected], error="cancelled", changes=False) == ProposalCounts(rejected=1)
    assert of([applied], error="file", changes=False) == ProposalCounts(failed=1)
    assert of([], error="file", changes=False) == ProposalCounts()
