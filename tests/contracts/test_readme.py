"""The README's tables are made from the code; a failure prints what belongs there."""

import json
import re
from pathlib import Path

import pytest

from ipuaro_jupyter.notebook.commands import command_names, find_command
from ipuaro_jupyter.settings import Settings
from ipuaro_jupyter.tools import load_tools

README = Path(__file__).parents[2] / "README.md"


def tools_table():
    rows = ["| tool | what it does |", "| --- | --- |"]
    for tool in load_tools():
        first = tool.schema.description.split(". ")[0].rstrip(".")
        rows.append(f"| `{tool.signature}` | {first}. |")
    return "\n".join(rows)


def commands_table():
    rows = ["| command | what it does |", "| --- | --- |"]
    for name in command_names():
        command = find_command(name)
        usage = " ".join(command.parser.format_usage().removeprefix("usage: ").split())
        rows.append(f"| `{usage}` | {command.summary} |")
    return "\n".join(rows)


@pytest.mark.skipif(not README.exists(), reason="the tests of an installed wheel have no README")
def test_the_subcommands_in_the_readme_are_those_there_are():
    table = commands_table()
    assert table in README.read_text(encoding="utf-8"), f"Put this into README.md:\n{table}"


@pytest.mark.skipif(not README.exists(), reason="the tests of an installed wheel have no README")
def test_the_tools_in_the_readme_are_the_tools_there_are():
    table = tools_table()
    assert table in README.read_text(encoding="utf-8"), f"Put this into README.md:\n{table}"


@pytest.mark.skipif(not README.exists(), reason="the tests of an installed wheel have no README")
def test_the_settings_in_the_readme_can_be_set():
    blocks = re.findall(r"```json\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        Settings.model_validate(json.loads(block))
