"""Hashes of ranges of lines."""

import time

import pytest

from ipuaro_jupyter.agent.receipts.line_digests import LineDigests

LINES = ["a", "b", "  c", "", "a", "b", "c\t", "d"]


def test_equal_ranges_have_equal_hashes():
    digests = LineDigests(LINES)
    assert digests.of(1, 4) != digests.of(5, 8)
    assert digests.of(1, 3) == digests.of(5, 7) == LineDigests(["a", "b", "c"]).of(1, 3)
    assert digests.of(1, 2) != digests.of(2, 3) != LineDigests(["b", "a"]).of(1, 2)
    assert digests.of(4, 4) == LineDigests(["  "]).of(1, 1) != LineDigests(["", ""]).of(1, 2)


@pytest.mark.parametrize(("first", "last"), [(0, 1), (-9, 2), (3, 2), (8, 9), (1, 10**11)])
def test_lines_that_are_not_there_have_no_hash(first, last):
    assert LineDigests(LINES).of(first, last) == ""


def test_the_nearest_range_is_found():
    digests = LineDigests(LINES)
    wanted = digests.of(1, 3)
    assert [digests.find(wanted, 3, near=line) for line in (1, 2, 4, 8, 99)] == [1, 1, 5, 5, 5]
    assert digests.find(wanted, 2, near=1) is None
    assert digests.find(wanted, 99, near=1) is None
    assert digests.find(wanted, -3, near=1) is None


def test_many_lines_are_looked_for_as_fast_as_one():
    lines = LineDigests(f"line {number}" for number in range(10_000))

    def took(count):
        wanted = LineDigests(f"other {number}" for number in range(count)).of(1, count)
        started = time.process_time()
        assert lines.find(wanted, count, near=1) is None
        return time.process_time() - started

    took(2)
    assert took(5000) < 10 * took(2)
