import re

import pytest

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.check import CheckReport
from ipuaro_jupyter.views import proposal as view
from ipuaro_jupyter.views.decided import choices, chosen_text, decided_line, is_as_checked

EDIT = Proposal(
    id="1",
    kind="edit",
    tool="edit_lines",
    title="Edit line 1 of a.ts",
    path="a.ts",
    old_text="1\n",
    new_text="2\n",
)
COMMAND = Proposal(
    id="2",
    kind="command",
    tool="run_command",
    title="Run a command",
    command="npm install <x>",
    reason="It installs packages.",
)
COMMIT = Proposal(
    id="3",
    kind="commit",
    tool="git_commit",
    title="Commit 1 file",
    message="Fix it",
    files=("a.ts",),
)
CALL = Proposal(
    id="4",
    kind="mcp",
    tool="mcp__shop__buy",
    title="Call buy of the MCP server 'shop'",
    message='{\n  "what": "<milk>"\n}',
    reason="It is not marked as read-only.",
)


def test_an_edit_is_shown_as_its_diff():
    assert "<del" in view.detail_html(EDIT)
    assert "-1\n+2" in view.detail_text(EDIT)


def test_a_command_is_shown_with_the_reason_for_asking():
    html = view.detail_html(COMMAND)
    assert "It installs packages." in html
    assert "$ npm install &lt;x&gt;" in html
    assert "$ npm install <x>" in view.detail_text(COMMAND)


def test_a_commit_is_shown_with_message_and_files():
    html = view.detail_html(COMMIT)
    assert "Fix it" in html
    assert "<code>a.ts</code>" in html


def test_a_call_of_another_server_is_shown_with_its_arguments():
    assert view.detail_text(CALL) == (
        "Call buy of the MCP server 'shop'\nIt is not marked as read-only.\n"
        '{\n  "what": "<milk>"\n}'
    )
    html = view.detail_html(CALL)
    assert "It is not marked as read-only." in html
    assert "&quot;what&quot;</span>: " in html
    assert "&quot;&lt;milk&gt;&quot;" in html
    assert view.as_diff(CALL) is None


def test_the_record_says_what_was_decided_and_why():
    rejected = Decision(action="reject", reason="too risky")
    assert view.text(COMMAND, rejected) == "\u2013 Rejected: Run a command (too risky)"
    applied = Decision(action="apply", by="setting")
    assert view.text(EDIT, applied) == "\u2713 Applied by the settings: Edit line 1 of a.ts"


def test_the_record_opens_to_what_was_written_after_an_edit():
    html = view.html(EDIT, Decision(action="apply", text="3\n"))
    assert "Applied after editing" in html
    assert '<span class="ipuaro-m">3</span></ins>' in html


def test_the_record_keeps_the_problems_that_were_shown():
    broken = EDIT.model_copy(update={"problems": ("syntax error in line 1: a", "b", "c")})
    line = decided_line(broken, Decision(action="apply"))
    assert line == (
        "Applied: Edit line 1 of a.ts \u2013 despite the problem: "
        "syntax error in line 1: a, and 2 more problems"
    )
    assert "despite" not in decided_line(broken, Decision(action="reject"))


def test_nobody_to_ask_is_said():
    record = view.html(EDIT, Decision(action="reject", by="nobody", reason="nobody to ask"))
    assert "Rejected: Edit line 1 of a.ts (nobody to ask)" in record


OLD = "".join(f"{number}\n" for number in range(30))
TWO = EDIT.model_copy(
    update={
        "editable": True,
        "old_text": OLD,
        "new_text": OLD.replace("3\n", "three\n", 1).replace("25\n", ""),
    }
)


def test_the_record_of_a_choice_opens_to_what_was_written():
    some = Decision(action="apply", hunks=(2,))
    assert view.text(TWO, some) == "\u2713 Applied 1 of 2 changes: Edit line 1 of a.ts"
    html = view.html(TWO, some)
    assert "three" not in html
    assert html.count("<del") == 1
    assert html.count("<ins") == 0


PASSED = CheckReport(verdict="passed", lines=("types: no errors",))
ALL, SOME = Decision(action="apply"), Decision(action="apply", hunks=(2,))
TYPED = Decision(action="apply", text="typed\n")
CHECKED = TWO.model_copy(update={"checked": PASSED, "checked_as": Decision(action="check")})


@pytest.mark.parametrize("decision", [SOME, TYPED])
def test_the_record_says_that_something_else_was_checked(decision):
    html = view.html(CHECKED, decision)
    assert "That was the check of another choice or text." in html
    assert "ipuaro-good" not in html.partition("ipuaro-checked")[2].partition("types")[0]
    assert decided_line(CHECKED, decision).endswith(", not as it was checked: Edit line 1 of a.ts")


