"""House rules for tools; each failure says what to do."""

import inspect
from pathlib import Path

import pytest

from ipuaro_jupyter.records.outputs import Output
from ipuaro_jupyter.tools import load_tools

TOOLS = list(load_tools())
TESTS = Path(__file__).parents[1] / "unit" / "tools"


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_tool_documents_every_parameter(tool):
    for name, entry in tool.schema.parameters["properties"].items():
        assert entry.get("description"), (
            f"Say what {name!r} is under Args: in {tool.name}'s docstring."
        )
    assert tool.schema.description, f"Give {tool.name} a docstring: the model reads it."


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_tool_returns_a_record(tool):
    returned = inspect.signature(tool.function, eval_str=True).return_annotation
    assert issubclass(returned, Output), (
        f"Annotate what {tool.name} returns with its Output record."
    )


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_tool_has_its_test(tool):
    file = TESTS / f"test_{tool.name}.py"
    assert file.exists(), f"Write {file.name} for the tool."


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_tool_says_what_its_parameters_name(tool):
    properties = tool.schema.parameters["properties"]
    unknown = set(tool.names) - set(properties)
    assert not unknown, f"{tool.name} has no parameters {unknown}: correct names= in @tool."
    creates = {"create_file", "write_file"}
    paths = {n for n in properties if n in {"path", "filepath", "directory", "cwd", "symbol"}}
    unsaid = paths - set(tool.names)
    assert not unsaid or tool.name in creates, (
        f"Say in names= of {tool.name}'s @tool what {unsaid} name: file, folder, place or symbol."
    )


def test_aliases_are_for_read_only_tools_and_shadow_nothing():
    names = {tool.name for tool in TOOLS}
    for tool in TOOLS:
        assert not (tool.aliases and tool.asks_first), f"{tool.name} changes things: use foreign=."
    aliases = [alias for tool in TOOLS for alias in (*tool.aliases, *tool.foreign)]
    assert len(aliases) == len(set(aliases)), "An alias stands for two tools."
    for shadowed in names & set(aliases):
        (tool,) = [tool for tool in TOOLS if tool.name == shadowed]
        (other,) = [tool for tool in TOOLS if shadowed in tool.aliases]
        assert not tool.takes(other.schema.parameters["required"]), (
            f"{shadowed} is a tool: a call of it cannot be told from one of {other.name}."
        )
