"""A proposal is checked before it is asked about, where that is wanted."""

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.records.check import CheckReport
from ipuaro_jupyter.workspace.approval import Approvals, refusal
from ipuaro_jupyter.workspace.checked_decisions import CheckedDecisions, ProposalChecks

EDIT = Proposal(id="1", kind="edit", tool="t", title="Edit a.ts", path="a.ts", pattern="*")
CHANGE = Change(path="a.ts", before=b"1", after=b"2")
PASSED = CheckReport(verdict="passed", lines=("types: no errors",))
FAILED = CheckReport(verdict="failed", lines=("types: 1 new error", "a.ts:1: no (TS1)"))
UNKNOWN = CheckReport(verdict="unknown", lines=("Nothing is known.",))
CHECK, APPLY = Decision(action="check"), Decision(action="apply")
REJECT = Decision(action="reject")


class Asking:
    """Decides by script; remembers what it was asked, and with what context checks ran."""

    def __init__(self, *decisions, reports=(), before="ask"):
        self.asked, self.contexts, self.made, self.told = [], [], [], []
        self._decisions, self._reports = iter(decisions), iter(reports)
        self.commands = lambda _decision: ("tsc",)
        checks = ProposalChecks(before, commands=lambda _: self.commands(self._as), run=self._run)
        approvals = Approvals(self._confirm)
        self.decisions = CheckedDecisions(
            approvals, checks, context=lambda: None, decided=lambda *one: self.told.append(one)
        )

    def _confirm(self, proposal):
        self.asked.append(proposal)
        return next(self._decisions)

    def _run(self, changes, context):
        self.made.append(changes)
        self.contexts.append(context)
        return next(self._reports)

    def decide(self, proposal=EDIT, approve="ask", **options):
        options = {"by_user": False, "made": self._made, **options}
        return self.decisions.decide(proposal, approve, **options)

    def _made(self, decision):
        if decision.text == "":
            raise ToolError("cancelled", "The user left it as it is.")
        self._as = decision
        return (CHANGE,)


@pytest.fixture(autouse=True)
def agreed(monkeypatch):
    """See in place of a context whether the user has agreed."""
    monkeypatch.setattr("ipuaro_jupyter.workspace.checked_decisions.agreed", lambda _: "agreed")


def test_without_a_wish_nothing_is_checked_and_the_question_says_what_a_check_runs():
    asking = Asking(APPLY)
    proposal, decision = asking.decide()
    assert decision == APPLY
    assert asking.asked == [proposal]
    assert proposal.check == ("tsc",)
    assert asking.made == []


def test_a_check_that_the_user_wants_is_agreed_to_and_the_question_comes_again():
    asking = Asking(CHECK, REJECT, reports=[FAILED])
    proposal, decision = asking.decide()
    assert decision == REJECT
    assert [one.checked for one in asking.asked] == [None, FAILED]
    assert [one.checked_as for one in asking.asked] == [None, CHECK]
    assert proposal.checked == FAILED
    assert asking.contexts == ["agreed"]
    assert {one.id for one in asking.asked} == {"1"}
    assert asking.told == [(proposal, decision)]


def test_who_wants_checks_for_ever_is_rejected():
    asking = Asking(*[CHECK] * 99, reports=[PASSED] * 99)
    _, decision = asking.decide()
    assert decision.action == "reject"
    assert "not decided" in decision.reason
    assert len(asking.asked) == 10


def test_always_checks_before_the_question_without_agreement():
    asking = Asking(APPLY, reports=[UNKNOWN], before="always")
    assert asking.decide()[1] == APPLY
    assert asking.asked[0].checked == UNKNOWN
    assert asking.asked[0].checked_as == APPLY
    assert asking.contexts == [None]


def test_checked_applies_what_passes():
    asking = Asking(reports=[PASSED])
    proposal, decision = asking.decide(approve="checked")
    assert decision == Decision(action="apply", by="setting", reason="checked: types: no errors")
    assert proposal.checked == PASSED
    assert asking.asked == []


@pytest.mark.parametrize("report", [FAILED, UNKNOWN])
def test_checked_asks_about_all_else(report):
    asking = Asking(REJECT, reports=[report])
    assert asking.decide(approve="checked")[1] == REJECT
    assert asking.asked[0].checked == report


