import pytest
from pydantic import ValidationError

from ipuaro_jupyter.agent.mcp.mcp_settings import McpServerSettings, filled_in
from ipuaro_jupyter.errors import ToolError


@pytest.mark.parametrize(
    ("given", "transport"),
    [
        ({"command": "server"}, "stdio"),
        ({"type": "stdio", "command": "server", "args": ["-v"], "env": {"A": "1"}}, "stdio"),
        ({"url": "https://example.org/mcp"}, "http"),
        ({"type": "http", "url": "https://example.org/mcp"}, "http"),
        ({"type": "streamable-http", "url": "${WHERE}/mcp"}, "http"),
        ({"type": "sse", "url": "https://example.org/sse", "headers": {"A": "b"}}, "sse"),
    ],
)
def test_forms_of_other_assistants_are_read(given, transport):
    assert McpServerSettings.model_validate(given).transport == transport


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"command": ""},
        {"command": "server", "url": "https://example.org"},
        {"type": "stdio", "url": "https://example.org"},
        {"type": "sse", "command": "server"},
        {"url": "ftp://example.org"},
        {"command": "server", "timeout": 0},
        {"command": "server", "unknown": 1},
    ],
)
def test_what_names_no_server_is_refused(given):
    with pytest.raises(ValidationError):
        McpServerSettings.model_validate(given)


def test_a_server_can_be_switched_off_without_saying_where_it_is():
    assert McpServerSettings(disabled=True).disabled


def test_variables_are_filled_in(monkeypatch):
    monkeypatch.setenv("MCP_TEST_NAME", "Bo")
    assert filled_in("a ${MCP_TEST_NAME} b ${MCP_TEST_NONE:-c d}${MCP_TEST_NONE:-}") == "a Bo b c d"
    assert filled_in("$HOME and $(ls) and {x}") == "$HOME and $(ls) and {x}"


def test_a_missing_variable_is_an_error_that_names_it():
    with pytest.raises(ToolError, match="MCP_TEST_NONE"):
        filled_in("${MCP_TEST_NONE}")
