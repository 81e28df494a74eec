"""Servers of MCP that are reached over HTTP."""

import subprocess
import sys

import pytest
from opened_mcp import SERVERS, WITHIN_S

from ipuaro_jupyter.agent.mcp.mcp_settings import McpServerSettings


@pytest.fixture
def serve(tmp_path):
    """Return a function that serves the workshop over HTTP and returns process and port."""
    running = []

    def start(form, port=0):
        argv = [sys.executable, str(SERVERS / "over_http.py"), form, str(tmp_path / "pids")]
        process = subprocess.Popen(
            [*argv, str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        running.append(process)
        return process, int(process.stdout.readline())

    yield start
    for process in running:
        process.kill()
        process.communicate()


def over_http(form, port, token="open"):
    path = {"http": "mcp", "sse": "sse"}[form]
    return McpServerSettings(
        type=form,
        url=f"http://127.0.0.1:{port}/{path}?key=private",
        headers={"Authorization": f"Bearer {token}"},
        timeout=60_000,
        start_timeout=120_000,
    )


@pytest.mark.parametrize("form", ["http", "sse"])
def test_servers_are_reached_over_http_with_headers(opened, serve, form):
    _, port = serve(form)
    servers = opened(web=over_http(form, port))
    assert servers.notices == []
    assert len(servers.tools) == 14
    assert servers.call("web__greet", name="Bo").text() == "greet [('name', 'Bo')]"
    assert "Mondays" in servers.call("web__fail_loud").error.message


@pytest.mark.parametrize("form", ["http", "sse"])
def test_a_server_that_went_away_is_reached_again_when_it_is_back(opened, serve, form):
    process, port = serve(form)
    servers = opened(web=over_http(form, port))
    crashed = servers.call("web__crash").error
    assert crashed.type == "command"
    assert crashed.recoverable
    process.wait(WITHIN_S)
    assert "could not be opened" in servers.call("web__greet", name="Bo").error.message
    serve(form, port)
    assert servers.call("web__greet", name="Bo").success


@pytest.mark.parametrize("form", ["http", "sse"])
def test_a_server_that_wants_other_headers_is_told_of_without_secrets(opened, serve, form):
    _, port = serve(form)
    servers = opened(web=over_http(form, port, token="wrong"))
    (notice,) = servers.notices
    assert "401" in notice
    assert "private" not in notice
    assert "wrong" not in notice
