"""Tools of MCP servers in a notebook: run by hand, also right after the project was opened."""

import json
import sys
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.cell_jobs import ToolJob
from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.notebook.open_project import OpenProject

WORKSHOP = Path(__file__).parents[2] / "support" / "mcp_servers" / "workshop.py"


@pytest.fixture
def open_project(project, recording, tmp_path):
    args = [str(WORKSHOP), str(tmp_path / "pids")]
    server = {"command": sys.executable, "args": args, "startTimeout": 120_000}
    opened = OpenProject()
    settings = {"mcpServers": {"work": server}}
    opened.open(str(project), model=f"recorded:{recording}", settings=settings)
    yield opened
    opened.close()


def run(open_project, line):
    job = ToolJob(open_project, line)
    return job.run(CellThread(job.run))


def test_a_tool_of_a_server_that_still_starts_is_waited_for(open_project):
    result = run(open_project, 'mcp__work__greet name=Bo times=3 file-path="a b"')
    said = "greet [('file-path', 'a b'), ('name', 'Bo'), ('times', 3)]"
    assert result.text() == said
    arguments = json.dumps({"name": "Jo"})
    assert run(open_project, f"MCP__WORK__GREET {arguments}").text() == "greet [('name', 'Jo')]"


def test_a_tool_that_no_server_has_is_told_with_the_closest(open_project):
    with pytest.raises(SettingsError, match="Did you mean mcp__work__greet"):
        run(open_project, "mcp__work__gret name=Bo")


def test_tools_of_servers_are_listed(open_project):
    open_project.assistant.connect(tool="mcp__work__greet")
    assert "mcp__work__greet(name, times?, loud?, file-path?)" in open_project.listed_tools()
