import json
import statistics
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.agent.tokens import count_tokens, message_tokens, schemas_tokens, shorten
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


@pytest.mark.parametrize("piece", ["a", "a1", "= ", "=", "\n", "用", "😀", "A1b2" * 8 + " "])
def test_the_time_grows_with_the_text_only(piece):
    def seconds(size):
        text = (piece * (size // len(piece) + 1))[:size]
        fastest = float("inf")
        for turn in range(3):
            began = time.thread_time()
            count_tokens(text + " " * turn)
            fastest = min(fastest, time.thread_time() - began)
        return fastest

    small, large = seconds(16_000), seconds(256_000)
    assert large < max(0.25, 100 * small)
