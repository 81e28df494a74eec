import os

import pytest

from ipuaro_jupyter.cancellation import CancelToken, watching
from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.workspace.sandbox import git_marks as module
from ipuaro_jupyter.workspace.sandbox.git_marks import (
    GitMark,
    common_directory,
    git_mark,
    git_marks,
    named_directory,
    text_of,
)


def bare(folder):
    (folder / "refs").mkdir(parents=True)
    (folder / "objects").mkdir()
    (folder / "HEAD").touch()


def test_every_kind_is_found_wherever_it_is(tmp_path):
    (tmp_path / "node_modules/a/.GIT").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b/.git").write_text("gitdir: ../c\n")
    (tmp_path / ".git").symlink_to("nowhere")
    bare(tmp_path / "c")
    (tmp_path / "d").mkdir()
    os.mkfifo(tmp_path / "d/.git")
    (tmp_path / "e").mkdir()
    (tmp_path / "e/HEAD").touch()
    (tmp_path / "e/commondir").touch()
    (tmp_path / "link").symlink_to("b")
    found = git_marks(tmp_path)
    assert {path: mark.kind for path, mark in found.items()} == {
        ".git": "link",
        "b/.git": "file",
        "c": "bare",
        "d/.git": "other",
        "e": "bare",
        "node_modules/a/.GIT": "folder",
    }
    assert (found[".git"].told, found["b/.git"].told) == ("nowhere", "gitdir: ../c")


def test_what_is_in_a_git_directory_is_git_s_but_not_in_the_root(tmp_path):
    bare(tmp_path)
    bare(tmp_path / "a")
    (tmp_path / "a/b/.git").mkdir(parents=True)
    (tmp_path / ".git/.git").mkdir(parents=True)
    assert {*git_marks(tmp_path)} == {".", ".git", "a"}


def test_folder_that_has_gone_is_left_out(tmp_path):
    assert git_marks(tmp_path / "missing") == {}


def test_what_cannot_be_looked_into_is_closed(tmp_path):
    (tmp_path / "file").touch()
    assert git_marks(tmp_path / "file") == {".": GitMark("closed", "")}


def test_very_large_project_is_walked_from_its_top(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_MOST_FOLDERS", 2)
    (tmp_path / "a/b/.git").mkdir(parents=True)
    (tmp_path / "a/.git").mkdir()
    assert {path: mark.kind for path, mark in git_marks(tmp_path).items()} == {
        "a/.git": "folder",
        "a/b": "closed",
    }


def test_missing_mark_is_of_no_use_to_git(tmp_path):
    assert git_mark(f"{tmp_path}/.git") == GitMark("other", "")


def test_named_directory_has_a_head(tmp_path):
    (tmp_path / "kept").mkdir()
    mark = tmp_path / ".git"
    assert named_directory(mark) is None
    mark.write_text("gitdir: kept")
    assert named_directory(mark) is None
    (tmp_path / "kept/HEAD").touch()
    assert named_directory(mark) == tmp_path / "kept"
    assert common_directory(tmp_path / "kept") == tmp_path / "kept"
    (tmp_path / "kept/commondir").write_text("../other\n")
    assert common_directory(tmp_path / "kept") == tmp_path / "other"


@pytest.mark.parametrize("kind", ["folder", "unreadable"])
def test_what_is_no_text_is_none(tmp_path, kind):
    place = tmp_path / ("x" * 300 if kind == "unreadable" else "folder")
    if kind == "folder":
        place.mkdir()
    assert text_of(place) == ""


def test_walk_ends_when_the_user_stops(tmp_path):
    token = CancelToken()
    token.cancel()
    with watching(token), pytest.raises(Cancelled):
        git_marks(tmp_path)
