"""``ipuaro mcp``: how its process begins, is talked with by hand, and ends."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager

import psutil
import pytest
from clients import WITHIN_S, YES, User, commands_in, eventually, run, served, text
from waiting import become, has_ended


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
    assert become(lambda: has_ended(server.pid), WITHIN_S)


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
