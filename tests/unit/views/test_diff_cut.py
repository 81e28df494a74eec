import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.views.diffs.diff_cut import (
    QUESTION,
    RECORD,
    TERMINAL,
    ChangedLines,
    DiffLimit,
    cut,
    grouped,
    left_out,
)
from ipuaro_jupyter.views.hunks import hunks

SMALL = DiffLimit(rows=12, characters=100, least=2)
texts = st.lists(st.sampled_from("abcdefgh"), max_size=60).map("\n".join)


def rows_of(found, parts, *, is_shown):
    return [
        row
        for part in parts
        if part.is_shown is is_shown
        for row in found[part.hunk].rows[part.start : part.end]
    ]


@given(texts, texts)
def test_parts_are_all_rows_in_order_and_hold_the_ends_of_both_sides(old, new):
    found = hunks(old, new)
    parts = cut(found, SMALL)
    every = [row for hunk in found for row in hunk.rows]
    assert [row for part in parts for row in found[part.hunk].rows[part.start : part.end]] == every
    shown, hidden = (rows_of(found, parts, is_shown=value) for value in (True, False))
    for sign in "-+":
        side = [row for row in every if row.sign == sign]
        seen = [row for row in shown if row.sign == sign]
        assert seen[:2] == side[:2]
        assert seen[-2:] == side[-2:]
    if len(every) <= SMALL.rows:
        assert not hidden
    assert left_out(found, parts).total == sum(row.sign != " " for row in hidden)
    assert [part for group in grouped(parts) for part in group] == list(parts)


@pytest.mark.parametrize("limit", [QUESTION, RECORD, TERMINAL])
@pytest.mark.parametrize("width", [1, 5000])
def test_a_hundred_lines_of_each_side_are_shown_however_long(limit, width):
    old = "".join(f"{n} {'x' * width}\n" for n in range(3000))
    found = hunks(old, old.replace("x\n", "y\n"))
    shown = rows_of(found, cut(found, limit), is_shown=True)
    for sign in "-+":
        numbers = [row.text.split(" ")[0] for row in shown if row.sign == sign]
        half = len(numbers) // 2
        assert half >= 50
        assert numbers[:half] == [str(n) for n in range(half)]
        assert numbers[half:] == [str(n) for n in range(3000 - half, 3000)]


def test_as_much_is_shown_as_there_is_room_for():
    found = hunks(None, "".join(f"{n}\n" for n in range(5000)))
    assert len(rows_of(found, cut(found, QUESTION), is_shown=True)) == QUESTION.rows


def test_lines_are_counted_in_words():
    assert str(ChangedLines(1, 0)) == "1 removed line"
    assert str(ChangedLines(0, 2000)) == "2,000 added lines"
    assert str(ChangedLines(3, 1)) == "3 removed and 1 added line"
