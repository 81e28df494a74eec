"""The channels of gpt-oss."""

import pytest

from ipuaro_jupyter.llm.text_calls.reply_parser import StreamParser

ANALYSIS = "<|channel|>analysis<|message|>"
STATUS = '<tool_call name="git_status"></tool_call>'


def test_the_analysis_is_thinking_and_the_rest_is_text(read):
    text = (
        f"{ANALYSIS}I could {STATUS}.<|end|><|start|>assistant<|channel|>commentary<|message|>"
        "I look.<|end|><|start|>assistant<|channel|>final<|message|> It is <b>so</b>.<|return|>"
    )
    assert read(text) == ([], [], "I look. It is <b>so</b>.")


@pytest.mark.parametrize(
    "header",
    [
        "<|channel|>commentary to=functions.get_lines <|constrain|>json<|message|>",
        "<|channel|>commentary to=functions.get_lines<|constrain|>json<|message|>",
        "<|start|>assistant<|channel|>commentary to=functions.get_lines json<|message|>",
        "<|start|>assistant to=functions.get_lines<|channel|>commentary json<|message|>",
        "<|start|>assistant<|channel|>analysis to=functions.get_lines code<|message|>",
        "<|channel|>commentary to=get_lines <|constrain|>json\n<|message|>",
    ],
)
@pytest.mark.parametrize("end", ["<|call|>", ""])
def test_a_message_to_a_tool_is_a_call(read, header, end):
    text = f'{ANALYSIS}Let me see.<|end|>{header}{{"path": "a.ts", "start": "2"}}{end}'
    assert read(text) == ([("get_lines", {"path": "a.ts", "start": 2})], [], "")


def test_thinking_ends_where_the_next_message_begins(read):
    text = f"{ANALYSIS}hm<|start|>assistant<|channel|>final<|message|>Yes.{ANALYSIS}hm"
    assert read(text) == ([], [], "Yes.")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("to=functions.nothing<|message|>{}<|call|>", "There is no tool 'nothing'"),
        ("to=functions.get_lines<|message|>a.ts<|call|>", "no JSON object"),
        ('to=functions.get_lines<|message|>{"path": a}<|call|>', "not valid JSON"),
        ('to=functions.get_lines<|message|>{"path": "a', "cut off"),
    ],
)
def test_a_message_that_no_tool_can_take_is_an_error(read, message, said):
    found, errors, _ = read(f"<|channel|>commentary {message}")
    assert found == []
    assert len(errors) == 1
    assert said in errors[0]


@pytest.mark.parametrize(
    "text",
    [
        "The mark <|end|> ends a message, <|start|> begins one.",
        "`<|channel|>` names it",
        "<|channel|>analysis",
        "<|channel|>" + "a " * 400 + "<|message|>",
    ],
)
def test_marks_without_a_message_are_text(read, text):
    assert read(text) == ([], [], text)


def test_the_analysis_streams_as_thinking(schemas, aliases):
    parser = StreamParser(schemas, aliases=aliases)
    parser.feed(ANALYSIS)
    assert [piece.thinking for piece in parser.feed("Let me")] == ["Let me"]
    assert [piece.thinking for piece in parser.feed(" see.<|e")] == [" see."]
    assert parser.feed("nd|><|start|>assistant<|channel|>final<|message|>") == []
    assert [piece.text for piece in parser.feed("Yes.")] == ["Yes."]


def test_marks_in_a_fence_are_text(read):
    text = f"```\n{ANALYSIS}hm<|end|>\n```"
    assert read(text) == ([], [], text)
    final = "<|channel|>final<|message|>"
    assert read(f"{ANALYSIS}hm<|end|>{final}{text}\n<|return|>") == ([], [], text)
