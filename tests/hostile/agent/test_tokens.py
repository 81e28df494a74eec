"""Counting tokens takes time in proportion to the text."""

import time

import pytest

from ipuaro_jupyter.agent.context.tokens import (
    count_tokens,
)


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
