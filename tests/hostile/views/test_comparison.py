"""A large change is compared in bounded time."""

import random
import time

import pytest
from hypothesis import strategies as st

from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.views import proposal as view

lines = st.lists(st.sampled_from("abcdef"), max_size=60)
WORDS = ["a", "b", "foo", "bar", "(", ")", "x1", "y2", "+", ",", "this", "that"]


def rewritten(kind):
    """Return a text and another one that is made to be hard to compare."""
    chosen = random.Random(kind)
    if kind == "long lines":
        made = ["\n".join(" ".join(chosen.choices(WORDS, k=700)) for _ in range(60)) for _ in "01"]
        return made[0], made[1]
    if kind == "many lines":
        numbers = [[f'"v": {chosen.random()}' for _ in range(1500)] for _ in "01"]
        made = ["\n{\n]\n,\n}\nsame\n".join(one) for one in numbers]
        return made[0], made[1]
    short = chosen.choices("0123456789", k=20_000)
    return "\n".join(short), "\n".join("z" if chosen.random() < 0.01 else one for one in short)


@pytest.mark.parametrize("kind", ["long lines", "many lines", "short lines"])
def test_a_question_about_a_large_change_is_drawn_without_a_long_wait(kind):
    old, new = rewritten(kind)
    asked = Proposal(
        id="1", kind="edit", tool="t", title="t", path="a.ts", old_text=old, new_text=new
    )
    started_s = time.process_time()
    assert view.detail_html(asked)
    assert time.process_time() - started_s < 10  # 0.5 s; eight times that beside others, traced
