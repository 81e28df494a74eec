"""Servers that crash, hang, talk nonsense or come over HTTP: real programs, made with the SDK."""

import os
import subprocess
import sys
import threading
import time

import psutil
import pytest
from opened_mcp import (
    SERVERS,
    WITHIN_S,
    Servers,
    broken,
    program,
    started,
    workshop,
)
from waiting import has_ended, until

from ipuaro_jupyter.agent.mcp.mcp_client import McpServers
from ipuaro_jupyter.agent.mcp.mcp_connection import MOST_RESTARTS
from ipuaro_jupyter.agent.mcp.mcp_settings import McpServerSettings
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.tools import Tools


@pytest.fixture(scope="module")
def shared(tmp_path_factory, project_in):
    """The workshop, opened once for the tests that leave it as it is."""
    folder = tmp_path_factory.mktemp("shared")
    servers = Servers(folder, project_in, work=workshop(folder / "pids"))
    yield servers
    servers.servers.close()


def test_all_pages_of_tools_are_offered(shared):
    assert shared.notices == []
    assert len(shared.tools) == 14
    names = [tool.name for tool in shared.tools]
    assert names == sorted(names, key=str.lower)
    assert "mcp__work__Fail_Loud" in names


def test_calls_reach_the_server_and_come_back(shared):
    result = shared.call("work__greet", name="Bo", **{"file-path": "a b"})
    assert result.text() == "greet [('file-path', 'a b'), ('name', 'Bo')]"
    assert shared.call("WORK__GREET", name="Jo").success
    assert shared.call("work__structured").to_dict()["output"]["structuredContent"] == {
        "answer": [1, None]
    }
    assert "[image image/png, 5 bytes, not shown]" in shared.call("work__mixed").text()
    failed = shared.call("work__fail_loud").error
    assert failed.type == "command"
    assert "It does not work on Mondays." in failed.message
    assert failed.recoverable


def test_a_long_answer_keeps_both_ends(shared):
    text = shared.call("work__long").text()
    assert text.startswith("first\n")
    assert text.endswith("last")
    assert len(text) < 40_000


def test_an_answer_other_than_promised_is_an_error(shared):
    error = shared.call("work__lie").error
    assert error.type == "parse"
    assert "lie" in error.message


def test_tools_that_come_later_are_offered(opened, pids):
    servers = opened(work=workshop(pids))
    assert servers.tools.find("mcp__work__extra") is None
    assert servers.call("work__change_tools").success
    until(lambda: servers.tools.find("mcp__work__extra") is not None)


