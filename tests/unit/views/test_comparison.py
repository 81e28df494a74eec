from hypothesis import given
from hypothesis import strategies as st
from rewritten_texts import rewritten

from ipuaro_jupyter.views.sequence_diff import ComparisonBudget, matches

lines = st.lists(st.sampled_from("abcdef"), max_size=60)


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