def test_the_record_of_what_was_checked_says_nothing_of_it():
    for decision in (ALL, Decision(action="apply", hunks=(1, 2)), Decision(action="reject")):
        assert "another choice" not in view.html(CHECKED, decision)
        assert "as it was checked" not in decided_line(CHECKED, decision)
    part = CHECKED.model_copy(update={"checked_as": SOME})
    assert is_as_checked(part, SOME)
    assert is_as_checked(part, Decision(action="apply", text=chosen_text(TWO, (2,))))
    assert "another choice" in view.html(part, Decision(action="reject")), "it shows all of it"
    assert is_as_checked(TWO.model_copy(update={"checked": PASSED}), SOME), "nothing is known"


def test_only_an_edit_of_a_text_has_choices():
    assert choices(TWO) == 2
    assert choices(TWO.model_copy(update={"editable": False})) == 0
    assert choices(COMMAND) == 0
    assert chosen_text(TWO, (1,)) == OLD.replace("3\n", "three\n", 1)
    assert chosen_text(TWO, None) == TWO.new_text


def test_a_question_has_its_title_once():
    assert view.detail_text(EDIT).count(EDIT.title) == 1
    assert view.detail_text(EDIT).splitlines()[1] == "1 line added (+), 1 removed (\u2212)"


def test_the_lines_of_a_choice_are_those_proposed():
    assert "Proposed: 1 line added (+), 2 removed (\u2212)" in view.question_html(TWO)
    assert "Proposed" not in view.question_html(EDIT)
    assert "Proposed" not in view.html(TWO, SOME)


def test_a_question_numbers_its_changes():
    assert "change 2 of 2" in view.detail_text(TWO)
    assert "Change 2 of 2" in view.question_html(TWO)
    assert "change 1" not in view.detail_text(EDIT)


def test_a_command_says_what_it_runs():
    asked = COMMAND.model_copy(update={"runs": ("npm install x", "  node <post>.js")})
    assert "What it runs:\n  npm install x\n    node <post>.js" in view.detail_text(asked)
    assert "  node &lt;post&gt;.js" in re.sub("<[^>]+>", "", view.detail_html(asked))


def test_a_commit_says_what_becomes_of_each_file():
    asked = COMMIT.model_copy(update={"files": ("a.ts", "b.ts"), "states": ("added", "deleted")})
    assert "  added a.ts\n  deleted b.ts" in view.detail_text(asked)
    assert "a.ts added" in re.sub("<[^>]+>", "", view.detail_html(asked))


def test_a_commit_of_an_older_session_has_files_without_a_state():
    stored = '{"id": "1", "kind": "commit", "tool": "t", "title": "T", "files": ["a.ts"]}'
    assert "  a.ts" in view.detail_text(Proposal.model_validate_json(stored))


def test_long_lists_and_texts_are_cut_and_say_so():
    many = COMMIT.model_copy(update={"files": tuple(f"f{n}.ts" for n in range(view.MAX_FILES + 3))})
    assert "\u2026 3 more files not shown" in view.detail_html(many)
    long = COMMAND.model_copy(update={"command": "echo " + "x" * 150_000 + "end"})
    assert len(view.detail_html(long)) < 110_000
    assert "characters in between not shown" in view.detail_html(long)
    assert "xend" in view.detail_html(long)


def test_the_call_of_another_server_names_server_and_tool():
    html = view.detail_html(CALL.model_copy(update={"called": ("shop", "buy<>")}))
    assert '<th scope="row">Server</th><td>shop</td>' in html
    assert '<th scope="row">Tool</th><td>buy&lt;&gt;</td>' in html


def test_problems_stand_before_everything_else():
    bad = EDIT.model_copy(update={"problems": ("syntax error in line 1: <b>", "and another")})
    text = view.detail_text(bad)
    assert text.startswith("Edit line 1 of a.ts\n! syntax error in line 1: <b>\n! and another\n")
    for html in (view.detail_html(bad), view.question_html(bad)):
        assert "<li>syntax error in line 1: &lt;b&gt;</li><li>and another</li>" in html
        assert html.index("Problems") < html.index("ipuaro-diff")
    assert "Problems" not in view.detail_html(EDIT)


def test_a_rejection_shows_what_was_proposed_and_what_was_typed():
    typed = Decision(action="reject", reason="no", text=TWO.old_text.replace("5\n", "five\n"))
    shown = view.html(TWO, typed)
    assert "Rejected after editing: " in shown
    assert "Typed before that, and not written:" in shown
    assert shown.index("three") < shown.index("Typed before") < shown.index("five")


def test_a_rejected_message_shows_what_was_typed():
    commit = Proposal(id="1", kind="commit", tool="git_commit", title="t", message="Mend <it>.")
    shown = view.html(commit, Decision(action="reject", text="Mend <all>."))
    assert shown.index("Mend &lt;it&gt;.") < shown.index("Mend &lt;all&gt;.")
