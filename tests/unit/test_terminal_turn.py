"""Questions on a terminal about what has been checked."""

import io

import pytest

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.check import CheckReport
from ipuaro_jupyter.records.events import Noticed, ProposalDecided, TroubleDecided
from ipuaro_jupyter.records.trouble import Remedy, Trouble
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


def test_a_turn_says_a_notice_once_also_after_a_question_about_it(capsys):
    view = TerminalView()
    asked = Trouble(kind="model", message="No server. Install one.", options=("retry", "abort"))
    view.show(TroubleDecided(trouble=asked, remedy=Remedy(action="abort")))
    for text in ("No server.", "The file is long.", "The file is long."):
        view.show(Noticed(text=text, level="warning"))
    assert capsys.readouterr().out == "Warning: The file is long.\n"


FAR = "".join(f"run({number});\n" for number in range(30))
HALVES = Proposal(
    id="1",
    kind="edit",
    tool="t",
    title="Edit a.js",
    path="a.js",
    old_text=FAR,
    new_text=FAR.replace("run(2);\n", "if (a) {\n", 1).replace("run(25);\n", "}\n"),
    editable=True,
)
HALF = {"path": "a.js", "kind": "edit", "old_text": FAR, "new_text": HALVES.new_text}


HALF_SET = Proposal(id="1", kind="changes", tool="t", title="Edit", changed=(HALF,))


@pytest.mark.parametrize(("asked", "choice"), [(HALVES, "1"), (HALF_SET, "1.1")])
@pytest.mark.parametrize("typed", ["y", "n", "both"])
def test_a_choice_with_problems_of_its_own_is_asked_about_again(
    monkeypatch, capsys, asked, choice, typed
):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{choice}\n{typed}\n"))
    said = decide_in_terminal(asked)
    decided = {"y": ("apply", ""), "n": ("reject", ""), "both": ("reject", "both")}[typed]
    assert (said.action, said.reason) == decided
    told = capsys.readouterr().out.partition("Of your choice:\n")[2]
    assert told.startswith("! ")
    assert "syntax error" in told


def test_a_choice_with_problems_is_rejected_when_the_terminal_is_closed(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    assert decide_in_terminal(HALVES).by == "nobody"


def test_a_choice_without_problems_is_not_asked_about_again(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("1 2\n"))
    assert decide_in_terminal(HALVES).action == "apply"
    assert "Of your choice" not in capsys.readouterr().out
