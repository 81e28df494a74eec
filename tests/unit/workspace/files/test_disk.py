"""Files are read whole, whatever the system says of their size."""

import errno
import os
import socket
import sys
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files import atomic_writes, disk


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_file_that_is_said_to_be_empty_and_is_not_is_read_whole():
    content = disk.read(Path("/proc"), "meminfo")
    assert content.data.startswith(b"MemTotal:")
    assert content.data.endswith(b"\n")


def test_empty_file_is_read(tmp_path):
    (tmp_path / "a").touch()
    assert disk.read(tmp_path, "a").data == b""


@pytest.mark.parametrize(
    ("changed_ns", "age_s", "expected"),
    [
        (1_700_000_000_000_000_001, 0.01, False),
        (1_700_000_000_000_000_001, 0.2, True),
        (1_700_000_000_000_000_001, -5, False),
        (1_700_000_000_000_000_000, 0.2, False),
        (1_700_000_000_000_000_000, 2.2, False),
        (1_700_000_000_000_000_000, 3, True),
    ],
)
def test_a_time_is_settled_once_the_clock_has_gone_on(monkeypatch, changed_ns, age_s, expected):
    """Whole seconds are of a system that knows no others."""
    monkeypatch.setattr(disk.time, "time_ns", lambda: changed_ns + int(age_s * 1e9))
    assert disk.is_settled(changed_ns) is expected


def test_the_stamp_of_a_file_is_another_after_any_change(tmp_path):
    (tmp_path / "a").write_text("one")
    content = disk.read(tmp_path, "a")
    assert disk.stamp(tmp_path, "a") == content.stamp
    assert content.changed_ns == (tmp_path / "a").stat().st_ctime_ns
    (tmp_path / "b").write_text("two")
    (tmp_path / "b").replace(tmp_path / "a")
    assert disk.stamp(tmp_path, "a") != content.stamp
    (tmp_path / "a").unlink()
    assert disk.stamp(tmp_path, "a") is None


def test_file_that_is_too_large_is_refused(tmp_path):
    with (tmp_path / "a").open("wb") as file:
        file.truncate(disk.LARGEST_BYTES + 1)
    with pytest.raises(ToolError, match="neither read nor changed"):
        disk.read(tmp_path, "a")


def test_socket_is_no_regular_file(tmp_path):
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "s"))
        with pytest.raises(ToolError, match="s is no regular file"):
            disk.read(tmp_path, "s")


def test_file_in_a_folder_that_is_missing_is_not_writable(tmp_path):
    assert not disk.is_writable(tmp_path, "none/a")


@pytest.fixture
def no_hard_links(monkeypatch):
    def refused(*_arguments, **_options):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)


@pytest.mark.usefixtures("no_hard_links")
def test_file_system_without_hard_links_takes_new_files(tmp_path):
    atomic_writes.write(tmp_path, "new/a", b"1", replaces=None)
    assert (tmp_path / "new/a").read_bytes() == b"1"
    with pytest.raises(ToolError, match="has appeared") as caught:
        atomic_writes.write(tmp_path, "new/a", b"2", replaces=None)
    assert caught.value.type == "conflict"
    assert (tmp_path / "new/a").read_bytes() == b"1"
    assert list((tmp_path / "new").iterdir()) == [tmp_path / "new/a"]


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_file_that_grows_too_large_while_it_is_read_is_refused(monkeypatch):
    monkeypatch.setattr(disk, "LARGEST_BYTES", 3)
    with pytest.raises(ToolError, match="neither read nor changed"):
        disk.read(Path("/proc"), "meminfo")


def test_file_is_read_where_proc_is_not_mounted(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"1")

    def refused(*_arguments, **_options):
        raise FileNotFoundError

    monkeypatch.setattr(os, "readlink", refused)
    assert disk.read(tmp_path, "a").data == b"1"


def test_file_that_has_gone_is_not_deleted(tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    content = disk.read(tmp_path, "a")
    (tmp_path / "a").unlink()
    with pytest.raises(ToolError, match="has been changed at this moment") as caught:
        atomic_writes.delete(tmp_path, "a", content)
    assert caught.value.type == "conflict"
