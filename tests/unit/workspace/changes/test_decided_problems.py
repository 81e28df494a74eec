"""What speaks against what a decision writes, which may not be what was proposed."""

import pytest

from ipuaro_jupyter.records.change import ChosenFile, Decision, Proposal, ProposedFile
from ipuaro_jupyter.workspace.changes.decided_problems import as_decided_on, decided_problems

SAME = "same = 1\n" * 20
OLD = f"a = 1\n{SAME}b = 2\n"
OPEN = "syntax error in line 1: '(' was never closed"
EDIT = Proposal(
    id="1",
    kind="edit",
    tool="edit_lines",
    title="Edit a.py",
    path="a.py",
    old_text=OLD,
    new_text=f"a = (\n{SAME}b = 3\n",
    editable=True,
    problems=("it is late", OPEN),
    text_problems=(OPEN,),
)
SET = Proposal(
    id="2",
    kind="changes",
    tool="propose_changes",
    title="Change 2 files",
    changed=(
        ProposedFile(path="a.py", kind="edit", old_text="a = 1\n", new_text="a = (\n"),
        ProposedFile(path="b.py", kind="create", old_text=None, new_text="b = 1\n"),
    ),
    problems=(f"a.py: {OPEN}",),
    text_problems=(f"a.py: {OPEN}",),
)


@pytest.mark.parametrize(
    ("decision", "problems"),
    [
        (Decision(action="apply"), [OPEN]),
        (Decision(action="apply", hunks=(1,)), [OPEN]),
        (Decision(action="apply", hunks=(2,)), []),
        (Decision(action="apply", text=OLD.replace("2", "3")), []),
        (
            Decision(action="apply", text=OLD.replace("b = 2", "b = [")),
            ["syntax error in line 22: '[' was never closed"],
        ),
    ],
)
def test_the_problems_are_those_of_the_text_that_is_written(decision, problems):
    assert decided_problems(EDIT, decision) == ("it is late", *problems)
    decided = as_decided_on(EDIT, decision)
    assert decided.problems == ("it is late", *problems)
    assert decided.text_problems == tuple(problems)


@pytest.mark.parametrize(("number", "count"), [(1, 1), (2, 0)])
def test_those_of_a_set_are_those_of_the_chosen_files(number, count):
    decision = Decision(action="apply", chosen=(ChosenFile(number=number),))
    assert len(decided_problems(SET, decision)) == count
    assert as_decided_on(SET, decision).problems == SET.problems[:count]


@pytest.mark.parametrize(
    ("question", "decision"),
    [
        (EDIT, Decision(action="reject", hunks=(2,))),
        (EDIT, Decision(action="apply")),
        (
            EDIT.model_copy(update={"kind": "commit", "message": "a"}),
            Decision(action="apply", text="b"),
        ),
    ],
)
def test_another_question_stays_as_it_is(question, decision):
    assert as_decided_on(question, decision) is question


def test_a_question_about_no_file_keeps_its_problems():
    question = Proposal(id="3", kind="command", tool="run_command", title="Run", problems=("no",))
    assert decided_problems(question, Decision(action="apply")) == ("no",)
