"""Questions on a terminal about what has been checked."""

import io

import pytest

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.check import CheckReport
from ipuaro_jupyter.records.events import ProposalDecided
from ipuaro_jupyter.terminal_turn import TerminalView, decide_in_terminal

OLD = "".join(f"{number}\n" for number in range(30))
NEW = OLD.replace("3\n", "three\n", 1).replace("25\n", "")
CHECKED = {
    "check": ("tsc",),
    "checked": CheckReport(verdict="passed", lines=("types: no errors",)),
    "checked_as": Decision(action="check"),
}
EDIT = Proposal(
    id="1",
    kind="edit",
    tool="t",
    title="Edit a",
    path="a",
    old_text=OLD,
    new_text=NEW,
    editable=True,
    **CHECKED,
)
FILE = {"path": "a", "kind": "edit", "old_text": OLD, "new_text": NEW}
SET = Proposal(id="1", kind="changes", tool="t", title="Edit files", changed=(FILE,), **CHECKED)
NOTE = "That was the check of another choice or text."


@pytest.mark.parametrize(
    ("asked", "typed", "is_noted"),
    [
        (EDIT, "2", True),
        (EDIT, "1 2", False),
        (EDIT, "y", False),
        (EDIT, "no", False),
        (SET, "1.2", True),
        (SET, "1", False),
        (SET, "y", False),
    ],
)
def test_a_choice_that_was_not_checked_is_noted(monkeypatch, capsys, asked, typed, is_noted):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{typed}\n"))
    assert decide_in_terminal(asked).action == ("reject" if typed == "no" else "apply")
    assert (NOTE in capsys.readouterr().out) is is_noted


@pytest.mark.parametrize("by", ["setting", "user"])
def test_what_a_setting_applied_is_told_with_the_verdict_of_the_check(capsys, by):
    decision = Decision(action="apply", by=by, reason="checked: types: no errors")
    TerminalView().show(ProposalDecided(proposal=EDIT, decision=decision))
    told = "\u2713 Applied by the settings: Edit a (checked: types: no errors)\n"
    assert capsys.readouterr().out == (told if by == "setting" else "")
