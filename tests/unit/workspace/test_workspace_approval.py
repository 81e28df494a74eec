"""Settings and what was allowed before decide in place of the user."""

import pytest
from folder_states import raises, snapshot

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.workspace.changes.undo_stack import UndoTurn

REJECTED = Decision(action="reject", reason="not today")


@pytest.mark.parametrize("kind", ["edit", "create", "delete", "command", "commit"])
@pytest.mark.parametrize("approve", ["ask", "edits", "all", "never"])
def test_the_setting_decides_what_is_asked(open_workspace, tmp_path, kind, approve):
    opened = open_workspace(tmp_path, approve=approve)
    opened.user.decision = REJECTED
    decision = opened.workspace.decide(Proposal(id="1", kind=kind, tool="t", title="T"))
    through = approve == "all" or (approve == "edits" and kind in ("edit", "create", "delete"))
    assert (decision.action == "apply") is through
    asked = approve == "ask" or (approve == "edits" and not through)
    assert bool(opened.user.asked) is asked
    assert decision.by == ("user" if asked else "setting")


def test_never_is_told_as_the_reason(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, approve="never")
    with raises("cancelled", "never"):
        opened.apply("a.ts", None, b"x")
    assert snapshot(tmp_path) == {}


@pytest.mark.parametrize("approve", ["edits", "all"])
@pytest.mark.parametrize("path", [".ipuaro.json", "sub/.ipuaro.json", ".IPUARO.json"])
def test_no_setting_lets_edits_of_the_settings_through(open_workspace, tmp_path, approve, path):
    opened = open_workspace(tmp_path, approve=approve)
    opened.user.decision = Decision(action="apply", remember=True)
    opened.apply(path, None, b"{}")
    opened.apply(path, b"{}", b'{"approve": "all"}')
    assert len(opened.user.asked) == 2
    assert opened.workspace.remembered == ()
    assert opened.user.asked[0].reason


def test_what_was_allowed_for_the_session_is_not_asked_again(opened):
    opened.user.decision = Decision(action="apply", remember=True)
    opened.apply("src/a.ts", None, b"1")
    opened.apply("src/b.ts", None, b"1")
    assert len(opened.user.asked) == 1
    assert opened.workspace.remembered == (("a_tool", "on files directly in src/"),)
    opened.apply("src/deep/c.ts", None, b"1")
    opened.apply("top.ts", None, b"1")
    other = Change(path="src/d.ts", before=None, after=b"1")
    opened.workspace.apply(other, tool="another_tool", title="T")
    assert len(opened.user.asked) == 4
    assert opened.workspace.revoke("a_tool", "on files directly in src/") == 1
    opened.apply("src/e.ts", None, b"1")
    assert len(opened.user.asked) == 5
    assert opened.workspace.revoke() == 4
    assert opened.workspace.remembered == ()


def test_a_rejection_is_not_remembered(opened):
    opened.user.decision = Decision(action="reject", remember=True)
    with raises("cancelled"):
        opened.apply("src/a.ts", None, b"1")
    assert opened.workspace.remembered == ()


@pytest.mark.parametrize("by_user", [True, False])
@pytest.mark.parametrize(("text", "typed"), [("1\ntyped\n3\n", "typed\n"), (None, "")])
def test_what_was_typed_is_kept_when_the_file_changed_meanwhile(opened, by_user, text, typed):
    opened.write("a.ts", "1\n2\n3\n")
    opened.user.decision = Decision(action="apply", text=text)
    opened.user.meanwhile = lambda: opened.write("a.ts", "other\n")
    turn = UndoTurn(by_user=by_user, title="edit_lines")
    with opened.workspace.one_reply(turn), pytest.raises(ToolError) as caught:
        opened.apply("a.ts", b"1\n2\n3\n", b"1\nproposed\n3\n")
    assert (opened.root / "a.ts").read_text() == "other\n"
    assert caught.value.type == "conflict"
    assert caught.value.typed == typed
    assert ("Run it again" in caught.value.suggestion) is by_user
