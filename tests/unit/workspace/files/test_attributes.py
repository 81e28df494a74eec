"""What a file keeps when another one takes its place."""

import errno
import os

import pytest

from ipuaro_jupyter.workspace.files import atomic_writes, disk
from ipuaro_jupyter.workspace.files.atomic_writes import keep_owner


def test_file_of_somebody_else_is_written_all_the_same(tmp_path, monkeypatch):
    """Only root may give files away; others get one of their own in its place."""
    (tmp_path / "a").write_bytes(b"1")
    status = os.stat_result((0o100644, 1, 1, 1, 4242, 4242, 1, 0, 0, 0))
    asked = []

    def refused(_descriptor, owner, group):
        asked.append((owner, group))
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refused)
    with (tmp_path / "a").open("rb") as file:
        keep_owner(file.fileno(), status)
    assert asked == [(4242, 4242), (-1, 4242)]


def test_extended_attributes_are_kept_where_proc_is_not_mounted(tmp_path, monkeypatch):
    place = tmp_path / "a"
    place.write_bytes(b"1")
    try:
        os.setxattr(place, "user.note", b"kept")
    except (OSError, AttributeError):
        pytest.skip("this file system has no extended attributes")
    monkeypatch.setattr(os.path, "lexists", lambda path: not path.startswith("/proc/"))
    atomic_writes.write(tmp_path, "a", b"2", replaces=disk.read(tmp_path, "a"))
    assert (place.read_bytes(), os.getxattr(place, "user.note")) == (b"2", b"kept")
