"""Deep folders, and folders whose names are not UTF-8: all is found, and the watch goes on."""

import os
import subprocess
from pathlib import Path

import pytest
from folder_states import write_deep

from ipuaro_jupyter.workspace.files.watch import Watch, WatchSettings


@pytest.fixture
def deep(tmp_path):
    """A project with a file in a folder in a folder, 990 times; Python could not remove it."""
    root = tmp_path / "deep"
    root.mkdir()
    write_deep(root, "d", 990, "deep.ts", b"export const deepest = 1\n")
    yield root
    subprocess.run(["rm", "-rf", root], check=True)


@pytest.mark.parametrize("git", [False, True])
def test_files_deep_in_a_tree_are_found(deep, open_index, git):
    if git:
        os.system(f"git init -q {deep}")
    index = open_index(deep)
    index.watch(WatchSettings())
    assert [s.path for s in index.definitions("deepest")] == ["d/" * 990 + "deep.ts"]
    (deep / "d/d/new.ts").write_text("export const other = 1\n")
    assert [s.path for s in index.definitions("other")] == ["d/d/new.ts"]


@pytest.mark.parametrize("git", [False, True])
def test_folder_whose_name_is_not_utf8_does_not_end_the_watch(tmp_path, open_index, git):
    (tmp_path / "a.ts").write_text("export const a = 1\n")
    if git:
        os.system(f"git init -q {tmp_path}")
    index = open_index(tmp_path)
    index.watch(WatchSettings())
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    odd.mkdir()
    (odd / "in.ts").touch()
    assert index.summary().skipped == {"caf\\xe9/in.ts": "its name is not UTF-8"}
    (tmp_path / "later.ts").write_text("export const later = 1\n")
    assert [s.path for s in index.definitions("later")] == ["later.ts"]
    assert index._sync.watch._thread.is_alive()
    assert index.summary().notice == ""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_watch_that_ends_by_an_error_says_so(tmp_path):
    def fail():
        raise ZeroDivisionError

    watch = Watch(tmp_path, WatchSettings(), files=fail, changed=lambda: True)
    watch._thread.join(10)
    assert watch.problem == "The watcher has ended: each question compares the files."
    watch.close()
