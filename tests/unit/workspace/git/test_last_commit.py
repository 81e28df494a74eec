"""The last commit is the one that git names, in every form that a repository has for it."""

import os
import subprocess

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.git.repository import Repository


def heads(root, monkeypatch):
    """The hash of the last commit as git says, and as it is read when git was asked once."""
    asked = Repository(root)._git
    first = asked.head()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "")
        return first, asked.head()


def asked(git, *arguments):
    """Whether git has an answer."""
    return not subprocess.run(["git", *arguments], cwd=git.root, check=False).returncode


def nothing(git):
    del git


def detached(git):
    git("checkout", "-q", "--detach")


def packed(git):
    git("tag", "-am", "one", "v1")
    git("pack-refs", "--all")
    assert not (git.root / ".git/refs/heads/main").exists()


def deep(git):
    git("checkout", "-qb", "a/b/ä")


def through_another_name(git):
    git("symbolic-ref", "refs/heads/other", "refs/heads/main")
    git("symbolic-ref", "HEAD", "refs/heads/other")


def in_capitals(git):
    name = git("rev-parse", "HEAD").strip()
    git.write(".git/HEAD", f"{name.upper()}\n")


def linked(git):
    link = git.root / ".git/HEAD"
    link.unlink()
    link.symlink_to("refs/heads/main")


@pytest.mark.parametrize(
    "change", [nothing, detached, packed, deep, through_another_name, in_capitals, linked]
)
def test_the_last_commit_is_read_without_git(git, monkeypatch, change):
    change(git)
    expected = git("rev-parse", "HEAD").strip()
    assert heads(git.root, monkeypatch) == (expected, expected)


def test_a_working_tree_of_its_own_has_its_own_last_commit(git, tmp_path, monkeypatch):
    git("worktree", "add", "-q", str(tmp_path / "second"))
    second = type(git)(tmp_path / "second")
    second.write("a.ts", "2\n")
    second("commit", "-qam", "second")
    expected = second("rev-parse", "HEAD").strip()
    assert expected != git("rev-parse", "HEAD").strip()
    assert heads(second.root, monkeypatch) == (expected, expected)


def test_the_last_commit_is_always_the_one_there_is_now(git):
    opened = Repository(git.root)._git
    for number in range(3):
        assert opened.head() == git("rev-parse", "HEAD").strip()
        git("commit", "-q", "--allow-empty", "-m", str(number))
        git("pack-refs", "--all")
    assert opened.head() == git("rev-parse", "HEAD").strip()


def test_before_the_first_commit_there_is_none(empty):
    opened = Repository(empty.root)._git
    assert (opened.head(), opened.head()) == ("", "")


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_NAMESPACE"])
def test_variables_of_git_lead_nowhere_else(git, tmp_path, monkeypatch, name):
    other = type(git)(tmp_path / "other")
    other.root.mkdir()
    other.begin()
    other("commit", "-q", "--allow-empty", "-m", "other")
    expected = git("rev-parse", "HEAD").strip()
    monkeypatch.setenv(name, str(other.root if name == "GIT_WORK_TREE" else other.root / ".git"))
    opened = Repository(git.root)._git
    assert (opened.head(), opened.head()) == (expected, expected)


def test_hashes_of_another_length_are_left_to_git(tmp_path, git):
    other = type(git)(tmp_path / "other")
    other.root.mkdir()
    other.begin("--object-format=sha256")
    other("commit", "-q", "--allow-empty", "-m", "one")
    opened = Repository(other.root)._git
    expected = other("rev-parse", "HEAD").strip()
    assert len(expected) == 64
    assert (opened.head(), opened.head()) == (expected, expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ref:\n",
        "ref: refs/heads/.invalid\n",
        "ref: refs/heads/../../config\n",
        "ref: refs/heads/none\n",
        "ref: refs/heads/round\n",
        "\xff",
        "no hash",
    ],
)
def test_what_only_git_understands_is_left_to_git(git, text):
    opened = Repository(git.root)._git
    assert opened.head()
    git.write(".git/refs/heads/round", "ref: refs/heads/round\n")
    git.write(".git/HEAD", text.encode("latin-1"))
    assert not asked(git, "rev-parse", "-q", "--verify", "HEAD")
    if asked(git, "rev-parse", "--git-dir"):
        assert opened.head() == ""
    else:
        with pytest.raises(ToolError):
            opened.head()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_git_has_to_accept_the_repository_before_it_is_read(git):
    for place in (git.root, git.root / ".git"):
        os.chown(place, 1234, 1234)
    with pytest.raises(ToolError, match=r"safe\.directory"):
        Repository(git.root)
