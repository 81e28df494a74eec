from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.views import proposal as view

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


def test_nobody_to_ask_is_said():
    record = view.html(EDIT, Decision(action="reject", by="nobody", reason="nobody to ask"))
    assert "Rejected: Edit line 1 of a.ts (nobody to ask)" in record
