"""``ipuaro acp``, asked by the protocol's own client over a real process."""

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest
from acp.exceptions import RequestError
from acp.schema import EnvVariable, McpServerStdio, ResourceContentBlock
from acp_clients import DISMISSED, PanelClient, agent, prompt, run

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel

BEFORE = "export const a = 1;\nexport const b = 2;\n"
AFTER = BEFORE.replace("a = 1", "a = 3")
READ = '<tool_call name="get_lines"><path>a.ts</path><start>2</start></tool_call>'
EDIT = (
    '<tool_call name="edit_lines"><path>a.ts</path><start>1</start><end>1</end>'
    "<content>export const a = 3;</content></tool_call>"
)
SLEEP = '<tool_call name="run_command"><command>sleep 60</command></tool_call>'
TURNS = {
    "Read it": [READ, "It is *two*."],
    "Raise it": [EDIT, "Raised."],
    "Read and raise it": [READ, EDIT, "Raised."],
    'Read it @"a.ts":2 ': ["It is *two*."],
    "Sleep": [SLEEP, "Slept."],
    "What did I ask?": ["You asked before."],
}


@pytest.fixture
def root(make_project, home, tmp_path):
    """A project, and a user whose model gives recorded replies."""
    recording = tmp_path / "recording.json"
    turns = [{"message": message, "replies": replies} for message, replies in TURNS.items()]
    recording.write_text(json.dumps({"version": 1, "turns": turns}))
    (home / "settings.json").write_text(json.dumps({"llm": {"model": f"recorded:{recording}"}}))
    return make_project({"a.ts": BEFORE})


async def one_turn(client, root, message, *, mode=None):
    """Begin a session, ask one thing; return the response and the session's id."""
    async with agent(client, cwd=root) as (connection, _):
        opened = await connection.new_session(cwd=str(root), mcp_servers=[])
        if mode:
            await connection.set_session_mode(mode_id=mode, session_id=opened.session_id)
        reply = await connection.prompt(session_id=opened.session_id, prompt=prompt(message))
        return reply, opened.session_id


def test_an_answer_is_told_with_its_calls_their_places_and_its_tokens(root):
    client = PanelClient()
    reply, _ = run(one_turn(client, root, "Read it"))
    assert reply.stop_reason == "end_turn"
    assert reply.usage.total_tokens == reply.usage.input_tokens + reply.usage.output_tokens > 0
    assert client.text == "It is *two*."
    (begun,) = client.of("tool_call")
    assert (begun.title, begun.kind) == ('get_lines(path="a.ts", start=2)', "read")
    assert [(one.path, one.line) for one in begun.locations] == [(str(root / "a.ts"), 2)]
    (ended,) = client.of("tool_call_update")
    assert (ended.tool_call_id, ended.status) == (begun.tool_call_id, "completed")
    assert "export const b = 2;" in ended.content[-1].content.text
    assert 0 < client.of("usage_update")[-1].used < client.of("usage_update")[-1].size


def test_commands_modes_and_models_are_told_when_a_session_begins(root):
    async def opened():
        client = PanelClient()
        async with agent(client, cwd=root) as (connection, _):
            session = await connection.new_session(cwd=str(root), mcp_servers=[])
            assert client.updates == []  # none is for a session that the client does not know
            await connection.prompt(session_id=session.session_id, prompt=prompt("/help"))
            while not client.of("available_commands_update"):  # noqa: ASYNC110 - it comes after
                await asyncio.sleep(0.05)
            return client, session

    client, session = run(opened())
    names = [one.name for one in client.of("available_commands_update")[0].available_commands]
    assert {"undo", "redo", "diff", "status"} <= set(names)
    assert "`/undo" in client.text
    assert [one.id for one in session.modes.available_modes] == ["ask", "checked", "edits", "never"]
    assert session.modes.current_mode_id == "ask"
    (model,) = session.config_options
    assert (model.category, model.current_value) == ("model", model.options[0].value)


