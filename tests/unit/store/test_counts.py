"""A note of how many fields hashes have."""

import pytest

from ipuaro_jupyter.store.batch import MARK

HASHES = ("{t}:a", "{t}:b", "{t}:none")


@pytest.fixture
def noted(store):
    staged = {key: f"{key}:new" for key in ("{t}:note", *HASHES)}
    for key in staged.values():
        store.hset(key, {MARK: b""})
    store.hset(staged["{t}:a"], {"x": b"1", "y": b"2"})
    store.hset(staged["{t}:b"], {"x": b"1"})
    with store.batch(atomic=True) as batch:
        batch.replace_hashes(staged, "{t}:note", HASHES)
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


def test_counts_are_renewed_only_where_they_held(noted):
    for is_dropped in (False, True):
        if is_dropped:
            noted.delete("{t}:b")
        renewing = noted.batch(atomic=True)
        with renewing as batch, batch.renewing_counts("{t}:note", HASHES):
            batch.hset("{t}:b", {"z": b"3"})
        assert noted.have_counts("{t}:note", HASHES) is not is_dropped


@pytest.mark.parametrize("dropped", [None, "note", "a", "none"])
def test_hashes_replace_others_unless_one_was_dropped_while_it_was_made(noted, dropped):
    staged = {f"{{t}}:{name}": f"{{t}}:new:{name}" for name in ("note", "a", "b", "none")}
    for key in staged.values():
        noted.hset(key, {MARK: b""})
    noted.hset(staged["{t}:note"], {"info": b"new"})
    if dropped:
        noted.delete(f"{{t}}:new:{dropped}")
    noted.hset(staged["{t}:a"], {"x": b"new"})
    with noted.batch(atomic=True) as batch:
        batch.replace_hashes(staged, "{t}:note", HASHES)
    assert noted.have_counts("{t}:note", HASHES) is (dropped is None)
    assert noted.exists("{t}:note") is (dropped is None)
    if dropped is None:
        assert noted.hgetall("{t}:a") == {b"x": b"new"}
        assert not noted.exists("{t}:b")
        assert not noted.exists("{t}:none")
