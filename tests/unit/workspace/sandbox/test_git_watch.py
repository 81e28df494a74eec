import os

import pytest

from ipuaro_jupyter.workspace.sandbox import git_marks as walk
from ipuaro_jupyter.workspace.sandbox.git_marks import git_marks
from ipuaro_jupyter.workspace.sandbox.git_places import git_places
from ipuaro_jupyter.workspace.sandbox.sandbox import GitWatch


@pytest.fixture
def watch(git):
    """A repository with another one in it, looked at before a command of commits."""
    git("init", "-q", "inner")
    marks = git_marks(git.root)
    places = git_places(git.root, "commits", marks)
    return GitWatch(git.root, marks, places.absent, places.rebases)


def test_nothing_new_is_not_told(git, watch):
    git.write("a.ts", "2\n")
    git("commit", "-qam", "two")
    assert watch.settle() == ""


def test_what_git_must_not_find_is_removed(git, watch):
    git.write(".git/commondir", "../evil\n")
    assert watch.settle() == (
        "Removed, because git would take its settings from there: .git/commondir."
    )
    assert git("status", "--short") == "?? inner/\n"


@pytest.mark.parametrize("how", ["folder", "file", "link", "bare", "replaced"])
def test_new_git_directory_is_told(git, watch, how):
    path = "new/.git"
    (git.root / "new").mkdir()
    if how == "folder":
        git("init", "-q", "new")
    elif how == "file":
        git.write(path, "gitdir: ../evil")
    elif how == "link":
        (git.root / path).symlink_to("../evil")
    elif how == "bare":
        path = "new/one"
        git("init", "-q", "--bare", path)
    else:
        path = "inner/.git"
        (git.root / "inner").rename(git.root / "moved")
        git("init", "-q", "inner")
    assert watch.settle() == (
        f"A git directory has come or changed meanwhile: {path}. It is not the sandbox's: what its "
        "settings and hooks name runs when you or an editor use git there, so look at them first, "
        "or delete it."
    )


def test_of_many_some_are_named(git, watch):
    for name in "abcdefghijk":
        (git.root / name / ".git").mkdir(parents=True)
    assert "g/.git, h/.git and 3 more. It" in watch.settle()


def test_names_are_told_in_one_line(git, watch):
    (git.root / "new\nlines/.git").mkdir(parents=True)
    assert r"meanwhile: new\nlines/.git. It" in watch.settle()


def test_project_that_becomes_a_bare_repository_is_told(git, watch):
    for name in ("HEAD", "objects", "refs"):
        (git.root / name).mkdir()
    assert "meanwhile: the project itself. It" in watch.settle()


def test_what_git_does_not_read_is_not_told(git, watch):
    (git.root / "new").mkdir()
    os.mkfifo(git.root / "new/.git")
    assert watch.settle() == ""


def test_rebase_that_is_not_done_is_told(git, watch):
    git.write(".git/rebase-merge/git-rebase-todo", "exec touch x\n")
    assert watch.settle() == (
        "A rebase is not done; look for exec in it before it goes on: "
        ".git/rebase-merge/git-rebase-todo."
    )


def test_what_cannot_be_looked_into_is_told_once(git, watch, monkeypatch):
    (git.root / "a").mkdir()
    (git.root / "b").mkdir()
    monkeypatch.setattr(walk, "_MOST_FOLDERS", 1)
    told = watch.settle()
    assert told.startswith("Git directories were not looked for everywhere: ")
    assert GitWatch(git.root, git_marks(git.root)).settle() == ""
