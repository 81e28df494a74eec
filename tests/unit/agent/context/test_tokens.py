import json
import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.agent.context.tokens import (
    count_tokens,
    message_tokens,
    messages_tokens,
    schemas_tokens,
    shorten,
)
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.tools import load_tools

COUNTED = json.loads(Path(__file__).with_name("token_counts.json").read_text(encoding="utf-8"))
"""Texts of several kinds with what the tokenizer of Qwen makes of them."""


@pytest.mark.parametrize("row", COUNTED, ids=lambda row: row["kind"])
def test_the_guess_is_near_and_hardly_ever_too_small(row):
    assert 0.85 <= count_tokens(row["text"]) / row["tokens"] <= 1.45


def test_the_guess_is_a_little_too_large_as_a_rule():
    ratios = [count_tokens(row["text"]) / row["tokens"] for row in COUNTED]
    assert 1.0 <= statistics.median(ratios) <= 1.15
    assert sum(ratio < 0.95 for ratio in ratios) <= 2


def test_a_message_takes_more_than_its_text():
    call = ToolCall(name="get_lines", arguments={"path": "a.ts"}, id="c")
    bare = count_tokens("Hello there")
    assert message_tokens(Message(role="user", content="Hello there")) > bare + 4
    assert message_tokens(Message(role="assistant", content="", calls=(call,))) > 20
    schemas = [tool.schema for tool in load_tools()]
    assert schemas_tokens(schemas) > count_tokens(json.dumps([s.to_dict() for s in schemas]))
    assert schemas_tokens([]) == 0


@given(st.text(max_size=3000), st.integers(20, 400))
def test_a_shortened_text_fits_and_keeps_both_ends(text, tokens):
    short = shorten(text, tokens)
    assert count_tokens(short) <= tokens
    if short != text:
        head, _, tail = short.partition("\n[… ")
        assert text.startswith(head)
        assert text.endswith(tail.partition("…]\n")[2])


def test_what_a_template_adds_is_counted():
    assert message_tokens(Message(role="user", content="")) == 8
    assert message_tokens(Message(role="tool", content="")) == 8 + 16
    call = ToolCall(name="look", arguments={"b": 1, "a": "x"}, id="c")
    inner = count_tokens("look") + count_tokens('{"a": "x", "b": 1}')
    assert message_tokens(Message(role="assistant", content="So", calls=(call, call))) == (
        8 + count_tokens("So") + 2 * (20 + 2 * 8 + inner)
    )
    schemas = [tool.schema for tool in load_tools()][:2]
    inner = sum(count_tokens(json.dumps(each.to_dict(), ensure_ascii=False)) for each in schemas)
    assert schemas_tokens(schemas) == pytest.approx(160 + 2 * 24 + inner)
    assert messages_tokens([Message(role="user", content="")] * 3) == 24


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("letter", 1.1),
        ("Letters", 1.1 + 0.17),
        ("l" * 16, 1.1 + 10 * 0.17),
        ("l" * 18, 1.1 + 10 * 0.17 + 2 * 0.5),
        ("twoWords", 2.2),
        ("HTTPServer", 2.2),
        ("123", 3),
        ("a\n\n\nb", 2.2 + 0.5),
        ("a\tb  c", 3.3 + 2 * 1.05),
        ("a 1", 1.1 + 1 + 1),
        ("a.b", 2.2 + 0.7),
        ("a):b", 2.2 + 0.7 + 0.5),
        ("a.1", 1.1 + 1 + 0.7 + 0.25),
        ("====", 1 + 4 / 16),
        ("=" * 160, 11),
        ("===", 0.7),
        ("a1" * 10, 20 * 0.92),
        ("a1" * 9, 9 * 1.1 + 9),
        ("\u7528", 0.75),
        ("\U0001f600", 2.6),
    ],
)
def test_what_pieces_weigh(text, tokens):
    assert count_tokens(text) == pytest.approx(tokens)


def test_what_fits_is_not_shortened_and_what_does_not_says_how_much_is_missing():
    text = "".join(f"line {number} of the text\n" for number in range(200))
    assert shorten(text, count_tokens(text)) == text
    short = shorten(text, count_tokens(text) - 0.01)
    head, _, rest = short.partition("\n[\u2026 ")
    left_out, _, tail = rest.partition(" characters left out \u2026]\n")
    assert len(head) + int(left_out) + len(tail) == len(text)
    assert len(short) > 0.8 * len(text)
    assert text.startswith(f"{head}\n"), "whole lines are kept"
    assert text.endswith(f"\n{tail}")
    assert len(head) > 1.8 * len(tail)