def test_modes_that_the_system_forbids_are_not_offered(root, tmp_path, monkeypatch):
    (tmp_path / "settings.json").write_text('{"approve": "ask"}')
    monkeypatch.setenv("IPUARO_SYSTEM_SETTINGS", str(tmp_path))

    async def opened():
        async with agent(PanelClient(), cwd=root) as (connection, _):
            return await connection.new_session(cwd=str(root), mcp_servers=[])

    modes = run(opened()).modes
    assert [one.id for one in modes.available_modes] == ["ask", "never"]


def test_an_edit_is_asked_about_with_its_diff_and_made_when_it_is_allowed(root):
    client = PanelClient("apply")
    reply, _ = run(one_turn(client, root, "Raise it"))
    assert reply.stop_reason == "end_turn"
    assert (root / "a.ts").read_text() == AFTER
    ((_, question, options),) = client.asked
    diff, words = question.content  # the model had not read the file, which no diff shows
    assert (diff.path, diff.old_text, diff.new_text) == (str(root / "a.ts"), BEFORE, AFTER)
    assert words.content.text in client.text  # for clients that draw nothing but the diff
    assert {one.option_id: one.kind for one in options} == {
        "apply": "allow_once",
        "always": "allow_always",
        "reject": "reject_once",
    }
    assert question.tool_call_id == client.of("tool_call")[0].tool_call_id
    ended = client.of("tool_call_update")[-1]
    assert (ended.content[0].old_text, ended.content[0].new_text) == (BEFORE, AFTER)
    assert "1 applied, 0 rejected, 0 failed" in client.text


def test_what_a_client_may_not_draw_is_spelled_out_beside_the_diff(root, tmp_path):
    hidden = EDIT.replace("a = 3;", "a = 3; //\u2028run()")
    turns = [{"message": "Hide it", "replies": [hidden, "Hidden."]}]
    (tmp_path / "recording.json").write_text(json.dumps({"version": 1, "turns": turns}))
    client = PanelClient("reject")
    run(one_turn(client, root, "Hide it"))
    assert "a = 3; //[U+2028]run()" in client.text
    assert "[U+2028]" in client.asked[0][1].content[-1].content.text


@pytest.mark.parametrize(
    "answer", ["reject", "unknown", DISMISSED, RequestError.method_not_found("permission")]
)
def test_nothing_is_changed_unless_it_is_allowed(root, answer):
    client = PanelClient(answer)
    run(one_turn(client, root, "Raise it"))
    assert (root / "a.ts").read_text() == BEFORE
    assert client.of("tool_call_update")[-1].status == "failed"
    assert "0 applied, 1 rejected, 0 failed" in client.text


def test_a_command_is_told_in_full_before_the_question(root, tmp_path):
    command = f"sleep {'0' * 300}1"
    call = f'<tool_call name="run_command"><command>{command}</command></tool_call>'
    turns = [{"message": "Sleep long", "replies": [call, "No."]}]
    (tmp_path / "recording.json").write_text(json.dumps({"version": 1, "turns": turns}))
    client = PanelClient("reject")
    run(one_turn(client, root, "Sleep long"))
    assert f"$ {command}\n" in client.text


@pytest.mark.parametrize(("mode", "text"), [("edits", AFTER), ("never", BEFORE)])
def test_a_mode_answers_for_the_user(root, mode, text):
    client = PanelClient()
    run(one_turn(client, root, "Read and raise it", mode=mode))
    assert client.asked == []
    assert (root / "a.ts").read_text() == text


@pytest.mark.parametrize("is_allowed", [True, False])
def test_a_turn_is_cancelled_at_a_question_and_in_a_command(root, is_allowed):
    async def cancelled():
        client = PanelClient("apply" if is_allowed else None)
        async with agent(client, cwd=root) as (connection, _):
            session = (await connection.new_session(cwd=str(root), mcp_servers=[])).session_id
            asking = asyncio.create_task(
                connection.prompt(session_id=session, prompt=prompt("Sleep"))
            )
            await client.is_asked.wait()
            await asyncio.sleep(0.3)
            began = asyncio.get_running_loop().time()
            await connection.cancel(session_id=session)
            reply = await asking
            took = asyncio.get_running_loop().time() - began
            again = await connection.prompt(session_id=session, prompt=prompt("What did I ask?"))
            return reply, again, took, client

    reply, again, took, client = run(cancelled())
    assert (reply.stop_reason, again.stop_reason) == ("cancelled", "end_turn")
    assert took < 10
    assert "You asked before." in client.text


