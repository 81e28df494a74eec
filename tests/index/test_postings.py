"""Postings: what goes in comes out, and is found without decoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.index.postings import count, decode, encode, names, offsets

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)
PLACES = st.dictionaries(
    NAMES, st.lists(st.integers(0, 2**32 - 1), min_size=1, unique=True), max_size=20
)


@given(places=PLACES, absent=NAMES)
def test_decoding_undoes_encoding(places, absent):
    blob = encode({name.encode(): list(found) for name, found in places.items()})
    assert decode(blob) == {name: sorted(found) for name, found in places.items()}
    assert names(blob) == sorted(places, key=str.encode)
    assert count(blob, absent) == len(places.get(absent, []))
    for name, found in places.items():
        assert offsets(blob, name) == sorted(found)
        assert count(blob, name) == len(found)


@pytest.mark.parametrize("name", ["a", "b", "ab", "abc", "bc", "c", "", "\0", "ä"])
def test_a_part_of_a_name_is_not_found(name):
    blob = encode({b"abab": [1], b"xabcx": [2], b"xb": [3]})
    assert offsets(blob, name) == []
    assert count(blob, name) == 0


def test_an_empty_blob_has_nothing():
    assert offsets(b"", "a") == offsets(encode({}), "a") == []
    assert names(b"") == names(encode({})) == []
