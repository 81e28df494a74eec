"""Replies that look like a call that could not be read."""

import time

import pytest

from ipuaro_jupyter.agent.unread_calls import no_answer, unread_call
from ipuaro_jupyter.tools import load_tools

TOOLS = load_tools()
SCHEMAS = tuple(tool.schema for tool in TOOLS)


def told(text):
    return unread_call(text, SCHEMAS, TOOLS.aliases)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('I look.\n\nget_lines(path="a.ts")', "get_lines"),
        ("So:\n  functions.get_lines('a.ts')\n", "get_lines"),
        ("get_lines src/a.ts", "get_lines"),
        ("/get_lines path=a.ts", "get_lines"),
        ("get_function: foo.ts bar", "get_function"),
        ('Tool call: get_lines {"path": "a.ts"}', "get_lines"),
        ('I will call get_lines: {"path": "a.ts"}', "get_lines"),
        ("Calling tool `get_lines` with path `a.ts`.", "get_lines"),
        ("@get_lines path=a.ts", "get_lines"),
        ("$ get_lines a.ts", "get_lines"),
        ("> get_lines a.ts", "get_lines"),
        ('- <tool_call name="get_lines"><path>a.ts</path></tool_call>', "get_lines"),
        ("- get_lines: path=a.ts", "get_lines"),
        ("→ get_lines(path=a.ts)", "get_lines"),
        ('`get_lines(path="a.ts")`', "get_lines"),
        ('[[get_lines]]{"path":"a.ts"}', "get_lines"),
        ('await get_lines({ path: "a.ts" });', "get_lines"),
        ('lines = get_lines(path="a.ts")', "get_lines"),
        ('print(get_lines(path="a.ts").text)', "get_lines"),
        ("`grep(pattern=TODO)`", "grep"),
        ("```bash\nget_lines a.ts\nget_lines b.ts\n```", "get_lines"),
        ("name: get_lines\narguments:\n  path: a.ts", "get_lines"),
        ("```yaml\ntool: grep\nargs:\n  pattern: a\n```", "grep"),
        ("get_lines:\n  path: a.ts", "get_lines"),
        ('{"command":"get_lines","params":{"path":"a.ts"}}', "get_lines"),
        ('{"tool_uses":[{"recipient_name":"functions.get_lines"}]}', "get_lines"),
        ('{"get_lines": ["a.ts"]}', "get_lines"),
        ('{"action":{"tool":"get_lines","path":"a.ts"}}', "get_lines"),
        ('```json\n{"name":"get_lines"}\n```', "get_lines"),
        ("<action>get_lines</action><action_input>a</action_input>", "get_lines"),
        ("<list_code_usages>\n<symbol>a</symbol>\n</list_code_usages>", "list_code_usages"),
    ],
)
def test_what_looks_like_a_call_is_told(text, name):
    assert f"looks like a call of {name}" in told(text)


@pytest.mark.parametrize(
    "text",
    [
        'Call get_lines(path="a.ts").',
        'Write:\n`get_lines(path="a.ts")`',
        'get_lines(path="a.ts")\n\nreads lines.',
        '```\nx\nget_lines(path="a.ts")',
        'It is\nother(path="a.ts")',
        "get_lines reads a file.",
        "get_lines, which reads src/a.ts, is a tool.",
        "grep -rn foo src/",
        "get_lines",
        "<my_element>text</my_element>",
        "<div><p>a</p></div>",
        "```xml\n<my_element><a>1</a></my_element>\n```",
        "The code does this:\n\n    grep('a', 'b')",
        "1. Open it.\n2. Type:\n\n- `grep(pattern='TODO')`",
        "<user_profile><name>Ann</name></user_profile>",
        '{"get_lines": "reads lines", "grep": "searches"}',
        '{"name": "glob", "version": "1.0.0"}',
        '{"function": {"name": "get_lines", "description": "Reads lines", "parameters": {}}}',
        "```bash\ngrep -rn foo src/\n```",
        "- get_lines(path)\n- grep(pattern)",
        "grep (GNU grep) 3.11",
        "name: Ann\nage: 3",
        "Using `get_lines` is quick.",
        "",
    ],
)
def test_explanations_and_other_text_are_answers(text):
    assert told(text) == ""


@pytest.mark.parametrize(
    "unit", ["get_lines(", "a.", "<a_b><c>", "get_lines /", "(", "*", "a=", "[", '{"a":']
)
def test_hostile_text_is_read_in_time(unit):
    began = time.process_time()
    told(unit * (200_000 // len(unit)))
    assert time.process_time() - began < 5


def test_a_call_of_an_unknown_tool_among_tools_is_told():
    text = '<tools>\n{"name": "find_thing", "arguments": {"q": "x"}}\n</tools>'
    assert "looks like a call of find_thing" in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "<tool_response>\nsrc/a.ts\n</tool_response>",
        "<tool_response>\nsrc/a.ts\n</tool_response>\n" * 3,
        "<tool_result>a",
    ],
)
def test_a_tools_result_is_no_answer(text):
    assert "only tools write those" in no_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "I can't assist with that.",
        "I'm sorry, but I can\u2019t assist with that request.",
        "Sorry, I cannot help you with this.",
        "As an AI language model, I am unable to assist with that.",
        "I apologize, but I cannot provide an answer without more context.",
        "I'm sorry, I can't help with that. Please provide more details about your project.",
    ],
)
def test_an_apology_without_an_attempt_is_no_answer(text):
    assert "without an attempt" in no_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I can't find `fee` in the project.",
        "I'm sorry, but I can't help with that: src/fee.ts does not exist.",
        "Sorry, `fee` is not exported, so I can't say who uses it.",
        "`<tool_response>` is what a tool writes.",
        "<tool_response>\nsrc/a.ts\n</tool_response>\nIt is in src/a.ts.",
        "It says: I can't assist with that.",
    ],
)
def test_other_replies_are_answers(text):
    assert no_answer(text) == ""


def test_an_apology_is_looked_for_quickly():
    text = "I'm sorry, but I can't assist with that. Please " + "a b " * 20_000
    began = time.process_time()
    no_answer(text)
    assert time.process_time() - began < 1
