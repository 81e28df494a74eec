import pytest

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.sessions.found_files import FoundFiles


@pytest.fixture
def found(store, keys):
    return FoundFiles(store, keys, "s")


def untouched(found, files):
    return {one.path: (one.content, one.mode) for one in found.untouched(files.get)}


def test_a_file_is_found_as_it_was_before_its_first_change(found):
    found.note(Change(path="a", before=b"1", after=b"2", mode=0o755), within_turn=True)
    found.note(Change(path="a", before=b"2", after=b"3\xff", mode=0o755), within_turn=True)
    found.note(Change(path="new", before=None, after=b"n"), within_turn=True)
    found.note(Change(path="gone", before=b"g", after=None, mode=0o644), within_turn=True)
    assert untouched(found, {"a": b"3\xff", "new": b"n"}) == {
        "a": (b"1", 0o755),
        "new": (None, None),
        "gone": (b"g", 0o644),
    }


def test_a_file_that_was_changed_since_is_left_as_it_is(found):
    found.note(Change(path="a", before=b"1", after=b"2"), within_turn=True)
    found.note(Change(path="gone", before=b"g", after=None), within_turn=True)
    assert untouched(found, {"a": b"other", "gone": b"back again"}) == {}
    assert untouched(found, {}) == {"gone": (b"g", None)}


def test_an_undo_says_what_is_there_and_finds_nothing(found):
    found.note(Change(path="a", before=b"1", after=b"2"), within_turn=True)
    found.note(Change(path="a", before=b"2", after=b"1"), within_turn=False)
    found.note(Change(path="by hand", before=b"x", after=b"y"), within_turn=False)
    assert untouched(found, {"a": b"1", "by hand": b"y"}) == {"a": (b"1", None)}


def test_what_cannot_be_read_is_left_out(found, store, keys):
    store.hset(keys.found("s"), {"a": b"torn", "\0a": b"absent", "b": b""})
    assert untouched(found, {}) == {}
