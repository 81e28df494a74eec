"""Results that a model invents behind its own calls."""

import pytest

from ipuaro_jupyter.llm.text_calls.reply_parser import StreamParser
from ipuaro_jupyter.llm.turn_marks import stops

CALLS = [
    '<tool_call name="get_lines"><path>a.ts</path></tool_call>',
    '{"name": "get_lines", "arguments": {"path": "a.ts"}}',
    '```json\n{"name": "get_lines", "arguments": {"path": "a.ts"}}\n```',
    'get_lines(path="a.ts")',
    "Action: get_lines\nAction Input: a.ts",
    "<get_lines><path>a.ts</path></get_lines>",
]
RESULTS = [
    "<tool_result>1 const a</tool_result>",
    '<tool_response name="get_lines">1',
    "<function_results>\n1",
    "<|tool_result|>1",
    "<|observation|>1",
    "[TOOL_RESULTS]1[/TOOL_RESULTS]",
    "Observation: 1 const a",
    "**Observation:** 1",
    "<|im_start|>user\n<tool_response>",
    "```tool_output\n1\n```",
]
GOING_ON = '\nIt is 1.\n<tool_call name="delete_file"><path>a.ts</path></tool_call>'


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_what_follows_an_invented_result_is_dropped(schemas, aliases, call, result, size):
    text = f"{call}\n{result}{GOING_ON}"
    parser = StreamParser(schemas, aliases=aliases)
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    pieces = [piece for part in parts for piece in parser.feed(part)] + parser.finish()
    reply = parser.reply
    assert [(call.name, call.arguments) for call in reply.calls] == [
        ("get_lines", {"path": "a.ts"})
    ]
    assert (reply.errors, reply.text) == ((), "")
    assert "".join(piece.text for piece in pieces).strip() == ""
    assert text[: parser.end].strip() == call


@pytest.mark.parametrize("call", CALLS[:2])
def test_the_end_is_known_as_soon_as_the_result_begins(schemas, aliases, call):
    parser = StreamParser(schemas, aliases=aliases)
    parser.feed(f"I look.\n{call}\n<tool_result>\n1 const a = 1")
    assert parser.end == len(f"I look.\n{call}\n")


@pytest.mark.parametrize("result", [each for each in RESULTS if "<|im_start|>user" not in each])
def test_without_a_call_it_is_text(read, result):
    text = f"The tag is used so:\n{result}"
    assert read(text) == ([], [], text.strip())


def test_in_code_and_in_a_call_it_is_text(read):
    text = f"{CALLS[0]}\n```xml\n<a>\n<tool_result>1</tool_result>\n```\nSo `<tool_result>` is."
    _, errors, rest = read(text)
    assert errors == []
    assert "<tool_result>1</tool_result>" in rest
    content = "x\n<tool_result>1</tool_result>\nObservation: 2\n"
    call = f'<tool_call name="create_file"><path>a</path><content>\n{content}</content></tool_call>'
    assert read(f"{CALLS[0]}{call}")[0][1] == ("create_file", {"path": "a", "content": content})


def test_a_call_elsewhere_counts_too(schemas, aliases):
    parser = StreamParser(schemas, aliases=aliases)
    parser.calls_elsewhere = True
    parser.feed("I look.\n<tool_response>1")
    assert parser.end == len("I look.\n")


def test_a_server_may_stop_where_no_answer_goes_on():
    assert "\n<tool_response>" in stops()
    assert "<|observation|>" in stops()
    assert not any("Observation:" in stop for stop in stops())
    assert "\n<tool_response>" not in stops(["We parse <tool_response> here."])
