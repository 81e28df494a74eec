"""Folders are opened, made and locked one by one."""

import errno
import fcntl

from ipuaro_jupyter.workspace.files import folders


def test_file_system_without_locks_for_folders_is_used_without(tmp_path, monkeypatch):
    def refused(*_arguments):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    with folders.locked(tmp_path, "a.ts", wait_s=0):
        (tmp_path / "a.ts").touch()
    assert (tmp_path / "a.ts").exists()
