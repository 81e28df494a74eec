"""What an answer allows: little, and nothing that is denied."""

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.workspace.approval import (
    Approvals,
    RecordedConfirm,
    decided,
    path_pattern,
    refusal,
)


def proposal():
    return Proposal(id="1", kind="edit", tool="edit_lines", title="It", pattern="src/*")


def test_never_is_never_also_for_what_was_allowed():
    approvals = Approvals(lambda _: Decision(action="apply", remember=True))
    approvals.ask(proposal())
    assert approvals.unasked(proposal(), "never").action == "reject"


def test_rejections_and_single_approvals_are_not_remembered():
    for decision in (
        Decision(action="apply"),
        Decision(action="reject", remember=True),
    ):
        approvals = Approvals(lambda _, decision=decision: decision)
        approvals.ask(proposal())
        assert approvals.remembered == ()


@pytest.mark.parametrize("answer", [1, "yes", None, [True], object()])
def test_only_true_and_a_decision_apply(answer):
    assert decided(lambda _: answer, proposal()).action == "reject"


def test_a_decision_is_taken_as_it_is():
    given = Decision(action="reject", reason="not now")
    assert decided(lambda _: given, proposal()) is given


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


def test_a_refused_command_is_not_promised_by_what_allows_edits():
    asked = Proposal(id="1", kind="command", tool="run_command", title="It")
    suggestion = refusal(asked, Decision(action="reject", by="nobody")).suggestion
    assert '"approve": "all"' in suggestion
    assert "auto-apply" not in suggestion


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
    questions = []
    asked = RecordedConfirm(lambda question: questions.append(question) is None)
    assert asked(proposal()) == Decision(action="apply")
    assert asked.answers == [(proposal(), Decision(action="apply"))]
    assert questions == [proposal()]


def of_kind(kind, path=None, *, pattern="src/*", tool="a_tool"):
    return Proposal(id="1", kind=kind, tool=tool, title="It", path=path, pattern=pattern)


def asked_about(question, approve, approvals=None):
    """Return whether the user has to be asked."""
    known = approvals or Approvals(lambda _: Decision(action="reject"))
    decision = known.unasked(question, approve)
    assert decision is None or decision.action == "apply"
    return decision is None


@pytest.mark.parametrize("kind", ["edit", "create", "delete"])
@pytest.mark.parametrize("path", [".ipuaro.json", "sub/.ipuaro.json", "sub/.IPUARO.json"])
def test_the_settings_are_never_edited_unasked(kind, path):
    for approve in ("ask", "edits", "all"):
        assert asked_about(of_kind(kind, path), approve)
    assert not asked_about(of_kind(kind, f"{path}/a.ts"), "edits")
    always = Approvals(lambda _: Decision(action="apply", remember=True))
    always.ask(of_kind(kind, path))
    assert always.remembered == ()
    assert path_pattern(path) is None


@pytest.mark.parametrize(
    ("kind", "unasked"),
    [
        ("edit", {"edits", "all"}),
        ("create", {"edits", "all"}),
        ("delete", {"edits", "all"}),
        ("command", {"all"}),
        ("commit", {"all"}),
    ],
)
def test_each_setting_lets_through_its_own_kinds_only(kind, unasked):
    for approve in ("ask", "edits", "all"):
        assert asked_about(of_kind(kind, "a.ts"), approve) is (approve not in unasked)


def test_what_was_allowed_is_allowed_for_its_pattern_only():
    allowed = Approvals(lambda _: Decision(action="apply", remember=True))
    allowed.ask(of_kind("edit", "src/a.ts"))
    allowed.ask(of_kind("command", pattern=None))
    assert [(known.tool, known.pattern) for known in allowed.remembered] == [("a_tool", "src/*")]
    assert not asked_about(of_kind("edit", "src/b.ts"), "ask", allowed)
    assert asked_about(of_kind("edit", "b.ts", pattern="*"), "ask", allowed)
    assert asked_about(of_kind("edit", "src/b.ts", tool="other"), "ask", allowed)
    assert asked_about(of_kind("edit", "src/b.ts", pattern=None), "ask", allowed)


