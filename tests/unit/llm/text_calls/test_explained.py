"""Answers that explain calls, and calls that prose stands before."""

import tomllib
from pathlib import Path

import pytest

from ipuaro_jupyter.agent.reply import Reply, read_reply
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.events import TextAdded
from ipuaro_jupyter.tools import load_tools

TOOLS = load_tools()
SCHEMAS = tuple(tool.schema for tool in TOOLS)
CHANGING = [tool.name for tool in TOOLS if tool.asks_first]
ANSWERS = tomllib.loads(Path(__file__).with_name("explained.toml").read_text("utf-8"))
DELETES = {
    "python": "```python\ndelete_file('src/a.ts')\n```",
    "bare python": "delete_file('src/a.ts')",
    "react": "Action: delete_file\nAction Input: src/a.ts",
    "tag": "<delete_file><path>src/a.ts</path></delete_file>",
    "announced": "Tool call: delete_file('src/a.ts')",
    "named": 'delete_file {"path": "src/a.ts"}',
}


def read(text, size=3):
    """Return the reply, and the text that was shown on the way."""
    reply = Reply()
    chunks = (Chunk(text=text[at : at + size]) for at in range(0, len(text), size))
    events = read_reply(chunks, reply, schemas=SCHEMAS, aliases=TOOLS.aliases, changing=CHANGING)
    return reply, "".join(event.text for event in events if isinstance(event, TextAdded))


@pytest.mark.parametrize("size", [1, 3, 10_000])
@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in ANSWERS.items()])
def test_what_is_explained_is_no_call_and_stays_as_it_is(text, size):
    reply, shown = read(text, size)
    assert (reply.calls, reply.errors) == ([], [])
    assert reply.text == shown.strip() == text.strip()


@pytest.mark.parametrize("call", [pytest.param(call, id=name) for name, call in DELETES.items()])
def test_a_change_with_prose_before_it_is_asked_about(call):
    reply, _ = read(f"You could clean up so.\n\n{call}\n")
    assert reply.calls == []
    assert len(reply.errors) == 1


@pytest.mark.parametrize("call", [pytest.param(call, id=name) for name, call in DELETES.items()])
def test_a_change_alone_is_called(call):
    reply, _ = read(call)
    assert [(c.name, c.arguments) for c in reply.calls] == [("delete_file", {"path": "src/a.ts"})]


def test_a_thought_before_a_change_is_no_prose():
    reply, _ = read("Thought: nobody needs it.\nAction: delete_file\nAction Input: src/a.ts")
    assert [call.name for call in reply.calls] == ["delete_file"]


def test_a_sentence_is_no_argument_that_a_tool_can_do_without():
    reply, _ = read("Thought: I look.\nAction: git_status\nAction Input: check what has changed")
    assert [(call.name, call.arguments) for call in reply.calls] == [("git_status", {})]


def test_thoughts_between_calls_are_no_prose():
    first, second = (f"Action: get_lines\nAction Input: {path}" for path in ("a.ts", "b.ts"))
    reply, _ = read(f"{first}\nThought: and the other\n{second}")
    assert [call.arguments["path"] for call in reply.calls] == ["a.ts", "b.ts"]


def test_a_result_that_is_invented_is_no_explanation():
    reply, shown = read("Action: get_lines\nAction Input: a.ts\nObservation: x\n\nSo it is x.")
    assert [call.name for call in reply.calls] == ["get_lines"]
    assert shown.strip() == ""


@pytest.mark.parametrize(
    "text",
    [
        "%",
        "I look.\n\n%",
        "```xml\n%\n```",
        "```text\n%\n```",
        "    %",
        "I look.\n```json\n%\n```\nThen I say it.",
        "I look.\n```xml\n%\n```",
        "- I look at it.\n\n%",
        "1. I look.\n%",
        "I look.\n<calls>\n    %\n</calls>",
        "It's a `call`: %",
        "~~~\na\n~~~\n%",
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        '<tool_call name="get_lines"><path>a.ts</path></tool_call>',
        '<tool_call>{"name": "get_lines", "arguments": {"path": "a.ts"}}</tool_call>',
        '{"name": "get_lines", "arguments": {"path": "a.ts"}}',
    ],
)
def test_other_calls_beside_prose_are_made(text, call):
    reply, _ = read(text.replace("%", call))
    assert [(c.name, c.arguments) for c in reply.calls] == [("get_lines", {"path": "a.ts"})]


def test_a_change_in_a_fence_of_text_behind_prose_is_asked_about():
    call = '<tool_call name="delete_file"><path>src/a.ts</path></tool_call>'
    reply, _ = read(f"So I clean up:\n\n```xml\n{call}\n```")
    assert (reply.calls, len(reply.errors)) == ([], 1)
