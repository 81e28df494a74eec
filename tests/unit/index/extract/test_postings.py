"""Postings: what goes in comes out, and is found without decoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.index.extract.postings import (
    MEMBER,
    UNSURE,
    counts,
    decode,
    encode,
    names,
    offset_of,
    offsets,
    place_of,
    places,
)

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)
OFFSETS = st.dictionaries(
    NAMES, st.lists(st.integers(0, 2**30 - 1), min_size=1, unique=True), max_size=20
)


@given(by_name=OFFSETS, absent=NAMES, role=st.sampled_from([0, MEMBER, UNSURE, MEMBER | UNSURE]))
def test_decoding_undoes_encoding(by_name, absent, role):
    blob = encode(
        {name.encode(): [place_of(at) | role for at in found] for name, found in by_name.items()}
    )
    assert decode(blob) == {name: sorted(found) for name, found in by_name.items()}
    assert names(blob) == sorted(by_name, key=str.encode)
    assert counts(blob) == [(name, len(by_name[name])) for name in names(blob)]
    assert len(places(blob, absent)) == len(by_name.get(absent, []))
    for name, found in by_name.items():
        assert offsets(blob, name) == sorted(found)
        assert [(offset_of(place), place & 3) for place in places(blob, name)] == [
            (at, role) for at in sorted(found)
        ]


@pytest.mark.parametrize("name", ["a", "b", "ab", "abc", "bc", "c", "", "\0", "ä"])
def test_a_part_of_a_name_is_not_found(name):
    blob = encode({b"abab": [1], b"xabcx": [2], b"xb": [3]})
    assert offsets(blob, name) == []


def test_an_empty_blob_has_nothing():
    assert offsets(b"", "a") == offsets(encode({}), "a") == []
    assert names(b"") == names(encode({})) == []
    assert counts(b"") == counts(encode({})) == []
