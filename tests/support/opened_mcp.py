"""Servers of MCP that are opened for a test: real programs, made with the SDK."""

import sys
from pathlib import Path

import pytest

from ipuaro_jupyter.agent.mcp.mcp_client import McpServers
from ipuaro_jupyter.agent.mcp.mcp_settings import McpServerSettings
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.records.events import Noticed
from ipuaro_jupyter.tools import Tools

SERVERS = Path(__file__).parent / "mcp_servers"
WITHIN_S = 60


class Servers:
    """Servers by name, opened, with their tools called by hand."""

    def __init__(self, folder, project_in, **settings):
        self._project_in = lambda cancel: project_in(folder, cancel)
        self.tools = Tools([])
        self.servers = McpServers(settings, root=folder, tools=self.tools)
        opened = self.servers.opened(CancelToken())
        self.notices = [event.text for event in opened if isinstance(event, Noticed)]

    def call(self, tool, cancel=None, **arguments):
        return self.tools.call(f"mcp__{tool}", arguments, self._project_in(cancel))


@pytest.fixture
def opened(tmp_path, project_in):
    """Return a function that opens servers; they are closed afterwards."""
    made = []

    def open_them(**settings):
        made.append(Servers(tmp_path, project_in, **settings))
        return made[-1]

    yield open_them
    for servers in made:
        servers.servers.close()


@pytest.fixture
def pids(tmp_path):
    """The file to which each start of the workshop adds its process id."""
    return tmp_path / "pids"


def workshop(pids, **more):
    return program("workshop.py", str(pids), **more)


def program(name, *arguments, **more):
    args = (str(SERVERS / name), *arguments)
    more.setdefault("start_timeout", 120_000)
    return McpServerSettings(command=sys.executable, args=args, **more)


def broken(how, **more):
    return program("broken.py", how, **more)


def started(pids):
    return [int(line) for line in pids.read_text().split()]
