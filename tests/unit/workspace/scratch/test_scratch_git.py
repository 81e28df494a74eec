"""The repository of a copy, where there is none, or git does not work."""

import pytest

from ipuaro_jupyter.workspace.git.own_repository import repository_of
from ipuaro_jupyter.workspace.scratch.scratch_git import (
    tracked_files,
    undo_commits,
)


def test_a_project_outside_of_repositories_has_none(tmp_path):
    assert repository_of(tmp_path) is None


@pytest.mark.parametrize("content", [b"\xff", b"gitdir: nowhere\n"])
def test_what_is_no_git_folder_is_no_repository(tmp_path, content):
    (tmp_path / ".git").write_bytes(content)
    (tmp_path / "sub").mkdir()
    assert repository_of(tmp_path / "sub") is None


def test_a_repository_that_leads_elsewhere_is_none(git):
    assert repository_of(git.root).top == git.root
    config = git.root / ".git/config"
    config.write_text(f"{config.read_text()}[core]\n\tworktree = /\n")
    assert repository_of(git.root) is None


def test_without_git_nothing_is_tracked(git, monkeypatch):
    assert tracked_files(git.root) == ["a.ts", "b.ts", "c.ts"]
    monkeypatch.setenv("PATH", "/nowhere")
    assert tracked_files(git.root) == []


def test_commits_are_not_taken_back_while_another_git_is_at_work(git):
    git.write("a.ts", "2\n")
    git("commit", "-qam", "later")
    head = git("rev-parse", "HEAD").strip()
    git.write(".git/index.lock", "")
    assert undo_commits(git.root, [head]) == 0
    assert git("rev-parse", "HEAD").strip() == head
    (git.root / ".git/index.lock").unlink()
    assert undo_commits(git.root, [head]) == 1
    assert git("status", "--porcelain") == " M a.ts\n"
