"""Calls as JSON."""

import re

import pytest

LINES = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "get_lines", "arguments": {"path": "a.ts"}}',
        '{"tool": "get_lines", "args": {"path": "a.ts"}}',
        '{"name": "Get_Lines", "parameters": {"path": "a.ts"}}',
        '{"function": "get_lines", "arguments": {"path": "a.ts"}}',
        '{"arguments": {"path": "a.ts"}, "name": "get_lines"}',
        '{"name": "get_lines", "arguments": "{\\"path\\": \\"a.ts\\"}"}',
        '{"type": "function", "function": {"name": "get_lines", "arguments": {"path": "a.ts"}}}',
        '{"tool_calls": [{"name": "get_lines", "arguments": {"path": "a.ts"}}]}',
        '[{"name": "get_lines", "arguments": {"path": "a.ts"}}]',
        '```json\n{"name": "get_lines", "arguments": {"path": "a.ts"}}\n```',
        '```\n\n  {"name": "get_lines",\n "arguments": {"path": "a.ts"}}```',
        '```json {"name": "get_lines", "arguments": {"path": "a.ts"}} ```',
        '{"name": "cat", "arguments": {"path": "a.ts"}}',
        '<tool_call>\n{"name": "get_lines", "arguments": {"path": "a.ts"}}\n</tool_call>',
        '<tool_call name="get_lines">{"path": "a.ts"}</tool_call>',
    ],
)
def test_json_calls_come_in_several_forms(read, text):
    assert read(text) == ([("get_lines", {"path": "a.ts"})], [], "")


def test_json_strings_may_hold_braces_quotes_and_newlines(calls):
    text = '{"name":"create_file","arguments":{"path":"a","content":"{ \\"}\\" }\n}]\\\\"}}'
    assert calls(text) == [("create_file", {"path": "a", "content": '{ "}" }\n}]\\'})]


def test_json_values_that_were_quoted_are_typed(calls):
    text = (
        '{"name": "get_lines", "arguments": {"path": "7", "start": "2"}}\n'
        '{"name": "git_commit", "arguments": {"message": "m", "files": "[\\"a\\"]"}}'
    )
    assert calls(text) == [
        ("get_lines", {"path": "7", "start": 2}),
        ("git_commit", {"message": "m", "files": ["a"]}),
    ]


def test_several_json_calls_keep_their_order_and_the_text(read):
    text = (
        'First {"name": "git_status", "arguments": {}},\n{"tool": "get_todos"}\nthen\n'
        '```json\n{"name": "git_diff", "arguments": null}\n```\nend'
    )
    found, errors, rest = read(text)
    assert [name for name, _ in found] == ["git_status", "get_todos", "git_diff"]
    assert errors == []
    assert rest.split() == ["First", "then", "end"]


@pytest.mark.parametrize(
    "text",
    [
        'The manifest: {"name": "yard", "arguments": {"x": 1}}',
        '{"arguments": {"x": 1}, "name": "yard"}',
        '{"name": "git_status"}',
        '{"calls": [{"name": "git_status", "arguments": {}}]}',
        'call({"name": "git_status", "arguments": {}})',
        '```ts\nconst call =\n  {"name": "git_status", "arguments": {}}\n```',
        '{"name": "git_status", "version": "1.0"',
        "{ name: 1 } [link](x) [1, 2] {",
    ],
)
def test_other_json_is_text(read, text):
    assert read(text) == ([], [], text)


def test_json_beside_a_call_in_tags_is_text(read):
    json_call = '{"name": "git_status", "arguments": {}}'
    for text in (f"{json_call}\n{LINES}", f"{LINES}\n{json_call}"):
        assert read(text) == ([("get_lines", {"path": "a.ts"})], [], json_call)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"name": "get_lines", "arguments": {"path": "a.ts"', "cut off"),
        ('{"name": "get_lines", "arguments": {"path": a.ts}}', "not valid JSON"),
        ('{"name": "get_lines", "arguments": "path"}', "no JSON"),
        ('{"name": "get_lines", "arguments": [1]}', "no JSON object"),
        (
            '[{"name": "get_lines", "arguments": {"path": "a"}}, {"name": "x", "arguments": {}}]',
            "There is no tool 'x'",
        ),
    ],
)
def test_a_json_call_that_cannot_be_read_is_an_error(read, text, said):
    _, errors, rest = read(f"Now {text}")
    assert len(errors) == 1
    assert said in errors[0]
    assert rest == "Now"


@pytest.mark.parametrize(
    "text",
    [
        '{"thought": "I look", "tool": "get_lines", "args": {"path": "a.ts"}}',
        (
            '{"id": "call_1", "type": "function", "function": {"name": "get_lines", '
            '"arguments": "{\\"path\\": \\"a.ts\\"}"}}'
        ),
        (
            '{"role": "assistant", "content": null, "tool_calls": [{"type": "function", "function":'
            '{"name": "get_lines", "arguments": {"path": "a.ts"}}}]}'
        ),
        '<tools>\n{"name": "get_lines", "arguments": {"path": "a.ts"}}\n</tools>',
        '<function_call>{"name": "get_lines", "arguments": {"path": "a.ts"}}</function_call>',
        '{"name": "get_lines", "arguments": {"path": "a.ts"}}\n</tool_call>',
    ],
)
def test_what_models_put_around_a_call_does_no_harm(read, text):
    assert read(text) == ([("get_lines", {"path": "a.ts"})], [], "")


