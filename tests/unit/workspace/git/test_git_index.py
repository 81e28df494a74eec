"""The index stays whose it is."""

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.git.git_index import IndexFile


def test_index_that_cannot_be_locked_is_an_error(tmp_path):
    index = IndexFile(tmp_path / "none/index")
    with pytest.raises(ToolError, match=r"Not committed: .*No such file"), index.locked():
        pytest.fail("it was locked")


def test_index_that_nobody_changed_stays_when_a_commit_fails(git):
    place = git.root / ".git/index"

    def state():
        found = place.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    before = state()
    with pytest.raises(ZeroDivisionError), IndexFile(place).kept():
        raise ZeroDivisionError
    assert state() == before


def test_index_that_a_hook_changed_is_put_back_when_a_commit_fails(git):
    place = git.root / ".git/index"
    before = place.read_bytes()

    def staging():
        git.write("new.ts", "1")
        git("add", "new.ts")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), IndexFile(place).kept():
        staging()
    assert place.read_bytes() == before
    assert not (git.root / ".git/index.lock").exists()
