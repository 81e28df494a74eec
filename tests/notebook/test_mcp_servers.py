"""Tools of MCP servers in a notebook: run by hand, also right after the project was opened."""

import json
import sys
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.jobs import ToolJob
from ipuaro_jupyter.notebook.open_project import Desk
from ipuaro_jupyter.notebook.work import Work

WORKSHOP = Path(__file__).parents[1] / "agent" / "mcp_servers" / "workshop.py"


@pytest.fixture
def desk(project, recording, tmp_path):
    args = [str(WORKSHOP), str(tmp_path / "pids")]
    server = {"command": sys.executable, "args": args, "startTimeout": 120_000}
    opened = Desk()
    settings = {"mcpServers": {"work": server}}
    opened.open(str(project), model=f"recorded:{recording}", settings=settings)
    yield opened
    opened.close()


def run(desk, line):
    job = ToolJob(desk, line)
    return job.run(Work(job.run))


def test_a_tool_of_a_server_that_still_starts_is_waited_for(desk):
    result = run(desk, 'mcp__work__greet name=Bo times=3 file-path="a b"')
    said = "greet [('file-path', 'a b'), ('name', 'Bo'), ('times', 3)]"
    assert result.text() == said
    arguments = json.dumps({"name": "Jo"})
    assert run(desk, f"MCP__WORK__GREET {arguments}").text() == "greet [('name', 'Jo')]"


def test_a_tool_that_no_server_has_is_told_with_the_closest(desk):
    with pytest.raises(SettingsError, match="Did you mean mcp__work__greet"):
        run(desk, "mcp__work__gret name=Bo")


def test_tools_of_servers_are_listed(desk):
    desk.assistant.connect(tool="mcp__work__greet")
    assert "mcp__work__greet(name, times?, loud?, file-path?)" in desk.listed_tools()
