"""The stored form of a decision."""

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.check import CheckReport
from ipuaro_jupyter.sessions.decision_log import log_entry, read_log


def test_what_was_checked_is_kept_without_the_middle_of_its_text():
    report = CheckReport(verdict="passed", lines=("types: no errors",))
    checked = Decision(action="check", text="x" * 100_000, hunks=(2,))
    asked = Proposal(id="1", kind="edit", tool="t", title="t", checked=report, checked_as=checked)
    raw = log_entry(asked, Decision(action="apply"))
    (logged,) = read_log([raw])
    assert logged.proposal.checked_as.hunks == (2,)
    assert "80000 characters left out" in logged.proposal.checked_as.text
    assert len(raw) < 30_000
