"""Checksums of stored values, one at a time and many."""

import pytest

from ipuaro_jupyter.index.storage.seals import IndexDamagedError, sealed, sealed_fields, unsealed

VALUES = {"name": b"x", "größe": b"", "many": b"value " * 100}


@pytest.mark.parametrize("is_compressed", [False, True])
@pytest.mark.parametrize("encode", [str, str.encode])
def test_many_fields_are_sealed_like_each_alone(encode, is_compressed):
    found = sealed_fields(
        {encode(name): value for name, value in VALUES.items()}, compressed=is_compressed
    )
    assert found == {
        name.encode(): sealed(name, value, compressed=is_compressed)
        for name, value in VALUES.items()
    }
    assert {name: unsealed(name.encode(), found[name.encode()]) for name in VALUES} == VALUES


def test_a_value_of_another_field_is_noticed():
    found = sealed_fields(VALUES)
    with pytest.raises(IndexDamagedError):
        unsealed("name", found[b"many"])
