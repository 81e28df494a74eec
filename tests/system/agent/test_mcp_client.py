"""The tools of MCP servers in an assistant: offered, asked about, called, told of."""

import json
import re
import sys
import threading
from pathlib import Path

import pytest

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.events import Noticed, PhaseChanged, ProposalDecided, TurnFinished
from ipuaro_jupyter.views import proposal as view

SERVERS = Path(__file__).parents[2] / "support" / "mcp_servers"
NOTE = {"name": "<Bo>", "times": 2}
YES, NO = Decision(action="apply"), Decision(action="reject")


@pytest.fixture
def root(make_project):
    return make_project({"a.ts": "export const a = 1;\n"})


@pytest.fixture
def settings(tmp_path):
    def made(**more):
        args = [str(SERVERS / "workshop.py"), str(tmp_path / "pids")]
        server = {"command": sys.executable, "args": args, "startTimeout": 120_000}
        return {"mcpServers": {"work": server}, **more}

    return made


class User:
    """Answers each question with the next of ``answers`` and keeps what was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def __call__(self, proposal):
        self.asked.append(proposal)
        return self.answers.pop(0)


def call(tool, **arguments):
    inner = "".join(f"<{name}>{value}</{name}>" for name, value in arguments.items())
    return f'<tool_call name="{tool}">{inner}</tool_call>'


def test_the_first_message_waits_for_the_servers_and_offers_their_tools(
    root, settings, open_assistant
):
    model = ScriptedModel([call("mcp__work__greet", name="Bo"), "He was greeted."])
    assistant = open_assistant(root, model, settings=settings())
    assert "mcp__work__greet" not in assistant.tool_names
    events = list(assistant.stream("Greet Bo"))
    assert events[0] == PhaseChanged(phase="starting", detail="the MCP server work")
    answer = events[-1].answer
    (called,) = answer.tool_calls
    assert called.result.text() == "greet [('name', 'Bo')]"
    assert answer.text == "He was greeted."
    asked = "\n".join(message.content for message in model.requests[0].messages)
    assert "mcp__work__greet" in asked
    assert "[MCP server work] Greet somebody." in asked
    assert "greet [('name', 'Bo')]" in model.requests[1].messages[-1].content
    assert "mcp__work__greet" in assistant.tool_names


def test_opening_a_project_does_not_wait_for_a_server_that_hangs(root, open_assistant):
    hanging = {"command": sys.executable, "args": [str(SERVERS / "broken.py"), "silent"]}
    assistant = open_assistant(root, ["Hello."], settings={"mcpServers": {"slow": hanging}})
    assistant.connect()
    assert "MCP server 'slow': starting" in assistant.status().notices
    assert assistant.call("get_lines", {"path": "a.ts"}).success
    cancel = CancelToken()
    timer = threading.Timer(0.3, cancel.cancel)
    timer.start()
    events = list(assistant.stream("Hello", cancel))
    assert events[-1].answer.ended == "stopped"
    timer.join()


def test_a_server_that_fails_is_told_once_and_the_turn_goes_on(root, settings, open_assistant):
    given = settings()
    given["mcpServers"]["bad"] = {"command": "no-such-program"}
    assistant = open_assistant(root, ["One.", "Two."], settings=given)
    first, second = list(assistant.stream("1")), list(assistant.stream("2"))
    (notice,) = [event for event in first if isinstance(event, Noticed)]
    assert "'bad' could not be opened" in notice.text
    assert not [event for event in second if isinstance(event, Noticed)]
    assert (first[-1].answer.text, second[-1].answer.text) == ("One.", "Two.")
    notices = "\n".join(assistant.status().notices)
    assert "MCP server 'work': 14 tools" in notices
    assert "'bad' could not be opened" in notices


def test_a_call_by_hand_opens_the_server(root, settings, open_assistant):
    assistant = open_assistant(root, [], settings=settings())
    result = assistant.call("mcp__work__greet", {"nmae": "Bo"})
    assert result.error.type == "validation"
    assert "there is no parameter 'nmae' (meant: name?)" in result.error.message
    assert assistant.call("mcp__work__greet", {"name": "Bo"}).success
    assert "mcp__work__greet" in assistant.call("mcp__work__gret", {}).error.suggestion


def test_only_tools_that_are_not_marked_read_only_are_asked_about(root, settings, open_assistant):
    user = User(YES, NO)
    assistant = open_assistant(root, [], settings=settings(), confirm=user)
    assert assistant.call("mcp__work__greet", {"name": "Bo"}).success
    assert user.asked == []
    assert assistant.call("mcp__work__add_note", NOTE).success
    assert assistant.call("mcp__work__wipe").error.type == "cancelled"
    assert [asked.tool for asked in user.asked] == ["mcp__work__add_note", "mcp__work__wipe"]


def test_the_question_shows_server_tool_and_arguments(root, settings, open_assistant):
    user = User(NO)
    assistant = open_assistant(root, [], settings=settings(), confirm=user)
    assistant.call("mcp__work__add_note", NOTE)
    (asked,) = user.asked
    assert asked.kind == "mcp"
    assert json.loads(asked.message) == NOTE
    text, html = view.detail_text(asked), view.detail_html(asked)
    assert text.startswith("Call add_note of the MCP server 'work'\n")
    assert '  "name": "<Bo>",\n  "times": 2\n' in text
    assert "does not mark this tool as read-only" in text
    assert "&quot;name&quot;: &quot;&lt;Bo&gt;&quot;" in re.sub("<[^>]+>", "", html)
    assert "does not mark this tool as read-only" in html
    record = view.text(asked, Decision(action="apply"))
    assert record == "\u2713 Applied: Call add_note of the MCP server 'work'"


def test_a_rejection_reaches_the_model_with_the_reason_and_the_turn_goes_on(
    root, settings, open_assistant
):
    model = ScriptedModel([call("mcp__work__add_note", name="Bo"), "Then not."])
    user = User(Decision(action="reject", reason="use the diary"))
    assistant = open_assistant(root, model, settings=settings(), confirm=user)
    events = list(assistant.stream("Note it"))
    assert isinstance(events[-1], TurnFinished)
    assert events[-1].answer.text == "Then not."
    assert "use the diary" in model.requests[1].messages[-1].content
    (decided,) = [event for event in events if isinstance(event, ProposalDecided)]
    assert decided.decision.reason == "use the diary"
    (logged,) = assistant.decisions()
    assert (logged.proposal.kind, logged.decision.action) == ("mcp", "reject")
    assert '"name": "Bo"' in logged.shown


@pytest.mark.parametrize(
    "case",
    [
        ("never", False, False),
        ("ask", True, True),
        ("edits", True, True),
        ("all", False, True),
    ],
)
def test_the_setting_approve_counts(root, settings, open_assistant, case):
    approve, asks, done = case
    user = User(YES)
    assistant = open_assistant(root, [], settings=settings(approve=approve), confirm=user)
    assert assistant.call("mcp__work__add_note", NOTE).success is done
    assert bool(user.asked) is asks


def test_without_anybody_to_ask_it_is_rejected(root, settings, open_assistant):
    assistant = open_assistant(root, [], settings=settings())
    error = assistant.call("mcp__work__add_note", NOTE).error
    assert error.type == "cancelled"
    assert "nobody to ask" in error.message
    assert '"approve": "all"' in error.suggestion


def test_what_is_allowed_for_the_session_is_allowed_for_that_tool_alone(
    root, settings, open_assistant
):
    user = User(Decision(action="apply", remember=True), NO)
    assistant = open_assistant(root, [], settings=settings(), confirm=user)
    assert assistant.call("mcp__work__add_note", NOTE).success
    assert assistant.call("mcp__work__add_note", {"name": "Jo"}).success
    assert not assistant.call("mcp__work__wipe").success
    (allowed,) = assistant.remembered
    assert allowed.tool == "mcp__work__add_note"
    assistant.revoke(allowed)
    user.answers.append(NO)
    assert not assistant.call("mcp__work__add_note", NOTE).success


def test_a_crash_in_a_turn_is_told_to_the_model_and_the_turn_goes_on(
    root, settings, open_assistant
):
    replies = [call("mcp__work__crash"), call("mcp__work__greet", name="Bo"), "It works again."]
    model = ScriptedModel(replies)
    assistant = open_assistant(root, model, settings=settings())
    answer = assistant.ask("Make it crash")
    assert answer.text == "It works again."
    assert "exit code 7" in model.requests[1].messages[-1].content
    assert [called.result.success for called in answer.tool_calls] == [False, True]


def test_settings_choose_among_the_tools_of_servers_too(root, settings, open_assistant):
    model = ScriptedModel(["Hello."])
    enabled = {"enabled": ["get_lines", "mcp__work__gr*"]}
    open_assistant(root, model, settings=settings(tools=enabled)).ask("Hello")
    asked = "\n".join(message.content for message in model.requests[0].messages)
    assert "mcp__work__greet" in asked
    assert "mcp__work__wipe" not in asked


def test_a_closed_assistant_has_no_servers(root, settings, tmp_path):
    with ipuaro_jupyter.start(root, model=ScriptedModel([]), settings=settings()) as assistant:
        assert assistant.call("mcp__work__greet", {"name": "Bo"}).success
    assert not assistant.call("mcp__work__greet", {"name": "Bo"}).success
    assert len((tmp_path / "pids").read_text().split()) == 1


@pytest.mark.parametrize("write", [False, True])
def test_our_own_server_is_a_server_like_any_other(root, make_project, open_assistant, write):
    other = make_project({"b.ts": "export function login() {\n  return 1;\n}\n"}, name="other")
    args = ["-m", "ipuaro_jupyter.cli", "mcp", str(other), *(["--write"] if write else [])]
    server = {"command": sys.executable, "args": args, "startTimeout": 120_000}
    user = User(YES)
    settings = {"mcpServers": {"other": server}}
    assistant = open_assistant(root, [], settings=settings, confirm=user)
    found = assistant.call("mcp__other__find_definition", {"symbol": "login"})
    assert "b.ts:1 (function)" in found.text()
    assert user.asked == []
    created = assistant.call("mcp__other__create_file", {"path": "c.ts", "content": "c"})
    assert not created.success  # here it may be sent; there nobody can be asked
    assert len(user.asked) == int(write)
    assert ("cannot ask the user" in created.text()) is write
    assert not (other / "c.ts").exists()
