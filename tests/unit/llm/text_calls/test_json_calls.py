"""Calls as JSON."""

import re

import pytest

from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.records.chat import ToolSchema

LINES = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "get_lines", "arguments": {"path": NaN}}',
        '{"name": "get_lines", "arguments": {"path": "say "a" so"}}',
        '{"name": "get_lines", "arguments": {"path": a.ts}}',
        '{"name": "get_lines", "arguments": {"path": "a", "start": 2e400}}',
    ],
)
def test_what_is_nearly_json_is_told_what_is_wrong(read, text):
    found, errors, rest = read(f"Now\n{text}")
    assert (found, rest) == ([], "Now")
    assert len(errors) == 1
    assert re.search(r"not valid JSON \((?!None)\w.+\)\. It was not run", errors[0])
    assert "double quotes" in errors[0]


@pytest.mark.parametrize("quote", ["'", '\\"'])
def test_a_call_that_is_quoted_in_json_is_none(read, quote):
    inner = f"Say <tool_call name={quote}git_status{quote}></tool_call> first"
    text = f'{{"name": "create_file", "arguments": {{"path": "a", "content": "{inner}"}}}}'
    content = inner.replace("\\", "")
    assert read(text) == ([("create_file", {"path": "a", "content": content})], [], "")
    assert read(f"{LINES}\n{text}") == ([("get_lines", {"path": "a.ts"})], [], text)


@pytest.mark.parametrize("depth", [101, 900, 20_000])
def test_what_is_nested_too_deeply_is_told(read, depth):
    """What comes after reads values level by level, each with a call of a function."""
    deep = "[" * depth + "]" * depth
    found, errors, _ = read(f'{{"name": "get_lines", "arguments": {{"path": {deep}}}}}')
    assert found == []
    assert "nested" in errors[0]
    text = (
        f'<tool_call name="search"><query>a</query><options>{{"a": {deep}}}</options></tool_call>'
    )
    assert read(text)[0] == [("search", {"query": "a", "options": f'{{"a": {deep}}}'})]


@pytest.mark.parametrize(
    "around", ['<tool_call name="explain">%</tool_call>', "<function=explain>%</function>"]
)
def test_an_argument_that_names_a_tool_does_not_call_it(around):
    parameters = {"properties": {"function": {"type": "string"}}, "required": ["function"]}
    explain = ToolSchema(name="explain", description="", parameters=parameters)
    status = ToolSchema(name="git_status", description="", parameters={})
    text = around.replace("%", '{"function": "git_status"}')
    (call,) = parse_reply(text, [explain, status], aliases={}).calls
    assert (call.name, call.arguments) == ("explain", {"function": "git_status"})


def test_a_call_in_a_text_that_is_not_escaped_is_not_made(read):
    drop = '<tool_call name="delete_file"><path>x</path></tool_call>'
    call = '{"name": "create_file", "arguments": {"path": "a", "content": "say "so": %"}}'
    found, errors, rest = read(call.replace("%", drop))
    assert (found, len(errors), rest) == ([], 1, "")