def test_a_session_is_listed_loaded_with_its_turns_and_resumed_without(root):
    first, second, third = PanelClient("apply"), PanelClient(), PanelClient()
    _, session = run(one_turn(first, root, "Raise it"))

    async def again(client, *, load):
        async with agent(client, cwd=root) as (connection, _):
            listed = await connection.list_sessions(cwd=str(root))
            opens = connection.load_session if load else connection.resume_session
            await opens(cwd=str(root), session_id=session, mcp_servers=[])
            await connection.prompt(session_id=session, prompt=prompt("/undo"))
            return listed.sessions

    (listed,) = run(again(second, load=True))
    assert (listed.session_id, listed.title, listed.cwd) == (session, "Raise it", str(root))
    assert second.of("user_message_chunk")[0].content.text == "Raise it"
    assert second.of("tool_call")[0].status == "completed"
    assert "Raised." in second.text
    assert (root / "a.ts").read_text() == BEFORE  # what another process had done is undone
    run(again(third, load=False))
    assert third.of("user_message_chunk") == third.of("tool_call") == []


def test_a_session_goes_from_the_notebook_to_the_panel_and_back(root):
    model = ScriptedModel([EDIT, "Raised."])
    with ipuaro_jupyter.start(root, model=model, confirm=lambda _: True, new=True) as assistant:
        assistant.ask("Raise it in a cell")
        session = assistant.session.id
        client = PanelClient()

        async def asked_while_open():
            async with agent(client, cwd=root) as (connection, _):
                await connection.load_session(cwd=str(root), session_id=session, mcp_servers=[])
                with pytest.raises(RequestError, match="is open in another kernel"):
                    await connection.prompt(session_id=session, prompt=prompt("Read it"))

        run(asked_while_open())
        assert client.of("user_message_chunk")[0].content.text == "Raise it in a cell"

    async def in_the_panel():
        panel = PanelClient()
        async with agent(panel, cwd=root) as (connection, _):
            await connection.load_session(cwd=str(root), session_id=session, mcp_servers=[])
            await connection.prompt(session_id=session, prompt=prompt("What did I ask?"))
            # Between two messages it is free: a kernel goes on with it.
            with ipuaro_jupyter.start(root, model=ScriptedModel(["Yes."])) as kernel:
                assert kernel.session.id == session
                assert kernel.ask("And in a cell?").text == "Yes."
                assert kernel.undo().success
            assert (root / "a.ts").read_text() == BEFORE
            await connection.prompt(session_id=session, prompt=prompt("Read it"))
            return panel

    panel = run(in_the_panel())
    assert "You asked before." in panel.text
    with ipuaro_jupyter.start(root, model=ScriptedModel([]), session=session) as kernel:
        questions = [turn.question for turn in kernel.transcript().turns]
    assert questions == ["Raise it in a cell", "What did I ask?", "And in a cell?", "Read it"]


def test_a_panel_that_was_refused_reads_what_was_said_meanwhile(root):
    async def talk():
        panel = PanelClient()
        async with agent(panel, cwd=root) as (connection, _):
            session = (await connection.new_session(cwd=str(root), mcp_servers=[])).session_id
            await connection.prompt(session_id=session, prompt=prompt("What did I ask?"))
            with ipuaro_jupyter.start(root, model=ScriptedModel(["Yes."])) as kernel:
                kernel.ask("And in a cell?")
                with pytest.raises(RequestError, match="is open in another kernel"):
                    await connection.prompt(session_id=session, prompt=prompt("Read it"))
            await connection.prompt(session_id=session, prompt=prompt("/export all.ipynb"))
        return (root / "all.ipynb").read_text()

    assert "And in a cell?" in run(talk())


