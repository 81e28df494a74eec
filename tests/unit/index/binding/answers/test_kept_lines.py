"""The lines around the places of a kept answer."""

import pytest

from ipuaro_jupyter.index.binding.answers.kept_lines import KeptLines, LinesAround

LINES = {1: "a", 2: "b", 3: "c", 7: "g"}


@pytest.mark.parametrize(
    ("line", "expected"), [(1, ("a", "b")), (2, ("a", "b", "c")), (3, ("b", "c")), (7, ("g",))]
)
def test_lines_are_those_around_a_place_that_exist(line, expected):
    around = LinesAround(KeptLines(LINES.copy), line)
    assert around == expected
    assert expected == around
    assert around == LinesAround(KeptLines(LINES.copy), line)
    assert around != LinesAround(KeptLines(dict), line)
    assert (tuple(around), len(around), around[-1], around[:1]) == (
        expected,
        len(expected),
        expected[-1],
        expected[:1],
    )
    assert (hash(around), repr(around)) == (hash(expected), repr(expected))


def test_lines_are_read_once_and_only_when_somebody_looks():
    reads = []
    lines = KeptLines(lambda: reads.append(1) or LINES)
    places = [LinesAround(lines, line) for line in LINES]
    assert not reads
    assert [place[0] for place in places] == ["a", "a", "b", "g"]
    assert reads == [1]
