"""An index is read field by field, and what is wrong with it is told."""

import pytest

from ipuaro_jupyter.index.storage.index_check import check_index, index_kind
from ipuaro_jupyter.index.storage.seals import sealed
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.store.keys import Keys, project_id


@pytest.fixture
def stored(make_index, money, store):
    _, root = make_index(money)
    return StoredIndex(store, Keys(project_id(root)))


def told(stored):
    return [(one.kind, one.what) for one in check_index(stored)]


def test_a_whole_index_has_no_findings(stored):
    assert index_kind(stored) == "whole"
    assert check_index(stored) == []


def test_no_index_is_missing(stored):
    stored.discard()
    assert index_kind(stored) == "none"
    assert told(stored) == [("missing", "the index")]


def test_that_of_another_version_is_told(stored, store):
    store.hset(stored.keys.index_info, {"format": sealed("format", b"older")})
    assert index_kind(stored) == "format"
    assert told(stored) == [("format", "the index is that of another version of this package")]


def test_every_key_is_read(stored, store):
    for key in stored.key_names:
        fields = [field for field in store.hkeys(key) if field != b"counts"]
        if not fields:
            continue
        value = store.hget(key, fields[-1])
        store.hset(key, {fields[-1]: value[:-1] + bytes([value[-1] ^ 1])})
        (found,) = check_index(stored)
        name = key.removeprefix(stored.keys.prefix)
        assert found.kind == "garbled"
        assert found.what == f"1 field of {name}: {fields[-1].decode()}"
        assert "made anew" in found.remedy
        store.hset(key, {fields[-1]: value})
    assert check_index(stored) == []


@pytest.mark.parametrize("name", ["ast", "meta", "modules", "definitions", "dependencies"])
def test_a_row_that_is_missing_is_named(stored, store, name):
    store.hdel(f"{stored.keys.prefix}{name}", "src/tax.ts")
    assert index_kind(stored) == "damaged"
    assert told(stored) == [("missing", f"1 field of {name}: src/tax.ts")]


def test_an_id_that_is_missing_is_named_by_its_file(stored, store):
    number = stored.files()["src/tax.ts"].number
    store.hdel(stored.keys.file_ids, str(number))
    assert told(stored) == [("missing", "1 field of file_ids: src/tax.ts")]


def test_another_field_that_is_missing_is_told(stored, store):
    store.hdel(stored.keys.tokens, store.hkeys(stored.keys.tokens)[0])
    assert told(stored) == [("missing", "fields: there are not as many as were written")]


def test_a_key_of_another_type_is_told(stored, store):
    store.delete(stored.keys.tokens)
    store.set(stored.keys.tokens, b"something else")
    assert told(stored) == [("garbled", "1 field of tokens: the whole key")]


def test_an_entry_that_cannot_be_decoded_is_garbled(stored, store):
    store.hset(stored.keys.files, {"src/tax.ts": sealed("src/tax.ts", b"\xc1")})
    assert ("garbled", "1 field of files: src/tax.ts") in told(stored)


def test_reading_changes_nothing(stored, store):
    def state():
        return {key: store.hgetall(key) for key in stored.key_names}

    before = state()
    check_index(stored)
    assert state() == before
