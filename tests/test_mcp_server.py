"""``ipuaro mcp``, talked with by the SDK's own client over a real process."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import asynccontextmanager, contextmanager

import mcp_types as types
import psutil
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from ipuaro_jupyter.tools import load_tools

FILES = {"a.ts": "export function login() {\n  return 1;\n}\n", "b.ts": "export const b = 2;\n"}
EDIT = {"path": "a.ts", "start": 2, "end": 2, "content": "  return 2;"}
EDITED = FILES["a.ts"].replace("1", "2")
READING = {tool.name for tool in load_tools() if not tool.runs_alone}
MODES = ["legacy", "auto"]
WITHIN_S = 60


class User:
    """The client's user: answers with the next of ``answers`` and keeps what was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def __call__(self, _context, params):
        self.asked.append(params)
        answer = self.answers.pop(0)
        return answer() if callable(answer) else answer


YES = types.ElicitResult(action="accept", content={"apply": True})
DECLINED = types.ElicitResult(action="decline")


@asynccontextmanager
async def served(root, *options, mode="legacy", user=None, log=None):
    """A client of our server for the project at ``root``."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "ipuaro_jupyter.cli", "mcp", str(root), *options],
        env=dict(os.environ),
    )
    errlog = sys.stderr if log is None else log
    transport = stdio_client(server, errlog=errlog)
    async with Client(transport, mode=mode, elicitation_callback=user) as client:
        yield client


def run(coroutine):
    async def within():
        async with asyncio.timeout(WITHIN_S):
            return await coroutine

    return asyncio.run(within())


def text(result):
    (block,) = result.content
    return block.text


@pytest.fixture
def root(make_project):
    return make_project(FILES)


@pytest.mark.parametrize("mode", MODES)
def test_tools_that_read_are_listed_with_their_schemas(root, mode):
    async def talk():
        async with served(root, mode=mode) as client:
            return client.server_info, client.instructions, await client.list_tools()

    info, instructions, listed = run(talk())
    assert info.name == "ipuaro_jupyter"
    assert str(root) in instructions
    assert {tool.name for tool in listed.tools} == READING
    ours = {tool.name: tool for tool in load_tools()}
    for tool in listed.tools:
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.description == ours[tool.name].schema.description
        assert tool.input_schema == ours[tool.name].schema.parameters


def test_all_tools_are_listed_when_they_may_write(root):
    async def talk():
        async with served(root, "--write") as client:
            return await client.list_tools()

    listed = {tool.name: tool.annotations for tool in run(talk()).tools}
    assert set(listed) == {tool.name for tool in load_tools()}
    assert listed["edit_lines"].read_only_hint is False
    assert listed["edit_lines"].destructive_hint is True
    assert {name for name, hints in listed.items() if hints.read_only_hint} == READING


@pytest.mark.parametrize("mode", MODES)
def test_results_are_text_and_the_documented_output(root, mode):
    async def talk():
        async with served(root, mode=mode) as client:
            return await client.call_tool("find_definition", {"symbol": "login"})

    result = run(talk())
    assert not result.is_error
    assert "a.ts:1 (function)" in text(result)
    assert result.structured_content["success"] is True
    (found,) = result.structured_content["output"]["definitions"]
    assert (found["path"], found["line"]) == ("a.ts", 1)


def test_errors_are_results_that_say_what_to_do(root):
    async def talk():
        async with served(root) as client:
            calls = [
                ("get_lines", {"path": "../secret"}),
                ("get_lines", {"pth": "a.ts"}),
                ("get_line", {"path": "a.ts"}),
                ("edit_lines", EDIT),
                ("job", {"id": "1"}),
            ]
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    outside, misspelt, unknown, writing, job = run(talk())
    for result in (outside, misspelt, unknown, writing, job):
        assert result.is_error
        assert result.structured_content["success"] is False
    assert "outside of the project" in text(outside)
    assert "meant: path?" in text(misspelt)
    assert "get_lines(path" in text(unknown)
    assert "edit_lines" not in text(unknown)
    assert "--write" in text(writing)
    assert "--write" in text(job)
    assert (root / "a.ts").read_text() == FILES["a.ts"]


def test_names_that_models_give_to_reading_tools_work(root):
    async def talk():
        async with served(root) as client:
            return await client.call_tool("Read_Lines", {"path": "b.ts"})

    assert "export const b = 2;" in text(run(talk()))


def test_the_index_follows_the_files(root):
    async def talk():
        async with served(root) as client:
            await client.call_tool("find_definition", {"symbol": "later"})
            (root / "c.ts").write_text("export function later() {}\n")
            for _ in range(WITHIN_S * 10):
                result = await client.call_tool("find_definition", {"symbol": "later"})
                if "c.ts:1" in text(result):
                    return True
                await asyncio.sleep(0.1)
        return False

    assert run(talk())


@pytest.mark.parametrize("mode", MODES)
def test_a_change_that_the_clients_user_accepts_is_made(root, mode):
    user = User(YES)

    async def talk():
        async with served(root, "--write", mode=mode, user=user) as client:
            return await client.call_tool("edit_lines", EDIT)

    result = run(talk())
    assert not result.is_error, text(result)
    assert (root / "a.ts").read_text() == EDITED
    (asked,) = user.asked
    assert asked.message.startswith("Edit line 2 of a.ts\n")
    assert "-  return 1;\n+  return 2;" in asked.message
    assert set(asked.requested_schema["properties"]) == {"apply", "reason"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (DECLINED, "The user rejected it."),
        (types.ElicitResult(action="cancel"), "dismissed"),
        (
            types.ElicitResult(action="accept", content={"apply": False, "reason": "not today"}),
            "The user rejected it: not today",
        ),
    ],
)
def test_a_change_that_the_clients_user_does_not_want_is_not_made(root, mode, answer, said):
    async def talk():
        async with served(root, "--write", mode=mode, user=User(answer)) as client:
            return await client.call_tool("edit_lines", EDIT)

    result = run(talk())
    assert result.is_error
    assert said in text(result)
    assert result.structured_content["error"]["type"] == "cancelled"
    assert (root / "a.ts").read_text() == FILES["a.ts"]


@pytest.mark.parametrize("mode", MODES)
def test_without_a_client_that_can_ask_changes_are_rejected(root, mode):
    async def talk():
        async with served(root, "--write", mode=mode) as client:
            return await client.call_tool("edit_lines", EDIT)

    result = run(talk())
    assert result.is_error
    assert "this MCP client cannot ask the user" in text(result)
    assert (root / "a.ts").read_text() == FILES["a.ts"]


@pytest.mark.parametrize("mode", MODES)
def test_what_changes_while_the_user_thinks_is_asked_anew(root, mode):
    changed = "export const before = 0;\n" + FILES["b.ts"]

    def edit_meanwhile():
        (root / "b.ts").write_text(changed)
        return YES

    user = User(edit_meanwhile, DECLINED)

    async def talk():
        async with served(root, "--write", mode=mode, user=user) as client:
            return await client.call_tool("delete_file", {"path": "b.ts"})

    assert run(talk()).is_error
    first, second = user.asked
    assert "before" not in first.message
    assert "before" in second.message
    assert (root / "b.ts").read_text() == changed


def test_an_answer_is_for_the_question_that_was_shown(root):
    """In the newest protocol the client sends the question's state back, and may err."""
    answer = types.ElicitResult(action="accept", content={"apply": True})

    async def talk():
        async with served(root, "--write", mode="auto", user=User()) as client:
            asked = await client.session.call_tool("edit_lines", EDIT, allow_input_required=True)
            others = [
                await client.session.call_tool(
                    name,
                    arguments,
                    input_responses={"question": answer},
                    request_state=state,
                    allow_input_required=True,
                )
                for name, arguments, state in [
                    ("delete_file", {"path": "a.ts"}, asked.request_state),
                    ("edit_lines", EDIT, "no state"),
                    ("edit_lines", EDIT, "[]"),
                    ("edit_lines", EDIT, None),
                ]
            ]
            return [asked, *others]

    for result in run(talk()):
        assert isinstance(result, types.InputRequiredResult)
    assert (root / "a.ts").read_text() == FILES["a.ts"]


