"""A server whose data is damaged starts with what is whole, and says what it left out."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store import embedded as embedded_module
from ipuaro_jupyter.store.connection import Store, StoreSettings, connect

SETTINGS = StoreSettings(keeper_idle_s=60)
pytestmark = pytest.mark.usefixtures("home")
Damage = Callable[[bytes], bytes]


def written(home: Path) -> Path:
    """Write some data, stop the server, and return its append-only file."""
    store = connect(SETTINGS)
    for number in range(20):
        store.set(f"key{number}", b"value" * 50)
    with store.batch(atomic=True) as batch:
        batch.set("one", b"1")
        batch.set("other", b"2")
    store.close()
    embedded_module.stop()
    (file,) = home.glob("store/*/appendonlydir/*.incr.aof")
    return file


def reopened(file: Path, damage: Damage) -> tuple[Store, str]:
    """Damage a file and open the store again; return it with what it tells."""
    before = damage(file.read_bytes())
    file.write_bytes(before)
    store = connect(SETTINGS)
    (told,) = store.take_losses()
    (kept,) = file.parents[1].glob("damaged-*")
    assert str(kept) in told
    assert "What could be undone" in told
    assert "check-aof" not in told
    assert [path.read_bytes() for path in kept.rglob("*.incr.aof")] == [before]
    return store, told


@pytest.mark.parametrize("tail", [b"\0" * 4096, b"\0", b"\xff garbage", b"*3\r\n$3\r\nNOT"])
def test_all_before_a_damaged_end_is_there(home: Path, tail: bytes) -> None:
    file = written(home)
    store, told = reopened(file, lambda data: data + tail + b"\0" * 10)
    assert store.get("key19") == b"value" * 50
    assert store.get("other") == b"2"
    assert "started with what is whole" in told
    store.close()


def test_data_of_a_newer_server_is_told_and_stays(home: Path) -> None:
    """The base of it has a format that this server cannot know."""
    file = written(home)
    (base,) = file.parent.glob("*.base.rdb")
    whole = base.read_bytes()
    base.write_bytes(re.sub(rb"\A([A-Z]+)(\d+)", rb"\g<1>999", whole).replace(b"S999", b"S0999"))
    newer = {path: path.read_bytes() for path in file.parent.iterdir()}
    for _ in range(2):
        with pytest.raises(StorageError, match="a newer server has written the data"):
            connect(SETTINGS)
    assert {path: path.read_bytes() for path in file.parent.iterdir()} == newer
    assert [*file.parents[1].glob("damaged-*")] == []
    base.write_bytes(whole)
    store = connect(SETTINGS)
    assert store.get("key19") == b"value" * 50
    assert store.take_losses() == []
    store.close()


@pytest.mark.parametrize(
    ("found", "put"),
    [
        (b"key10\r\n$250", b"key10\r\n$999"),
        (b"key10\r\n$250", b"key10\r\nX250"),
        (b"*3\r\n$3\r\nSET\r\n$5\r\nkey10", b"*5\r\n$3\r\nSET\r\n$5\r\nkey10"),
    ],
)
def test_all_before_damage_in_the_middle_is_there(home: Path, found: bytes, put: bytes) -> None:
    file = written(home)
    assert found in file.read_bytes()
    store, _ = reopened(file, lambda data: data.replace(found, put))
    assert store.get("key8") == b"value" * 50
    assert store.get("key12") is None
    store.set("key12", b"again")
    store.close()
    embedded_module.stop()
    again = connect(SETTINGS)
    assert again.get("key12") == b"again"
    assert again.take_losses() == []
    again.close()


@pytest.mark.parametrize("put", [b"*3\r\n$3\r\nS\0T", b"*3\r\n$3\r\nSEX", b"*2\r\n$3\r\nSET"])
def test_data_with_a_command_that_is_none_is_set_aside_whole(home: Path, put: bytes) -> None:
    """The server's check tool knows no commands, only their form."""
    file = written(home)
    whole = b"*3\r\n$3\r\nSET\r\n$5\r\nkey10"
    store, told = reopened(file, lambda data: data.replace(whole, put + whole[len(put) :]))
    assert "It has begun anew" in told
    assert store.get("key8") is None
    store.close()


def test_half_a_transaction_is_left_out(home: Path) -> None:
    file = written(home)
    start = file.read_bytes().index(b"MULTI")
    cut = file.read_bytes().index(b"other", start) - 30
    store, _ = reopened(file, lambda data: data[:cut] + b"\0" * 300)
    assert store.get("key19") == b"value" * 50
    assert store.get("one") is None
    store.close()


def test_data_without_its_base_is_set_aside_whole(home: Path) -> None:
    file = written(home)
    (base,) = file.parent.glob("*.base.*")
    base.write_bytes(b"\0" * base.stat().st_size)
    store, told = reopened(file, lambda data: data)
    assert "It has begun anew" in told
    assert store.get("key1") is None
    store.close()


def test_damage_that_is_found_while_a_store_is_open_is_told(home: Path) -> None:
    file = written(home)
    store = connect(SETTINGS)
    store.set("late", b"1")
    embedded_module.stop()
    file.write_bytes(file.read_bytes() + b"\0" * 100)
    assert store.get("late") == b"1"
    assert len(store.take_losses()) == 1
    store.close()


def test_without_its_manifest_the_data_is_kept_beside_and_that_is_told(home: Path) -> None:
    file = written(home)
    (manifest,) = file.parent.glob("*.manifest")
    manifest.unlink()
    store, told = reopened(file, lambda data: data)
    assert "manifest" in told
    assert store.get("key0") is None
    store.set("new", b"1")
    store.close()
    embedded_module.stop()
    again = connect(SETTINGS)
    assert again.take_losses() == []
    assert again.get("new") == b"1"
    again.close()