@pytest.mark.parametrize(
    ("which", "left"),
    [
        ({}, []),
        ({"tool": "one"}, [("two", "a/*"), ("two", "b/*")]),
        ({"pattern": "a/*"}, [("one", "b/*"), ("two", "b/*")]),
        ({"tool": "one", "pattern": "a/*"}, [("one", "b/*"), ("two", "a/*"), ("two", "b/*")]),
        ({"tool": "three"}, [("one", "a/*"), ("one", "b/*"), ("two", "a/*"), ("two", "b/*")]),
    ],
)
def test_what_is_revoked_is_asked_about_again(which, left):
    approvals = Approvals(lambda _: Decision(action="apply", remember=True))
    for tool in ("one", "two"):
        for pattern in ("a/*", "b/*"):
            approvals.ask(of_kind("edit", "x", tool=tool, pattern=pattern))
    assert approvals.revoke(**which) == 4 - len(left)
    assert [(known.tool, known.pattern) for known in approvals.remembered] == left


@pytest.mark.parametrize(
    ("path", "folder"),
    [("a.ts", "the project's root folder"), ("src/a.ts", "src/"), ("src/deep/a.ts", "src/deep/")],
)
def test_the_pattern_of_edits_says_in_words_that_it_covers_one_folder_only(path, folder):
    assert path_pattern(path) == f"on files directly in {folder}"


def test_a_refusal_names_the_problems_in_running_text():
    broken = proposal().model_copy(update={"problems": ("line 3: bad.", "line 5: worse")})
    by_user = refusal(broken, Decision(action="reject", reason="no"))
    assert by_user.message == (
        "Not done: It. The user rejected it: no\n"
        "The question named problems: line 3: bad; line 5: worse."
    )
    nobody = refusal(broken, Decision(action="reject", by="nobody"))
    assert nobody.message.endswith("this speaks against it: line 3: bad; line 5: worse.")


@pytest.mark.parametrize("by_user", [True, False])
@pytest.mark.parametrize("approve", ["ask", "checked", "edits", "all"])
def test_an_edit_with_problems_asks_in_every_mode_whoever_wrote_it(approve, by_user):
    approvals = Approvals(lambda _: Decision(action="apply", remember=True))
    approvals.ask(proposal())
    broken = proposal().model_copy(update={"problems": ("syntax error in line 3",)})
    assert approvals.unasked(broken, approve, by_user=by_user) is None


def test_no_setting_answers_where_it_is_not_certain_what_a_command_starts():
    asked = Proposal(id="1", kind="command", tool="bash", title="Run x", doubt="x is unknown")
    approvals = Approvals(lambda _: Decision(action="reject"))
    assert approvals.unasked(asked, "all") is None
    assert approvals.unasked(asked, "all", by_user=True).action == "apply"
    assert approvals.unasked(asked.model_copy(update={"doubt": ""}), "all").action == "apply"
    refused = refusal(asked, Decision(action="reject", by="nobody"))
    assert "no setting allows it" in refused.message
    assert "x is unknown" in refused.message


def test_all_lets_certain_commands_run_and_rejects_others_where_nobody_can_answer(
    open_workspace, tmp_path
):
    opened = open_workspace(tmp_path, approve="all")
    opened.user.decision = Decision(action="reject", by="nobody")
    (tmp_path / "d").mkdir()
    assert opened.workspace.run("echo a | wc -l; ls d", tool="bash", timeout_s=20).exit_code == 0
    with pytest.raises(ToolError, match="changed variable"):
        opened.workspace.run("x=Xrm; ${x#X} -r d", tool="bash", timeout_s=20)
    assert (tmp_path / "d").is_dir()
    (proposal,) = opened.user.asked
    assert proposal.doubt
