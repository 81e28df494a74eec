"""The rows that many files share, gathered by name."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.index.storage.building import NameRows

NAMES = st.sampled_from(["", "a", "b", "émile", "n" * 300]) | st.text(max_size=3)
FILES = st.lists(st.dictionaries(NAMES, st.binary(max_size=20), max_size=6), max_size=8)


def gathered(rows, most=3):
    """Return all values by name, each of which must come once, and the steps."""
    found, steps = {}, 0
    for some, count in rows.portions(most):
        assert 0 < len(some) <= most
        assert not found.keys() & some.keys()
        found |= some
        steps += count
    return found, steps


@given(FILES, st.integers(0, 60))
def test_values_are_appended_however_often_they_were_compressed(files, most_loose_bytes):
    rows = NameRows(str, most_loose_bytes=most_loose_bytes)
    wanted = defaultdict(bytes)
    for file in files:
        rows.extend(file)
        for name, value in file.items():
            wanted[name] += value
    found, steps = gathered(rows)
    assert found == wanted
    assert steps <= sum(map(len, files))
    assert len(rows) == 0


def test_names_may_be_bytes():
    rows = NameRows(bytes, most_loose_bytes=2)
    rows.extend({b"\xff": b"12"})
    rows.extend({b"\xff": b"3", b"b": b""})
    assert gathered(rows)[0] == {b"\xff": b"123", b"b": b""}


@pytest.mark.parametrize("most_loose_bytes", [1, 100_000])
def test_each_name_is_one_step(most_loose_bytes):
    """Where names were compressed once each, too."""
    rows = NameRows(str, most_loose_bytes=most_loose_bytes)
    rows.extend({f"name{n}": b"value" for n in range(50)})
    assert len(rows) == 50
    assert gathered(rows, most=1)[1] == 50
    assert gathered(rows) == ({}, 0)


def test_many_short_names_are_compressed_before_they_take_more_than_is_said():
    """Their values are a small part of that."""
    rows = NameRows(str, most_loose_bytes=1_000_000)
    for start in range(0, 30_000, 100):
        rows.extend({f"name_of_something_{n}": b"12" for n in range(start, start + 100)})
        assert len(rows._loose) < 10_000
    found, steps = gathered(rows, most=1000)
    assert len(found) == steps == 30_000


def test_long_names_count_by_their_length():
    rows = NameRows(str, most_loose_bytes=1000)
    rows.extend({"n" * 2000: b"1"})
    assert not rows._loose
