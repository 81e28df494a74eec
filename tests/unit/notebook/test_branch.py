import subprocess

import pytest

from ipuaro_jupyter.notebook.branch import branch


def git(folder, *arguments):
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *author, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-b", "feature/a-b")
    git(tmp_path, "commit", "--allow-empty", "-m", "first")
    return tmp_path


def test_the_branch_is_read_from_any_folder_of_the_repository(repository):
    (repository / "src/deep").mkdir(parents=True)
    assert branch(repository) == branch(repository / "src/deep") == "feature/a-b"


def test_a_branch_without_a_commit_has_its_name(tmp_path):
    git(tmp_path, "init", "-b", "fresh")
    assert branch(tmp_path) == "fresh"


def test_a_detached_head_is_its_commit_in_brackets(repository):
    git(repository, "checkout", "--detach")
    commit = (repository / ".git/HEAD").read_text()
    assert branch(repository) == f"({commit[:7]})"


def test_a_worktree_has_its_own_branch(repository):
    git(repository, "worktree", "add", "-b", "other", "tree")
    assert branch(repository / "tree") == "other"


def test_outside_of_a_repository_and_in_a_broken_one_there_is_none(tmp_path):
    assert branch(tmp_path / "nothing") == ""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_bytes(b"\xff\xfe")
    assert branch(tmp_path) == ""
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    assert branch(tmp_path) == ""