@pytest.mark.parametrize("command", ["/load 2026", "/sessions load 2026"])
def test_a_session_is_chosen_in_the_panels_list(root, command):
    client = PanelClient()
    with pytest.raises(RequestError, match="list of the panel"):
        run(one_turn(client, root, command))


def test_what_an_answer_names_and_is_not_there_is_told(root, tmp_path):
    turns = [{"message": "Where?", "replies": ["See `a.ts:40`."]}]
    (tmp_path / "recording.json").write_text(json.dumps({"version": 1, "turns": turns}))
    client = PanelClient()
    run(one_turn(client, root, "Where?"))
    assert client.text.partition("See `a.ts:40`.")[2].strip() == (
        "Not in the code:\n- a.ts:40: a.ts has 2 lines"
    )


def test_a_linked_file_is_attached(root):
    client = PanelClient()

    async def linked():
        async with agent(client, cwd=root) as (connection, _):
            session = (await connection.new_session(cwd=str(root), mcp_servers=[])).session_id
            link = ResourceContentBlock(
                type="resource_link", name="a.ts", uri=f"{(root / 'a.ts').as_uri()}#L2"
            )
            await connection.prompt(session_id=session, prompt=[*prompt("Read it"), link])

    run(linked())
    assert client.text == "It is *two*."
    (told,) = client.of("agent_thought_chunk")
    assert told.content.text.startswith("Attached: a.ts")


def test_servers_of_the_client_are_started(root, tmp_path):
    server = Path(__file__).parents[2] / "support" / "mcp_servers" / "workshop.py"

    async def with_server():
        client = PanelClient()
        async with agent(client, cwd=root) as (connection, _):
            one = McpServerStdio(
                name="mine",
                command=sys.executable,
                args=[str(server), str(tmp_path / "calls")],
                env=[EnvVariable(name="MARK", value="1")],
            )
            session = await connection.new_session(cwd=str(root), mcp_servers=[one])
            await connection.prompt(session_id=session.session_id, prompt=prompt("Read it"))
            await connection.prompt(session_id=session.session_id, prompt=prompt("/tools"))
            return client

    assert "mcp__mine__" in run(with_server()).text


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("prompt", "is not open"),
        ("load_session", "is no session"),
        ("new_session", "nowhere"),
        ("set_session_mode", "There is no mode"),
        ("set_config_option", "The only option"),
    ],
)
def test_wrong_requests_get_an_error_that_says_what_is_wrong(root, method, told):
    async def wrong():
        async with agent(PanelClient(), cwd=root) as (connection, _):
            session = (await connection.new_session(cwd=str(root), mcp_servers=[])).session_id
            calls = {
                "prompt": {"session_id": "none", "prompt": prompt("x")},
                "load_session": {"cwd": str(root), "session_id": "none", "mcp_servers": []},
                "new_session": {"cwd": str(root / "nowhere"), "mcp_servers": []},
                "set_session_mode": {"session_id": session, "mode_id": "all"},
                "set_config_option": {"session_id": session, "config_id": "x", "value": "y"},
            }
            await getattr(connection, method)(**calls[method])

    with pytest.raises(RequestError, match=told):
        run(wrong())


@pytest.mark.parametrize("end", ["closed", "SIGTERM"])
def test_the_process_ends_with_its_client(root, end):
    async def ended():
        client = PanelClient(None)
        async with agent(client, cwd=root) as (connection, process):
            session = (await connection.new_session(cwd=str(root), mcp_servers=[])).session_id
            asking = asyncio.create_task(
                connection.prompt(session_id=session, prompt=prompt("Raise it"))
            )
            await client.is_asked.wait()
            if end == "closed":
                process.stdin.close()
            else:
                process.send_signal(signal.SIGTERM)
            status = await asyncio.wait_for(process.wait(), 30)
            asking.cancel()
            return status

    assert run(ended()) == 0
    assert (root / "a.ts").read_text() == BEFORE
    with ipuaro_jupyter.start(root, model=ScriptedModel([])) as assistant:
        (turn,) = assistant.transcript().turns
    assert turn.ended == "stopped"
