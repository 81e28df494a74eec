"""The marks of turns in requests: never tokens, and the same text again in replies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm.scripted import ScriptedModel
from ipuaro_jupyter.llm.turn_marks import TEMPLATES, JoinedText, joined, plain, stops
from ipuaro_jupyter.llm.wishes import asked
from ipuaro_jupyter.records.chat import Message, ToolCall

JOINT = "\u2060"
MARKS = sorted({mark for one in TEMPLATES for marks in one[1:] for mark in marks})
OTHERS = ["<|fim_middle|>", "<|vision_pad|>", "<bos>", "<s>", "[TOOL_CALLS]", "<|tool_call>"]
PARTS = st.sampled_from([*MARKS, *OTHERS, JOINT, "<", "[", "]", "|", "a <| b", "x", "\n", "\u200b"])
TEXTS = st.lists(PARTS, max_size=12).map("".join)


@pytest.mark.parametrize("mark", [*MARKS, *OTHERS])
def test_no_mark_is_left_as_it_is(mark):
    assert mark not in joined(f"a {mark} b{mark}")
    assert joined(mark).replace(JOINT, "") == mark


@given(TEXTS)
def test_a_text_comes_back_as_it_was(text):
    assert plain(joined(text)) == text
    assert plain(joined(joined(text))) == joined(text)
    assert not any(mark in joined(text) for mark in MARKS)


@given(TEXTS, st.integers(1, 5))
def test_a_text_that_comes_in_parts_is_the_same(text, size):
    parts = JoinedText()
    shown = [parts.feed(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join([*shown, parts.finish()]) == plain(text)


@pytest.mark.parametrize("text", ["a <| b", "a <|> b", "[1]", "x | y", "List<string>", "<div>"])
def test_code_stays_as_it_is(text):
    assert joined(text) == text


def test_a_request_holds_no_mark_anywhere():
    end = "<|eot_id|>"
    call = ToolCall(name="edit", arguments={"path": "a", "edits": [{"new": f"x{end}"}]})
    said = [
        Message(role="system", content=f"s{end}"),
        Message(role="user", content=f"u{end}"),
        Message(role="assistant", content=end, thinking=end, calls=(call,)),
        Message(role="tool", content=f"r{end}", tool="edit", result={"text": [end]}),
    ]
    model = ScriptedModel(["Yes."])
    list(asked(model, said, tools=(), cancel=CancelToken()))
    assert end not in str(model.requests[0].messages)
    assert said[1].content == f"u{end}"


@pytest.mark.parametrize(
    ("model", "stop"),
    [
        ("qwen2.5-coder:0.5b", "<|im_start|>user"),
        ("meta-llama/Llama-3.2-3B-Instruct", "<|start_header_id|>user"),
        ("gemma3:4b", "<start_of_turn>user"),
        ("Codestral-22B", "[INST]"),
        ("granite3.3:8b", "<|start_of_role|>user"),
        ("hf.co/x/GLM-4-9B-Q4_K_M.gguf", "<|user|>"),
        ("gpt-oss:20b", "<|start|>user"),
        ("something", "<|im_start|>user"),
    ],
)
def test_a_server_stops_where_the_user_would_speak(model, stop):
    found = stops(model=model)
    assert found[0] == stop
    assert len(found) <= 4
    assert not {"<|end|>", "<|start|>", "<|channel|>", "<|message|>", "<|call|>"} & {*found}


def test_a_mark_that_the_conversation_holds_is_no_stop():
    assert "<|im_start|>user" not in stops(["TEMPLATE = '<|im_start|>user'"], "qwen3:4b")
