import tomllib
from pathlib import Path

import pytest

from ipuaro_jupyter.workspace.sandbox.network_needs import git_writes, needs_network

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@pytest.mark.parametrize("command", CASES["command_needs_a_network"])
def test_command_needs_a_network(command):
    assert needs_network([command])


@pytest.mark.parametrize("command", CASES["command_needs_none"])
def test_command_needs_none(command):
    assert not needs_network([command])


@pytest.mark.parametrize(
    ("commands", "writes"),
    [
        (["npm test"], "nothing"),
        (["git commit -m x"], "all"),
        (["cd sub && git add ."], "all"),
        (["git add . && npm test"], "commits"),
        (["./release", "npm version", "git tag 1"], "commits"),
    ],
)
def test_git_directory_is_written_by_git_alone(commands, writes):
    assert git_writes(commands) == writes