def test_calls_may_follow_one_another_in_several_ways(calls):
    call = '{"name": "git_status", "arguments": {}}'
    for between in ("", " ", "\n", ",", ", ", ";\n", "\n\n"):
        assert calls(between.join([call, call, call])) == [("git_status", {})] * 3


def test_a_call_may_say_what_it_is_for(calls):
    """Beside a description, arguments are none of a tool that is described."""
    text = '{"name": "get_lines", "description": "Look.", "arguments": {"path": "types.ts"}}'
    assert calls(text) == [("get_lines", {"path": "types.ts"})]


def test_arguments_may_be_an_empty_text(calls):
    assert calls('{"name": "git_status", "arguments": ""}') == [("git_status", {})]


@pytest.mark.parametrize(
    "text",
    [
        (
            '{"name": "get_lines", "description": "Read.", "parameters": {"type": "object",'
            ' "properties": {"path": {"type": "string"}}}}'
        ),
        (
            '{"type": "function", "function": {"name": "get_lines", "parameters": {"type": '
            '"object", "properties": {}}}}'
        ),
        '{"name": "get_lines", "description": "Read.", "parameters": {"path": {"type": "string"}}}',
    ],
)
def test_the_description_of_a_tool_is_no_call(read, text):
    assert read(text) == ([], [], text)


@pytest.mark.parametrize(
    "text",
    [
        "{'name': 'get_lines', 'arguments': {'path': 'a.ts'}}",
        '{name: "get_lines", arguments: {path: "a.ts"}}',
        "{“name”: “get_lines”, “arguments”: {“path”: “a.ts”}}",
        '{"name": "get_lines", "arguments": {"path": "a.ts",}}',
        '{"name": "get_lines", "arguments": {"path": "a.ts"},}',
        '{"name": "get_lines" "arguments": {"path": "a.ts"}}',
        "[{'tool': 'get_lines', 'args': {'path': 'a.ts'}}]",
        '{"name": "get_lines", "arguments": {"path": "a.ts"} // it\'s this\n}',
        '{"name": "get_lines", /* { */ "arguments": {"path": "a.ts"}}',
        '{"name": "get_lines", "arguments": {"path": "a.ts"}',
        '{"name": "get_lines", "arguments": {"path": "a.ts"}}}',
        '<tool_call>\n{"name": "get_lines", "arguments": {"path": "a.ts"}\n</tool_call>',
        '<tool_call>\n{"name": "get_lines", "arguments": {"path": "a.ts"}}}\n</tool_call>',
        '<tool_call>\n{"name": "get_lines", "arguments": {"path": "a.ts"}}',
        '```json\n{"name": "get_lines", "arguments": {"path": "a.ts"}\n```',
    ],
)
def test_what_is_nearly_json_is_read(read, text):
    assert read(f"Now\n{text}") == ([("get_lines", {"path": "a.ts"})], [], "Now")


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "get_lines", "arguments": {"path": NaN}}',
        '{"name": "get_lines", "arguments": {"path": "say "a" so"}}',
        '{"name": "get_lines", "arguments": {"path": a.ts}}',
    ],
)
def test_what_is_nearly_json_is_told_what_is_wrong(read, text):
    found, errors, rest = read(f"Now\n{text}")
    assert (found, rest) == ([], "Now")
    assert len(errors) == 1
    assert re.search(r"not valid JSON \((?!None)\w.+\)\. It was not run", errors[0])
    assert "double quotes" in errors[0]


@pytest.mark.parametrize(
    "text",
    [
        "call({name: 'get_lines', arguments: {}})",
        "{'name': 'yard', 'arguments': {'x': 1}}",
        "{'name': 'get_lines', 'version': 1}",
        "{ name of the tool }",
        "{}[]{[]}",
        '{"arguments": {"x": 1,}, "name": "yard"}',
        '{"type": "module", "name": "yard", "args": {}}',
        '{"function": {"function": {"name": "git_status", "arguments": {}}}}',
    ],
)
def test_code_and_data_are_text(read, text):
    assert read(text) == ([], [], text)


@pytest.mark.parametrize("quote", ["'", '\\"'])
def test_a_call_that_is_quoted_in_json_is_none(read, quote):
    inner = f"Say <tool_call name={quote}git_status{quote}></tool_call> first"
    text = f'{{"name": "create_file", "arguments": {{"path": "a", "content": "{inner}"}}}}'
    content = inner.replace("\\", "")
    assert read(text) == ([("create_file", {"path": "a", "content": content})], [], "")
    assert read(f"{LINES}\n{text}") == ([("get_lines", {"path": "a.ts"})], [], text)


@pytest.mark.parametrize("depth", [101, 900, 100_000])
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