def test_others_are_served_while_the_user_thinks(root):
    async def talk():
        thinking, answered = asyncio.Event(), asyncio.Event()

        async def user(_context, _params):
            thinking.set()
            await answered.wait()
            return YES

        async with served(root, "--write", user=user) as client:
            edit = asyncio.create_task(client.call_tool("edit_lines", EDIT))
            await thinking.wait()
            read = await client.call_tool("get_lines", {"path": "b.ts"})
            answered.set()
            return read, await edit

    read, edited = run(talk())
    assert "export const b = 2;" in text(read)
    assert not edited.is_error
    assert (root / "a.ts").read_text() == EDITED


def test_secrets_are_hidden_and_their_placeholders_are_not_written(root):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (root / "key.ts").write_text(f'const token = "{secret}";\n')

    async def talk():
        async with served(root, "--write", user=User()) as client:
            read = await client.call_tool("get_lines", {"path": "key.ts"})
            shown = text(read).partition('"')[2].partition('"')[0]
            copied = {"path": "copy.ts", "content": f'const token = "{shown}";\n'}
            return read, shown, await client.call_tool("create_file", copied)

    read, shown, copied = run(talk())
    assert shown.startswith("[redacted:")
    assert secret not in text(read) + json.dumps(read.structured_content)
    assert copied.is_error
    assert "stands for a value that is hidden from you" in text(copied)
    assert not (root / "copy.ts").exists()


def test_users_settings_decide_for_them(root):
    (root / ".ipuaro.json").write_text(json.dumps({"approve": "never"}))
    user = User()

    async def talk():
        async with served(root, "--write", user=user) as client:
            return await client.call_tool("edit_lines", EDIT)

    assert 'the setting "approve" is "never"' in text(run(talk()))
    assert user.asked == []


def commands_in(root):
    running = (process.info for process in psutil.process_iter(["cwd", "name"]))
    return [one for one in running if one == {"cwd": str(root), "name": "sleep"}]


