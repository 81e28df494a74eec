"""The tools in the MCP server of a real Jupyter server, which jupyter-server-mcp runs."""

import asyncio
import os
import socket
import subprocess
import sys
import sysconfig
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import clients
import pytest
from mcp import Client

from ipuaro_jupyter.errors import ProjectError
from ipuaro_jupyter.mcp_server.jupyter_tools import TOOLS, codebase_lines, folder_of

FILES = {
    "app/src/login.ts": "export function login() {\n  return 1;\n}\n",
    "app/src/use.ts": "import { login } from './login';\nlogin();\n",
    "app/.env": "API_KEY=sk-live-0123456789abcdef0123\n",
}


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The Python of an environment that has this one's packages and jupyter-server-mcp."""
    venv = tmp_path_factory.mktemp("server") / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True, timeout=120)
    (own,) = (venv / "lib").glob("python*/site-packages")
    base = sysconfig.get_path("purelib")
    (own / "base.pth").write_text(f"import site; site.addsitedir({base!r})\n")
    found = venv / "bin" / "python"
    install = [found, "-m", "pip", "install", "-q", "jupyter-server-mcp>=0.4,<0.5"]
    subprocess.run(install, check=True, timeout=540)
    return found


class Served(NamedTuple):
    """A running server: the address of its tools, and its folder."""

    url: str
    root: Path


@pytest.fixture
def served(python, make_project, tmp_path):
    """The MCP server of a Jupyter server."""
    root = make_project(FILES, name="served")
    (tmp_path / "outside").mkdir()
    port = free_port()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.json").write_text('{"tools": {"inJupyterServer": true}}')
    folders = {"IPUARO_HOME": str(tmp_path / "home")} | {
        f"JUPYTER_{name}_DIR": str(tmp_path / name.lower())
        for name in ("CONFIG", "DATA", "RUNTIME")
    }
    with (tmp_path / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [
                *(python, "-P", "-m", "jupyter_server", "--allow-root", "--no-browser"),
                *(f"--ServerApp.root_dir={root}", f"--ServerApp.port={free_port()}"),
                *("--ServerApp.token=test", f"--MCPExtensionApp.mcp_port={port}"),
            ],
            env=os.environ | folders,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        until_s = time.monotonic() + 60
        while not answers(port):
            assert server.poll() is None, (tmp_path / "server.log").read_text()
            assert time.monotonic() < until_s, (tmp_path / "server.log").read_text()
            time.sleep(0.1)
        yield Served(f"http://127.0.0.1:{port}/mcp", root)
    finally:
        server.terminate()
        server.wait(30)


def free_port():
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        return listening.getsockname()[1]


def answers(port):
    with closing(socket.socket()) as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


async def told(url, *calls):
    async with Client(url) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {spec.partition(":")[2] for spec in TOOLS} <= names
        return [clients.text(await client.call_tool(name, given)) for name, given in calls]


def test_a_client_of_the_jupyter_server_reads_a_codebase(served):
    calls = [
        ("codebase_structure", {"project": "app"}),
        ("codebase_definition", {"symbol": "login", "project": "app"}),
        ("codebase_references", {"symbol": "login", "project": "app"}),
        ("codebase_function", {"path": "src/login.ts", "name": "login", "project": "app"}),
        ("codebase_lines", {"path": "src/use.ts", "project": "app"}),
        ("codebase_grep", {"pattern": "log.n", "use_regex": True, "project": "app"}),
        ("codebase_lines", {"path": ".env", "project": "app"}),
        ("codebase_lines", {"path": "../../outside", "project": "app"}),
        ("codebase_structure", {"project": "../outside"}),
        ("codebase_structure", {"project": "gone"}),
    ]
    found = asyncio.run(told(served.url, *calls))
    assert "login.ts" in found[0]
    assert "src/login.ts:1" in found[1]
    assert "src/use.ts" in found[2]
    assert "return 1;" in found[3]
    assert "import { login }" in found[4]
    assert "src/use.ts" in found[5]
    assert "sk-live-0123456789abcdef0123" not in found[6]
    assert "outside" in found[7]
    for one in found[8:]:
        assert one.startswith("Error: There is no folder")


def test_the_tools_are_off_until_the_users_own_settings_turn_them_on(tmp_path, monkeypatch):
    monkeypatch.setenv("IPUARO_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".ipuaro.json").write_text('{"tools": {"inJupyterServer": true}}')
    told = asyncio.run(codebase_lines("a.ts"))
    assert told.startswith("Error: These tools are off")
    assert str(tmp_path / "settings.json") in told
    (tmp_path / "settings.json").write_text('{"tools": {"inJupyterServer": true}}')
    assert "These tools run in a Jupyter server" in asyncio.run(codebase_lines("a.ts"))


@pytest.mark.parametrize("project", ["..", "../outside", "a\0b", "gone", "app/../..", "link"])
def test_a_project_is_below_the_servers_folder(tmp_path, project):
    server = tmp_path / "server"
    (server / "app").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (server / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(ProjectError, match="There is no folder"):
        folder_of(project, server)
    assert folder_of("", server) == server
    assert folder_of("/app/", server) == server / "app"
    assert Path(folder_of("app", server)).is_dir()


def test_the_home_folder_and_hidden_ones_are_no_project(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    (tmp_path / "app/.git").mkdir(parents=True)
    for project in ("", ".ssh", "app/.git"):
        with pytest.raises(ProjectError, match=r"no codebase|is hidden"):
            folder_of(project, tmp_path)
    assert folder_of("app", tmp_path) == tmp_path / "app"


def test_a_project_that_is_opened_keeps_no_other_waiting(served):
    for number in range(4_000):
        folder = served.root / f"large/{number % 40}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = (f"export const a{number}_{line} = {line};\n" for line in range(60))
        (folder / f"f{number}.ts").write_text("".join(lines))

    async def asked():
        ended = []

        async def ask(project, pattern):
            async with Client(served.url) as client:
                given = {"pattern": pattern, "project": project}
                found = clients.text(await client.call_tool("codebase_grep", given))
                ended.append((project, pattern in found))

        large = asyncio.create_task(ask("large", "a3999_59"))
        await asyncio.sleep(0.5)
        await asyncio.gather(large, ask("app", "login"))
        return ended

    assert asyncio.run(asked()) == [("app", True), ("large", True)]
