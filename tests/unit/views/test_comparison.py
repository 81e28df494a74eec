import random

from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.views.sequence_diff import ComparisonBudget, matches

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


@given(lines, lines, st.integers(0, 1000))
def test_matches_are_equal_rising_and_apart(old, new, steps):
    at_old = at_new = 0
    for match in matches(old, new, ComparisonBudget(steps)):
        assert match.size
        assert match.old >= at_old
        assert match.new >= at_new
        at_old, at_new = match.old + match.size, match.new + match.size
        assert old[match.old : at_old] == new[match.new : at_new]


@given(lines)
def test_without_a_budget_what_occurs_once_is_still_found(old):
    kept = [f"{number}" for number in range(len(old))]
    found = matches(
        kept, [*kept[: len(kept) // 2], "new", *kept[len(kept) // 2 :]], ComparisonBudget(0)
    )
    assert sum(match.size for match in found) == len(kept)


def test_without_a_budget_runs_of_common_lines_are_anchors():
    old, new = rewritten("short lines")
    before, after = old.split("\n"), new.split("\n")
    found = matches(before, after, ComparisonBudget(0))
    assert sum(match.size for match in found) > 0.95 * len(before)
