"""Folders are opened, made and locked one by one."""

import errno
import fcntl

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files import folders


def test_file_system_without_locks_for_folders_is_used_without(tmp_path, monkeypatch):
    def refused(*_arguments):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    with folders.locked(tmp_path, "a.ts", wait_s=0):
        (tmp_path / "a.ts").touch()
    assert (tmp_path / "a.ts").exists()


def test_who_waits_too_long_for_another_program_is_told(tmp_path):
    with (
        folders.locked(tmp_path),
        pytest.raises(ToolError, match="has locked the project's folder for too long") as caught,
        folders.locked(tmp_path, wait_s=0),
    ):
        pytest.fail("it was locked twice")
    assert (caught.value.type, caught.value.suggestion) == ("file", "Try again.")
