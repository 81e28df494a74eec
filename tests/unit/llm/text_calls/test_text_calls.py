"""What the names of calls mean, and what a parser says while a reply streams."""

import json

import pytest

from ipuaro_jupyter.llm.text_calls.reply_parser import StreamParser, meant_call, parse_reply
from ipuaro_jupyter.records.chat import ToolCall

LINES = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'


@pytest.mark.parametrize(
    ("name", "arguments", "meant"),
    [
        ("read_file", {"path": "a"}, "get_lines"),
        ("read_file", {"filepath": "a"}, "read_file"),
        ("Get_Lines", {"file": "a"}, "get_lines"),
        ("cat", {"file": "a"}, "get_lines"),
        ("cat", {"squeeze": "a"}, "cat"),
        ("edit_file", {"path": "a"}, "edit_file"),
    ],
)
def test_a_native_call_is_given_the_name_of_the_tool_it_means(
    schemas, aliases, name, arguments, meant
):
    call = ToolCall(name=name, arguments=arguments, id="7")
    expected = ToolCall(name=meant, arguments=arguments, id="7")
    assert meant_call(call, schemas, aliases=aliases) == expected


@pytest.mark.parametrize(
    "name",
    [
        *("functions.get_lines", "functions.get_lines:0", "get_lines<|channel|>json"),
        *("get_lines<|constrain|>json", "default_api:get_lines", "default_api.get_lines"),
        *("tools.get_lines", "mcp__ipuaro__get_lines", "get-lines", "getLines", "Get Lines"),
        *("tool.cat", "functions.viewFile", "repo_browser.get_lines", "`get_lines`", "get_lines()"),
    ],
)
def test_marks_around_a_name_are_taken_off(schemas, aliases, calls, name):
    native = ToolCall(name=name, arguments={"path": "a.ts"})
    assert meant_call(native, schemas, aliases=aliases).name == "get_lines"
    written = json.dumps({"name": name, "arguments": {"path": "a.ts"}})
    assert calls(written) == [("get_lines", {"path": "a.ts"})]


@pytest.mark.parametrize("name", ["web.cat", "lines", "functions.", "", ".", "get_lines_json"])
def test_other_names_are_not_mended(schemas, aliases, name):
    native = ToolCall(name=name, arguments={"path": "a.ts"})
    assert meant_call(native, schemas, aliases=aliases).name == name


def test_the_very_name_of_a_tool_comes_first(schemas):
    named = schemas[0].model_copy(update={"name": "mcp__x__get_lines"})
    call = ToolCall(name="mcp__x__get_lines", arguments={"path": "a.ts"})
    assert meant_call(call, (*schemas, named), aliases={}).name == "mcp__x__get_lines"


def test_calls_have_ids_if_they_are_asked_for(schemas, aliases):
    parser = StreamParser(schemas, aliases=aliases, ids="7.")
    pieces = parser.feed(LINES + LINES) + parser.finish()
    assert [piece.call.id for piece in pieces if piece.call] == ["7.1", "7.2"]
    assert [call.id for call in parser.reply.calls] == ["7.1", "7.2"]
    assert [call.id for call in parse_reply(LINES, schemas, aliases=aliases).calls] == [""]


def test_json_is_text_beside_calls_that_are_not_in_the_text(schemas, aliases):
    parser = StreamParser(schemas, aliases=aliases)
    parser.feed('{"name": "git_status", "arguments": {}}')
    parser.calls_elsewhere = True
    parser.finish()
    assert parser.reply.calls == ()
    assert parser.reply.text == '{"name": "git_status", "arguments": {}}'
