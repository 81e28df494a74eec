"""The commands of a store, on both kinds of server."""

import subprocess
import sys
import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.errors import StorageError, WrongKeyType
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.topology import told_servers

ON_ONE_SERVER = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
HASHES = st.dictionaries(st.binary(max_size=20), st.binary(max_size=200), max_size=30)


def test_importing_the_connection_loads_no_redis() -> None:
    code = "import sys, ipuaro_jupyter.store.connection; print('redis' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert answer.stdout == b"False\n"


def test_importing_the_keeper_loads_nothing_heavy() -> None:
    code = (
        "import sys, ipuaro_jupyter.store.keeper; "
        "print({'redis', 'pydantic', 'asyncio'} & set(sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert answer.stdout == b"set()\n"


def test_store_says_what_and_where_it_is(store: Store) -> None:
    name, version = told_servers(store).split(", ")[1].split()
    assert name in {"redis", "valkey"}
    assert version[0].isdigit()
    assert store.url.startswith(("redis://127.0.0.1:", "unix:///"))


def test_strings(store: Store) -> None:
    assert store.get("a") is None
    assert store.set("a", b"\0\xff")
    assert not store.set("a", b"2", nx=True)
    assert store.get("a") == b"\0\xff"
    assert store.exists("a")
    assert store.delete("a", "b") == 1
    assert not store.exists("a")
    assert store.delete() == 0


def test_expiry(store: Store) -> None:
    assert store.set("a", b"1", ex_s=0.05)
    assert store.set("b", b"1", ex_s=60)
    time.sleep(0.1)
    assert store.get("a") is None
    assert store.get("b") == b"1"


def test_hashes(store: Store) -> None:
    assert store.hset("h", {"a": b"1", "b": b"2"}) == 2
    assert store.hset("h", {}) == 0
    assert store.hget("h", "a") == b"1"
    assert store.hget("h", "z") is None
    assert store.hmget("h", ["b", "z", "a"]) == [b"2", None, b"1"]
    assert store.hmget("h", []) == []
    assert store.hmget_each(["h", "none"], ["b", "z"]) == [[b"2", None], [None, None]]
    assert store.hmget_each(["h", "none"], []) == [[], []]
    assert sorted(store.hkeys("h")) == [b"a", b"b"]
    assert store.hexists("h", "a")
    assert store.hdel("h", "a", "z") == 1
    assert store.hdel("h") == 0
    assert store.hincrby("h", "n", 2) == 2
    assert store.hincrby("h", "n") == 3
    assert store.hgetall("none") == {}
    (size,) = store.memory("h")
    assert size > 0
    assert store.memory("none", "h") == [0, size]
    assert store.memory() == []


@ON_ONE_SERVER
@given(values=HASHES)
def test_a_hash_comes_back_as_it_was_written(store: Store, values: dict[bytes, bytes]) -> None:
    store.delete("h")
    store.hset("h", values)
    assert store.hgetall("h") == values
    assert set(store.hkeys("h")) == set(values)


def test_the_memory_of_a_hash_counts_every_field(store: Store) -> None:
    """A few large fields among many small ones neither count for all nor are overlooked."""
    store.hset("h", {f"small{n}": b"1" for n in range(3000)})
    (small,) = store.memory("h")
    store.hset("h", {f"large{n}": b"x" * 100_000 for n in range(3)})
    (all_,) = store.memory("h")
    assert 300_000 <= all_ - small <= 420_000


def test_scan_matches_keys_with_braces(store: Store) -> None:
    for number in range(300):
        store.set(f"p:{{x-1}}:{number}", b"")
    store.set("p:{x-2}:1", b"")
    found = store.scan("p:{x-1}:*", count=20)
    assert found == {f"p:{{x-1}}:{number}".encode() for number in range(300)}


def test_lists(store: Store) -> None:
    assert store.rpush("l", b"b", b"c") == 2
    assert store.lpush("l", b"a") == 3
    assert store.rpush("l") == store.lpush("l") == store.llen("l") == 3
    assert store.lrange("l", 0, -1) == [b"a", b"b", b"c"]
    assert store.lindex("l", -1) == b"c"
    assert store.lindex("l", 9) is None
    store.ltrim("l", -2, -1)
    assert store.lrange("l", 0, -1) == [b"b", b"c"]
    assert store.lrange("none", 0, -1) == []


def test_sorted_sets(store: Store) -> None:
    assert store.zadd("z", {"a": 1.5, "b": 3, "c": 2}) == 3
    assert store.zadd("z", {}) == 0
    assert store.zrevrange("z", 0, 1) == [b"b", b"c"]
    assert store.zbelow("z", store.zscore("z", "b")) == [b"a", b"c"]
    assert store.zscore("z", "a") == 1.5
    assert store.zscore("z", "q") is None
    assert store.zrem("z", "a", "q") == 1


def test_a_command_that_the_server_refuses_is_a_storage_error(store: Store) -> None:
    store.set("a", b"1")
    with pytest.raises(StorageError, match="refused a command: value is not an integer"):
        store._run("SETEX", "a", "x", "1")


def test_a_key_of_another_type_is_told_with_its_name_and_what_to_do(store: Store) -> None:
    store.set("a", b"1")
    with pytest.raises(
        WrongKeyType, match=r"holds something else under 'a' than.*Open the project"
    ):
        store.hget("a", "f")
    store.hset("h", {"n": b"x"})
    with pytest.raises(StorageError, match="holds something else under 'h' than"):
        store.hincrby("h", "n")


def test_a_lock_that_never_ends_is_none(store: Store) -> None:
    store.rpush("lock", b"x")
    with store.lock("lock", timeout_s=10, wait_s=0) as had:
        assert had


@pytest.mark.parametrize("atomic", [True, False])
def test_batch_sends_everything_at_its_end(store: Store, *, atomic: bool) -> None:
    with store.batch(atomic=atomic) as batch:
        batch.set("s", b"1")
        batch.set("t", b"1", ex_s=100)
        batch.hset("h", {"a": b"1", "n": b"1"})
        batch.hset("h", {})
        batch.hdel("h", "a")
        batch.hincrby("h", "n", 4)
        batch.rpush("l", b"1", b"2", b"3")
        batch.lpush("l", b"0")
        batch.ltrim("l", 0, 0)
        batch.zadd("z", {"a": 1, "b": 2})
        batch.zrem("z", "b")
        batch.delete("s")
        assert not store.exists("h")
    assert store.hgetall("h") == {b"n": b"5"}
    assert store.lrange("l", 0, -1) == [b"0"]
    assert store.zrevrange("z", 0, -1) == [b"a"]
    assert store.get("t") == b"1"
    assert store.get("s") is None


def test_batch_that_raises_sends_nothing(store: Store) -> None:
    def write_and_fail() -> None:
        with store.batch(atomic=False) as batch:
            batch.set("s", b"1")
            raise LookupError

    with pytest.raises(LookupError):
        write_and_fail()
    assert not store.exists("s")


def test_batch_with_a_refused_command_is_a_storage_error(store: Store) -> None:
    store.set("s", b"1")
    with pytest.raises(StorageError, match="under 's'"), store.batch(atomic=True) as batch:
        batch.rpush("s", b"1")


def test_rename_flips_a_staged_value_into_place(store: Store) -> None:
    store.hset("h", {"old": b"1"})
    store.hset("h:new", {"new": b"1"})
    with store.batch(atomic=True) as batch:
        batch.move("h:new", "h")
    assert store.hgetall("h") == {b"new": b"1"}
    assert not store.exists("h:new")


def test_rename_of_a_value_that_is_empty_leaves_none(store: Store) -> None:
    store.hset("h", {"old": b"1"})
    with store.batch(atomic=True) as batch:
        batch.move("h:new", "h")
    assert not store.exists("h")


def test_readers_never_see_half_of_an_atomic_batch(store: Store) -> None:
    stop = threading.Event()
    seen: set[tuple[int, ...]] = set()

    def read() -> None:
        while not stop.is_set():
            seen.add((len(store.hkeys("h")), len(store.hkeys("h"))))

    store.hset("h", {str(n): b"" for n in range(500)})
    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(20):
        with store.batch(atomic=True) as batch:
            batch.delete("h")
            for number in range(500):
                batch.hset("h", {str(number): b""})
    stop.set()
    reader.join()
    assert seen == {(500, 500)}


def test_lock_excludes_until_it_is_released(store: Store) -> None:
    with store.lock("k", timeout_s=10, wait_s=0) as first:
        with store.lock("k", timeout_s=10, wait_s=0.05) as second:
            assert (first, second) == (True, False)
        assert store.exists("k")
    with store.lock("k", timeout_s=10, wait_s=0) as third:
        assert third


def test_lock_that_ran_out_is_not_taken_from_its_next_holder(store: Store) -> None:
    with store.lock("k", timeout_s=0.05, wait_s=0):
        time.sleep(0.1)
        store.set("k", b"somebody else's")
    assert store.get("k") == b"somebody else's"


def test_threads_share_a_store(store: Store) -> None:
    def count() -> None:
        for _ in range(200):
            store.hincrby("h", "n")

    threads = [threading.Thread(target=count) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.hget("h", "n") == b"1000"


def test_closed_store_says_so(store: Store) -> None:
    assert not store.closed
    store.close()
    assert store.closed
    with pytest.raises(StorageError, match="was closed"):
        store.get("a")
