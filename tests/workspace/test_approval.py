"""What an answer allows: little, and nothing that is denied."""

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.workspace.approval import Approvals, Asked, decided, refusal


def proposal():
    return Proposal(id="1", kind="edit", tool="edit_lines", title="It", pattern="src/*")


def test_never_is_never_also_for_what_was_allowed():
    approvals = Approvals(lambda _: Decision(action="apply", remember=True))
    approvals.decide(proposal(), "ask")
    assert approvals.decide(proposal(), "never").action == "reject"


def test_rejections_and_single_approvals_are_not_remembered():
    for decision in (
        Decision(action="apply"),
        Decision(action="reject", remember=True),
    ):
        approvals = Approvals(lambda _, decision=decision: decision)
        approvals.decide(proposal(), "ask")
        assert approvals.remembered == ()


@pytest.mark.parametrize("answer", [1, "yes", None, [True], object()])
def test_only_true_and_a_decision_apply(answer):
    assert decided(lambda _: answer, proposal()).action == "reject"


def test_true_false_and_nobody():
    assert decided(lambda _: True, proposal()) == Decision(action="apply")
    assert decided(lambda _: False, proposal()) == Decision(action="reject")
    assert decided(None, proposal()) == Decision(action="reject", by="nobody")


def test_a_refusal_names_the_option_or_the_words_of_python():
    asked = proposal()
    for decision, told in (
        (Decision(action="reject", by="nobody"), "in the settings"),
        (Decision(action="reject", by="nobody", allowed_by="--yes"), ": --yes allows it."),
    ):
        suggestion = refusal(asked, decision).suggestion
        assert told in suggestion


def test_allowed_command_lifts_no_denial_and_no_other_command(opened):
    opened.user.decision = Decision(action="apply", remember=True)
    run = opened.workspace.run
    run("echo one", tool="run_command", timeout_s=20)
    run("echo two", tool="run_command", timeout_s=20)
    assert [asked.command for asked in opened.user.asked] == ["echo one"]
    for other in ("echo three && true", "echo three > out", "echo $(ls)", "env echo three"):
        run(other, tool="run_command", timeout_s=20)
        assert opened.user.asked[-1].command == other
    (opened.root / "keep").mkdir()
    for denied in ("echo $(rm -rf keep)", "rm -rf keep", "echo x; sudo ls"):
        with pytest.raises(ToolError, match="Denied"):
            run(denied, tool="run_command", timeout_s=20)
    assert (opened.root / "keep").is_dir()


def test_allowing_one_tool_allows_no_other(opened):
    opened.user.decision = Decision(action="apply", remember=True)
    opened.workspace.run("echo one", tool="run_command", timeout_s=20)
    opened.workspace.run("echo one", tool="bash", timeout_s=20)
    assert [asked.tool for asked in opened.user.asked] == ["run_command", "bash"]


def test_who_asks_keeps_the_answers():
    asked = Asked(lambda _: True)
    assert asked(proposal()) == Decision(action="apply")
    assert asked.answers == [(proposal(), Decision(action="apply"))]
