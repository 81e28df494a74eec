"""Edits given in lines of one text, made one after the other: the arithmetic alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.workspace.changes.line_moves import LineMoves, LineSpan

LINES = ["a", "b", "c", "d", "e", "f"]


@st.composite
def edits(draw):
    """The size of a text, and edits of it: boundaries, and the number of new lines."""
    size = draw(st.integers(0, 12))
    begins = st.integers(0, size)
    ranges = begins.flatmap(
        lambda begin: st.tuples(st.just(begin), st.integers(begin, size), st.integers(0, 4))
    )
    return size, draw(st.lists(ranges, max_size=8))


def overlap(one, other):
    """Whether two edits touch a line, or one inserts between lines that the other replaces."""
    (begin, end, _), (first, last, _) = one, other
    inside = {*range(begin, end)} & {*range(first, last)}
    return bool(inside) or begin < first == last < end or first < begin == end < last


@given(edits())
def test_edits_in_order_make_the_text_that_they_make_from_the_end_of_the_old_one(case):
    """Overlapping ones are left out, and named; insertions at one place stay in order."""
    size, wanted = case
    old = [f"old {number}" for number in range(size)]
    now, moves, made = list(old), LineMoves(), []
    for number, edit in enumerate(wanted):
        begin, end, count = edit
        lines = LineSpan(begin + 1, end)
        clash = moves.overlapped(lines)
        assert (clash is not None) == any(overlap(edit, other) for _, other in made)
        if clash is not None:
            assert (clash.start - 1, clash.end) in {other[:2] for _, other in made}
            continue
        place = moves.place(lines)
        assert now[place.start - 1 : place.end] == old[begin:end]
        now[place.start - 1 : place.end] = [f"new {number}.{line}" for line in range(count)]
        moves = moves.replaced(lines, count)
        made.append((number, edit))
    at_once = list(old)
    for number, (begin, end, count) in sorted(
        made, key=lambda one: (one[1][0], one[1][1], one[0]), reverse=True
    ):
        at_once[begin:end] = [f"new {number}.{line}" for line in range(count)]
    assert now == at_once
    assert moves.added == len(now) - len(old)


@given(edits(), st.data())
def test_lines_that_nothing_touched_are_found_after_edits_of_the_present_text(case, data):
    """The edits are anywhere in the text as it is by then, also over earlier ones."""
    size, wanted = case
    old = [f"old {number}" for number in range(size)]
    now, moves = list(old), LineMoves()
    for number, (_, _, count) in enumerate(wanted):
        begin = data.draw(st.integers(0, len(now)))
        end = data.draw(st.integers(begin, len(now)))
        now[begin:end] = [f"new {number}.{line}" for line in range(count)]
        moves = moves.changed(LineSpan(begin + 1, end), count)
    assert moves.added == len(now) - len(old)
    for number, line in enumerate(old, 1):
        lines = LineSpan(number, number)
        if line not in now:
            assert moves.overlapped(lines) is not None
        elif moves.overlapped(lines) is None:
            assert now[moves.place(lines).start - 1] == line
    assert sum(block.end - block.begin for block in moves.blocks) >= len({*old} - {*now})
    assert all(one.end <= two.begin for one, two in zip(moves.blocks, moves.blocks[1:]))  # noqa: B905


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_a_comparison_finds_equal_lines_on_both_sides(old, new):
    moves = LineMoves.between(old, new)
    assert moves.added == len(new) - len(old)
    for number, line in enumerate(old, 1):
        if moves.overlapped(LineSpan(number, number)) is None:
            assert new[moves.place(LineSpan(number, number)).start - 1] == line


def test_one_edit_of_the_whole_text_takes_up_those_before_it():
    moves = LineMoves().changed(LineSpan(2, 3), 5).changed(LineSpan(8, 8), 0)
    assert moves.changed(LineSpan(1, 8), 1).blocks == ((0, 6, 1),)


def test_behind_deleted_lines_insertions_keep_their_order():
    moves = LineMoves().replaced(LineSpan(3, 5), 0)
    before = LineSpan(3, 2)
    one = moves.place(before)
    moves = moves.replaced(before, 1)
    assert (one.start, moves.place(before).start) == (3, 4)


@pytest.mark.parametrize(
    ("lines", "told"),
    [((3, 3), "line 3"), ((3, 5), "lines 3-5"), ((3, 2), "the place before line 3")],
)
def test_a_range_is_named_as_in_a_sentence(lines, told):
    assert str(LineSpan(*lines)) == told