def test_calls_may_run_at_once(shared):
    results = []

    def call(number):
        results.append(shared.call("work__free", number=number).text())

    threads = [threading.Thread(target=call, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WITHIN_S)
    assert sorted(results) == [f"free [('number', {n})]" for n in range(8)]


def test_a_crash_is_an_error_and_the_next_call_works_again(opened, pids):
    servers = opened(work=workshop(pids))
    error = servers.call("work__crash").error
    assert error.type == "command"
    assert error.recoverable
    assert "exit code 7" in error.message
    assert "crashing on purpose" in error.message
    assert "opens it anew" in error.suggestion
    assert servers.call("work__greet", name="again").success
    assert len(set(started(pids))) == 2


def test_a_server_that_was_killed_between_calls_is_started_again(opened, pids):
    servers = opened(work=workshop(pids))
    psutil.Process(started(pids)[0]).kill()
    until(lambda: has_ended(started(pids)[0]))
    until(lambda: servers.call("work__greet", name="again").success)
    assert len(started(pids)) == 2


def test_a_server_that_always_crashes_is_not_started_for_ever(opened, pids):
    servers = opened(work=workshop(pids))
    errors = [servers.call("work__crash").error for _ in range(MOST_RESTARTS + 3)]
    assert len(started(pids)) == MOST_RESTARTS + 1
    assert "It is not opened again." in errors[MOST_RESTARTS].suggestion
    assert "not opened again" in errors[-1].message
    assert errors[-1].recoverable


def test_a_call_that_takes_too_long_is_a_timeout_and_the_server_lives_on(opened, pids):
    servers = opened(work=workshop(pids, timeout=1500))
    error = servers.call("work__sleep").error
    assert error.type == "timeout"
    assert "1.5 s" in error.message
    until(pids.with_suffix(".cancelled").exists)
    until(lambda: servers.call("work__greet", name="again").success)
    assert len(started(pids)) == 1


def test_a_server_that_answers_nothing_any_more_is_started_again(opened, pids):
    servers = opened(work=workshop(pids, timeout=1500))
    assert servers.call("work__freeze").error.type == "timeout"
    frozen = started(pids)[0]
    until(lambda: servers.call("work__greet", name="again").success)
    assert started(pids)[1] != frozen
    assert has_ended(frozen)


def test_stop_ends_the_call_at_once_and_the_server_is_told(opened, pids):
    servers = opened(work=workshop(pids))
    cancel = CancelToken()
    stopped_s = []

    def stop():
        until(pids.with_suffix(".sleeping").exists)
        stopped_s.append(time.monotonic())
        cancel.cancel()

    user = threading.Thread(target=stop)
    user.start()
    with pytest.raises(Cancelled):
        servers.call("work__sleep", cancel)
    assert time.monotonic() - stopped_s[0] < 20  # the call itself takes a minute
    user.join()
    with pytest.raises(Cancelled):
        servers.call("work__greet", cancel, name="too late")
    until(pids.with_suffix(".cancelled").exists)
    assert servers.call("work__greet", name="again").success


def test_stop_while_servers_start_does_not_wait_for_them(tmp_path):
    servers = McpServers(
        {"silent": broken("silent", start_timeout=60_000)}, root=tmp_path, tools=Tools([])
    )
    cancel = CancelToken()
    timer = threading.Timer(0.3, cancel.cancel)
    timer.start()
    begun = time.monotonic()
    assert [event.phase for event in servers.opened(cancel)] == ["starting"]
    servers.close()
    assert time.monotonic() - begun < 40
    timer.join()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("exit", ["exit code 4", "no licence found"]),
        ("refusing", ["could not be opened: no licence"]),
        ("silent", ["not ready within 1.5 s"]),
        ("garbage", ["something else than MCP", "Loading the model of the world", "left out"]),
        ("banner", ["not ready within 6 s", "Welcome! This is no JSON."]),
        ("nonsense", ["not ready within 6 s", '"result": 3']),
    ],
)
def test_a_program_that_is_no_good_server_is_told_of_with_what_it_said(opened, how, said):
    wait_ms = {"silent": 1500, "banner": 6000, "nonsense": 6000}
    servers = opened(bad=broken(how, start_timeout=wait_ms.get(how, 60_000)))
    (notice,) = servers.notices
    assert "'bad'" in notice
    for words in said:
        assert words in notice
    assert len(notice) < 3000
    assert len(servers.tools) == 0
    assert servers.servers.remarks == (notice,)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"command": "no-such-program"}, "'no-such-program' is not installed"),
        ({"command": sys.executable, "cwd": "nowhere"}, "which is no folder"),
        ({"command": sys.executable, "env": {"A": "${MCP_TEST_NONE}"}}, "MCP_TEST_NONE"),
        ({"url": "http://127.0.0.1:9/mcp"}, "could not be opened"),
        ({"url": "http://127.0.0.1:9/sse", "type": "sse"}, "could not be opened"),
    ],
)
def test_a_server_that_is_not_there_is_told_of_and_others_work(opened, pids, settings, said):
    servers = opened(bad=McpServerSettings.model_validate(settings), work=workshop(pids))
    (notice,) = servers.notices
    assert notice.startswith("The MCP server 'bad' could not be opened: ")
    assert said in notice
    assert servers.call("work__greet", name="Bo").success
    assert servers.servers.remarks[1] == "MCP server 'work': 14 tools"


def test_a_server_that_is_disabled_is_not_started(opened, pids):
    servers = opened(work=workshop(pids, disabled=True))
    assert len(servers.tools) == 0
    assert servers.servers.remarks == ()
    assert not pids.exists()


def test_programs_get_their_variables_and_no_secrets_of_ours(opened, pids, monkeypatch):
    monkeypatch.setenv("MCP_TEST_TOKEN", "hidden")
    monkeypatch.setenv("MCP_TEST_PLAIN", "shown")
    settings = workshop(pids, env={"KEY": "a ${MCP_TEST_PLAIN}", "OWN_TOKEN": "given"})
    said = opened(work=settings).call("work__variables").text().splitlines()
    assert "KEY=a shown" in said
    assert "OWN_TOKEN=given" in said
    assert "MCP_TEST_PLAIN=shown" in said
    assert not any("hidden" in line for line in said)


def test_a_server_of_the_newest_protocol_alone_is_understood(opened):
    servers = opened(new=program("modern.py"))
    assert servers.notices == []
    assert servers.call("new__era").text() == "2026-07-28"


def test_closing_ends_the_servers_and_their_tools(opened, pids, project_in, tmp_path):
    servers = opened(work=workshop(pids))
    tool = servers.tools.find("mcp__work__greet")
    servers.servers.close()
    servers.servers.close()
    assert has_ended(started(pids)[0])
    assert len(servers.tools) == 0
    project = project_in(tmp_path)
    assert "closed" in Tools([tool]).call(tool.name, {"name": "Bo"}, project).error.message


def test_servers_die_with_a_kernel_that_is_killed(tmp_path, pids):
    code = f"""
import sys, time
from pathlib import Path
from ipuaro_jupyter.agent.mcp.mcp_client import McpServers
from ipuaro_jupyter.agent.mcp.mcp_settings import McpServerSettings
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.tools import Tools

settings = McpServerSettings(
    command=sys.executable, args=({str(SERVERS / "workshop.py")!r}, {str(pids)!r})
)
tools = Tools([])
servers = McpServers({{"work": settings}}, root=Path({str(tmp_path)!r}), tools=tools)
list(servers.opened(CancelToken()))
print(len(tools), flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as kernel:
        try:
            assert kernel.stdout.readline() == b"14\n"
            server = psutil.Process(started(pids)[0])
            assert os.getsid(server.pid) != os.getsid(0)
        finally:
            kernel.kill()
    until(lambda: has_ended(server.pid))
