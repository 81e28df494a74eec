"""Data that is whole stays where it is, whatever keeps the server from starting."""

import dataclasses
import shlex
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.binary import find_binary
from ipuaro_jupyter.store.damaged_data import DamagedData, cause
from ipuaro_jupyter.store.embedded import EmbeddedServer

OOM = "Valkey aborting for OUT OF MEMORY. Allocating 1024 bytes!"
DENIED = "Can't open the append-only file appendonly.aof.1.incr.aof: Permission denied"
CRASH = "=== VALKEY BUG REPORT START: Cut & paste starting from here ==="
BROKEN = "Bad file format reading the append only file appendonly.aof.1.incr.aof"
LISTED = "file a.1.base.rdb seq 1 type b\nfile a.1.incr.aof seq 1 type i\n"
WHOLE = b"*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n"


def put(data, added=WHOLE):
    """Write the files of a server in this folder."""
    folder = data / "appendonlydir"
    folder.mkdir()
    (folder / "a.manifest").write_text(LISTED)
    (folder / "a.1.base.rdb").write_bytes(b"VALKEY080")
    (folder / "a.1.incr.aof").write_bytes(added)


def unlist(data, added=WHOLE):
    """Write the files of a server without the manifest."""
    put(data, added)
    (data / "appendonlydir/a.manifest").rename(data / "appendonlydir/temp-a.manifest")


def contents(data):
    return {
        str(path.relative_to(data)): path.read_bytes()
        for place in ("appendonlydir", "damaged-*")
        for folder in data.glob(place)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def started(home, tmp_path):  # noqa: ARG001 - for its effect
    """A function that starts a server which says some words and ends; returns the fault."""

    def start(words, added=WHOLE, put=put):
        server = EmbeddedServer(keeper_idle_s=60)
        program = tmp_path / "server"
        text = "\n".join(f"echo {shlex.quote(line)}" for line in words.splitlines())
        program.write_text(
            f"#!/bin/sh\nmkdir -p appendonlydir && touch appendonlydir/new\n{text}\nexit 1\n"
        )
        program.chmod(0o700)
        server._binary = dataclasses.replace(server._binary, path=program)
        put(server.data.path, added)
        with pytest.raises(StorageError) as fault, server.running():
            pass
        assert server.losses == []
        found = contents(server.data.path)
        found.pop("appendonlydir/new", None)
        return found, str(fault.value)

    return start


@pytest.mark.parametrize("words", [OOM, DENIED, f"{OOM}\n{CRASH}\nBUG REPORT END", CRASH])
def test_whole_data_stays_when_the_server_ends_for_another_reason(started, words):
    found, fault = started(words)
    assert sorted(found) == [
        f"appendonlydir/a.{name}" for name in ("1.base.rdb", "1.incr.aof", "manifest")
    ]
    assert "Its data is kept" in fault


def test_the_fault_names_the_lack_of_memory_behind_a_crash(started):
    _, fault = started(f"{OOM}\n{CRASH}\nend")
    assert "OUT OF MEMORY" in fault


@pytest.mark.parametrize("added", [WHOLE, WHOLE + b"\0" * 9, WHOLE * 3 + b"*2\r\n"])
def test_what_was_left_out_is_put_back_when_the_server_does_not_start_without_it(started, added):
    found, fault = started(BROKEN, added)
    assert len(found) == 3
    assert found["appendonlydir/a.1.incr.aof"] == added
    assert "Its data is kept" in fault


@pytest.fixture
def damaged(tmp_path):
    """The data of a folder whose check tool finds everything wrong."""
    return DamagedData(tmp_path, Path("/bin/false"))


@pytest.mark.parametrize("fails", [True, False])
def test_of_a_crash_the_check_tool_decides(tmp_path, fails):
    put(tmp_path)
    program = Path("/bin/false" if fails else "/bin/true")
    assert DamagedData(tmp_path, program).is_meant(cause(f"a\n{CRASH}\nb")) is fails
    assert not DamagedData(tmp_path, program).is_meant("Reading RDB base file on AOF loading...")


def test_a_lack_of_memory_or_leave_is_not_about_the_data(damaged):
    assert not damaged.is_meant(DENIED)
    assert not damaged.is_meant(f"AOF: {OOM}")
    assert not damaged.is_meant("Can't open the append-only file: No space left on device")
    assert damaged.is_meant(BROKEN)
    assert damaged.is_meant("Short read or OOM loading DB")


def test_a_base_that_cannot_be_read_is_set_aside_and_put_back(tmp_path, damaged):
    put(tmp_path)
    before = contents(tmp_path)
    (told,) = damaged.attempts("was damaged")
    assert "begun anew" in told
    assert not (tmp_path / "appendonlydir").exists()
    damaged.undo()
    assert contents(tmp_path) == before
    assert list(tmp_path.glob("damaged-*")) == []


def test_what_follows_a_file_that_is_cut_off_is_left_out(tmp_path):
    put(tmp_path, WHOLE + b"\0" * 9)
    folder = tmp_path / "appendonlydir"
    (folder / "a.manifest").write_text(f"{LISTED}file a.2.incr.aof seq 2 type i\n")
    (folder / "a.2.incr.aof").write_bytes(WHOLE)
    told = next(DamagedData(tmp_path, find_binary().path).attempts("was damaged"))
    assert "started with what is whole" in told
    assert (folder / "a.1.incr.aof").read_bytes() == WHOLE
    assert (folder / "a.2.incr.aof").read_bytes() == b""


@pytest.mark.parametrize("names", [(), ("a.manifest", "a.1.incr.aof"), ("empty.aof",), ("a.txt",)])
def test_listed_and_empty_files_are_not_unlisted(tmp_path, damaged, names):
    assert not damaged.is_unlisted
    (tmp_path / "appendonlydir").mkdir()
    for name in names:
        (tmp_path / "appendonlydir" / name).write_text("" if name == "empty.aof" else "a")
    assert not damaged.is_unlisted


def test_unlisted_files_are_put_back_when_the_server_does_not_start(started):
    found, fault = started("no such option", put=unlist)
    assert found["appendonlydir/a.1.incr.aof"] == WHOLE
    assert "ended at once: no such option" in fault
