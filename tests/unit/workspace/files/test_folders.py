"""Folders are opened, made and locked one by one."""

import errno
import fcntl
import os
import threading

import pytest

from ipuaro_jupyter.cancellation import CancelToken, watching
from ipuaro_jupyter.errors import Cancelled, ToolError
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


def test_who_can_read_the_folder_cannot_lock_the_project(tmp_path):
    descriptor = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with (
            folders.locked(tmp_path, wait_s=0),
            pytest.raises(ToolError, match="has locked"),
            folders.locked(tmp_path, wait_s=0),
        ):
            pytest.fail("it was locked twice")
    finally:
        os.close(descriptor)


def test_stop_ends_the_waiting_for_a_lock(tmp_path):
    token = CancelToken()
    with folders.locked(tmp_path), watching(token):
        threading.Timer(0.1, token.cancel).start()
        with pytest.raises(Cancelled), folders.locked(tmp_path, wait_s=20):
            pytest.fail("it was locked twice")
