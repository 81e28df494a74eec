"""A note of how many fields hashes have."""

import pytest

HASHES = ("{t}:a", "{t}:b", "{t}:none")


@pytest.fixture
def noted(store):
    store.hset("{t}:a", {"x": b"1", "y": b"2"})
    store.hset("{t}:b", {"x": b"1"})
    with store.batch(atomic=True) as batch:
        batch.note_counts("{t}:note", HASHES)
    yield store
    store.delete("{t}:note", *HASHES)


def test_counts_hold_until_a_field_comes_or_goes(noted):
    assert noted.have_counts("{t}:note", HASHES)
    noted.hset("{t}:a", {"x": b"another"})
    assert noted.have_counts("{t}:note", HASHES)
    noted.hdel("{t}:a", "x")
    assert not noted.have_counts("{t}:note", HASHES)
    noted.hset("{t}:a", {"z": b"1"})
    assert noted.have_counts("{t}:note", HASHES)
    noted.hset("{t}:none", {"x": b"1"})
    assert not noted.have_counts("{t}:note", HASHES)


@pytest.mark.parametrize("key", ["{t}:note", "{t}:a"])
def test_counts_do_not_hold_for_keys_that_are_gone_or_of_another_type(noted, key):
    noted.delete(key)
    assert not noted.have_counts("{t}:note", HASHES)
    noted.set(key, b"2")
    assert not noted.have_counts("{t}:note", HASHES)
