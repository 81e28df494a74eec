"""What the server holds of each project, by part."""

from pathlib import Path

from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.holdings import holding, holdings, part_of
from ipuaro_jupyter.store.keys import Keys

KEYS = Keys("shop-1")


def test_each_key_of_an_index_belongs_to_the_index(store: Store) -> None:
    names = (*StoredIndex(store, KEYS).key_names, KEYS.known, KEYS.known_before, KEYS.answers)
    assert {part_of(name) for name in names} == {"index"}
    assert part_of(f"{KEYS.staging(KEYS.files)}:0a1b") == "index"


def test_each_key_of_a_session_belongs_to_the_sessions_or_to_undo() -> None:
    parts = {name.rpartition(":")[2]: part_of(name) for name in KEYS.session_keys("s:1")}
    assert {name for name, part in parts.items() if part == "undo"} == {"undo", "redo"}
    assert set(parts.values()) == {"sessions", "undo"}
    assert {part_of(KEYS.sessions), part_of(KEYS.history)} == {"sessions"}


def test_what_cannot_be_made_again_belongs_to_no_part_that_goes_unnamed() -> None:
    names = [*KEYS.session_keys("s"), KEYS.sessions, KEYS.history]
    assert not {"index", "other"} & {part_of(name) for name in names}


def test_other_keys_belong_to_no_known_part() -> None:
    for name in (KEYS.info, KEYS.lock, f"{KEYS.prefix}newer", "ipuaro:v1:projects", "x"):
        assert part_of(name) == "other"


def test_sizes_are_by_project_and_part(store: Store, tmp_path: Path) -> None:
    del tmp_path
    for identity in ("a-1", "b-2"):
        store.hset(Keys(identity).files, {"x.ts": b"1" * 5000})
        store.rpush(Keys(identity).undo("s"), b"2" * 2000)
    store.set("ipuaro:v1:project:{a-1}", b"no key of ours")
    store.set("others:project:{a-1}:files", b"the same")
    found = holdings(store)
    assert set(found) == {"a-1", "b-2"}
    assert found["a-1"].sizes.keys() == {Keys("a-1").files, Keys("a-1").undo("s")}
    assert 5000 < found["a-1"].bytes_of("index") < 6000
    assert found["a-1"].bytes_of("undo", "index") > 7000
    assert holding(store, "b-2").keys_of("undo") == [Keys("b-2").undo("s")]
    assert dict(holding(store, "c-3").sizes) == {}


def test_a_key_whose_name_is_no_text_is_not_ours(store: Store) -> None:
    store.evaluate("redis.call('SET', KEYS[1] .. '\\255', '1') return 1", f"{KEYS.prefix}files")
    assert holdings(store) == {}