async def eventually(condition):
    while not condition():  # noqa: ASYNC110 - what others do cannot be awaited
        await asyncio.sleep(0.02)


def test_a_call_that_is_cancelled_stops_its_command(root):
    async def talk():
        async with served(root, "--write", user=User(YES)) as client:
            call = asyncio.create_task(
                client.call_tool("run_command", {"command": "sleep 600", "timeout": 600_000})
            )
            await eventually(lambda: commands_in(root))
            call.cancel()
            await eventually(lambda: not commands_in(root))
            return await client.call_tool("get_lines", {"path": "a.ts"})

    assert not run(talk()).is_error


@contextmanager
def start(root, *options):
    """Our server, to be talked with by hand; it does not outlive a failure."""
    pipes = dict.fromkeys(["stdin", "stdout", "stderr"], subprocess.PIPE)
    argv = [sys.executable, "-m", "ipuaro_jupyter.cli", "mcp", str(root), *options]
    with subprocess.Popen(argv, **pipes, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def send(process, method, number=None, **params):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def initialize(process, **capabilities):
    info = {"name": "test", "version": "1"}
    version = "2025-06-18"
    send(
        process,
        "initialize",
        1,
        protocolVersion=version,
        capabilities=capabilities,
        clientInfo=info,
    )
    assert json.loads(process.stdout.readline())["id"] == 1
    send(process, "notifications/initialized")


def test_nothing_but_the_protocol_is_on_standard_output(root):
    (root / ".ipuaro.json").write_text(json.dumps({"approve": "all"}))
    with start(root, "--write") as process:
        initialize(process)
        send(process, "tools/call", 2, name="run_command", arguments={"command": "echo hello"})
        send(process, "tools/call", 3, name="get_complexity", arguments={})
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        out, err = process.communicate(timeout=WITHIN_S)
    assert sorted(answer["id"] for answer in answers) == [2, 3]
    assert out == ""
    assert "approve" in err  # which a project may not loosen by itself
    assert "Traceback" not in err
    assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_what_it_has_started(root, number):
    with start(root, "--write") as process:
        initialize(process, elicitation={})
        arguments = {"command": "sleep 600", "timeout": 600_000}
        send(process, "tools/call", 2, name="run_command", arguments=arguments)
        asked = json.loads(process.stdout.readline())
        assert asked["method"] == "elicitation/create"
        result = {"action": "accept", "content": {"apply": True}}
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
        process.stdin.write(json.dumps(answer) + "\n")
        process.stdin.flush()
        asyncio.run(asyncio.wait_for(eventually(lambda: commands_in(root)), WITHIN_S))
        process.send_signal(number)
        assert process.wait(WITHIN_S) == 128 + number
    asyncio.run(asyncio.wait_for(eventually(lambda: not commands_in(root)), WITHIN_S))


def test_a_client_that_is_killed_leaves_nothing_behind(root):
    code = f"""
import subprocess, sys, time
process = subprocess.Popen(
    [sys.executable, "-m", "ipuaro_jupyter.cli", "mcp", {str(root)!r}], stdin=subprocess.PIPE
)
print(process.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as client:
        try:
            server = psutil.Process(int(client.stdout.readline()))
        finally:
            client.kill()
    deadline = time.monotonic() + WITHIN_S
    while server.is_running() and server.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("settings", "said"),
    [(None, "nowhere"), ('{"aprove": "all"}', "Did you mean 'approve'?")],
)
def test_a_wrong_folder_or_setting_is_told_at_once(root, settings, said):
    path = root / "nowhere" if settings is None else root
    if settings is not None:
        (root / ".ipuaro.json").write_text(settings)
    with start(path) as process:
        out, err = process.communicate(timeout=WITHIN_S)
    assert process.returncode == 2
    assert out == ""
    assert said in err
    assert len(err.splitlines()) == 1


def redis_at(socket):
    program = shutil.which("redis-server")
    if program is None:
        assert not os.environ.get("CI"), "CI needs redis-server."
        pytest.skip("redis-server is not installed")
    options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", socket.parent]
    return subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)


def test_a_project_that_cannot_be_opened_is_told_to_each_call_until_it_can(
    root, tmp_path, monkeypatch
):
    """A server of the user's own for the store may come later than the client."""
    socket = tmp_path / "r.sock"
    monkeypatch.setenv("IPUARO_REDIS_URL", f"unix://{socket}")

    async def talk(log):
        async with served(root, log=log) as client:
            before = await client.call_tool("get_lines", {"path": "a.ts"})
            with redis_at(socket) as server:
                await eventually(socket.exists)
                after = await client.call_tool("get_lines", {"path": "a.ts"})
                server.terminate()
            return before, after

    with (tmp_path / "log").open("w") as log:
        before, after = run(talk(log))
    assert before.is_error
    assert before.structured_content["error"]["type"] == "storage"
    assert str(socket) in text(before)
    assert not after.is_error, text(after)
    assert "cannot be opened" in (tmp_path / "log").read_text()
