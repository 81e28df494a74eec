"""Changes of one text from several places."""

import pytest

from ipuaro_jupyter.views.change_sets.merged_lines import (
    LineEdit,
    edits_of,
    merged,
    over,
    overlapping,
)
from ipuaro_jupyter.views.hunks import hunks, lines

OLD = "".join(f"{n}\n" for n in range(40))
NEW = OLD.replace("3\n4\n", "three\nfour\n", 1).replace("30\n", "").replace("38\n", "38\nmore\n")


def test_the_edits_of_hunks_make_the_new_text():
    found = hunks(OLD, NEW)
    assert "".join(merged(lines(OLD), edits_of(found, lines(NEW)))) == NEW
    (first,) = edits_of(found, lines(NEW), {1})
    assert first == LineEdit(3, 5, ("three\n", "four\n"))


def test_the_later_of_two_replacements_of_a_line_stands():
    earlier = [LineEdit(0, 2, ("a", "b")), LineEdit(5, 6, ())]
    later = [LineEdit(1, 3, ("B", "C")), LineEdit(7, 7, ("d",))]
    made = over(earlier, later)
    assert merged(list("01234567"), made) == ["a", "B", "C", "3", "4", "6", "d", "7"]
    assert overlapping(made) is None


@pytest.mark.parametrize(
    ("edits", "line"),
    [
        ([LineEdit(2, 4, ()), LineEdit(3, 5, ())], 4),
        ([LineEdit(2, 2, ("a",)), LineEdit(2, 2, ("b",))], 3),
        ([LineEdit(2, 3, ()), LineEdit(3, 3, ("b",))], None),
    ],
)
def test_edits_of_the_same_lines_overlap(edits, line):
    assert overlapping(edits) == line