def test_checked_never_applies_syntax_errors_or_what_somebody_has_to_look_at():
    broken = EDIT.model_copy(update={"problems": ("syntax error in line 1",)})
    asking = Asking(REJECT, REJECT)
    assert asking.decide(broken, approve="checked", by_user=True)[1] == REJECT
    assert asking.decide(approve="checked", passes=False)[1] == REJECT
    assert asking.made == []


@pytest.mark.parametrize("before", ["never", "always"])
@pytest.mark.parametrize("kind", ["command", "commit", "edit"])
def test_what_cannot_be_checked_is_asked_about(before, kind):
    asking = Asking(REJECT, CHECK, before=before)
    path = ".ipuaro.json" if before == "always" else "a.ts"
    question = EDIT.model_copy(update={"kind": kind, "path": path})
    assert asking.decide(question, approve="checked")[1] == REJECT
    assert asking.asked[0].check == ()
    _, decision = asking.decide(question)
    assert decision.action == "reject"
    assert "no check" in decision.reason
    assert asking.made == []


@pytest.mark.parametrize(("approve", "action"), [("edits", "apply"), ("never", "reject")])
def test_what_a_setting_decides_is_not_checked(approve, action):
    asking = Asking(before="always")
    assert asking.decide(approve=approve)[1].action == action
    assert asking.made == []


def test_a_choice_that_cannot_be_made_is_no_check():
    edit = EDIT.model_copy(update={"old_text": "1\n", "new_text": "2\n", "editable": True})
    asking = Asking(Decision(action="check", hunks=(9,)), Decision(action="check", text=""), REJECT)
    asking.decide(edit)
    for question, said in zip(asking.asked[1:], ("there are not: (9,)", "left it"), strict=True):
        assert question.checked.verdict == "unknown"
        assert said in question.checked.lines[0]


def test_a_set_of_which_nothing_is_ticked_is_asked_about():
    def nothing(_decision):
        raise ToolError("cancelled", "Nothing is chosen.")

    asking = Asking(REJECT, REJECT)
    assert asking.decide(made=nothing)[1] == REJECT
    assert asking.decide(approve="checked", made=nothing)[1] == REJECT
    assert [one.check for one in asking.asked] == [(), ()]


def test_a_cancelled_check_leaves_the_verdict_of_the_one_before():
    cancelled = CheckReport(verdict="unknown", lines=("cancelled",), is_final=False)
    some = Decision(action="check", hunks=(1,))
    edit = EDIT.model_copy(update={"old_text": "1\n", "new_text": "2\n", "editable": True})
    asking = Asking(CHECK, CHECK, some, REJECT, reports=[cancelled, FAILED, cancelled])
    asking.decide(edit)
    assert [one.checked for one in asking.asked] == [None, cancelled, FAILED, FAILED]
    assert asking.asked[-1].checked_as == CHECK


@pytest.mark.parametrize("by", ["user", "nobody"])
def test_the_model_is_told_what_failed(by):
    decision = Decision(action="reject", by=by)
    told = str(refusal(EDIT.model_copy(update={"checked": FAILED}), decision))
    found = "A check has found:\ntypes: 1 new error\na.ts:1: no (TS1)"
    expected = {
        "user": f"Not done: Edit a.ts. The user rejected it.\n{found}",
        "nobody": f"Not done: Edit a.ts. {found}\n"
        "It needs the user's approval, and there is nobody to ask.",
    }
    assert told == expected[by]
    assert "check" not in str(refusal(EDIT.model_copy(update={"checked": PASSED}), decision))


def test_what_was_not_shown_does_not_run():
    """Another choice or text may need other commands: they are shown before they run."""
    wanted = Decision(action="check", text="2\n")
    edit = EDIT.model_copy(update={"old_text": "1\n", "new_text": "3\n", "editable": True})
    asking = Asking(wanted, wanted, CHECK, REJECT, reports=[PASSED] * 2)
    asking.commands = lambda decision: ("tsc", "npm test") if decision.text else ("tsc",)
    asking.decide(edit)
    first, second, third, fourth = asking.asked
    assert (first.check, first.checked) == (("tsc",), None)
    assert second.check == ("tsc", "npm test")
    assert second.checked.verdict == "unknown"
    assert second.checked.lines[0].startswith("Nothing has run yet")
    assert second.checked.lines[1:] == ("$ tsc", "$ npm test")
    assert third.checked == fourth.checked == PASSED
    assert len(asking.made) == 2
