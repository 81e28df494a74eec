"""The repository is found, whatever kind it is."""

import os
import subprocess

import pytest
from git_repository import Answer, Git, diff, sizes, status

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.workspace.git.repository import Repository


def test_project_below_the_top_of_its_repository(git):
    git.write("sub/x.ts", "1\n")
    git.write("sub/deep/y.ts", "1\n")
    git("add", "-A")
    git("commit", "-qm", "sub")
    for path in ("a.ts", "sub/x.ts", "sub/deep/y.ts"):
        git.write(path, "2\n")
    repository = Repository(git.root / "sub")
    assert repository.status().modified == ("deep/y.ts", "x.ts")
    assert sizes(repository.diff()) == {"deep/y.ts": (1, 1), "x.ts": (1, 1)}
    assert sizes(repository.diff("deep")) == {"deep/y.ts": (1, 1)}
    assert "+++ b/x.ts" in repository.diff().diff
    made = repository.commit("x", ["x.ts"], decide=Answer(), tool="git_commit")
    assert [file.path for file in made.files] == ["x.ts"]
    assert git("status", "--porcelain") == " M a.ts\n M sub/deep/y.ts\n"


def test_working_tree_besides_its_repository(git, tmp_path):
    git("worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")
    second = Git(tmp_path / "second")
    second.write("a.ts", "2\n")
    assert status(second).branch == "second"
    Repository(second.root).commit("x", ["a.ts"], decide=Answer(), tool="git_commit")
    assert second("status", "--porcelain") == ""


def test_folder_without_a_repository(tmp_path):
    with pytest.raises(ToolError, match="is not a git repository") as caught:
        Repository(tmp_path)
    assert (caught.value.type, caught.value.recoverable) == ("command", True)


def test_repository_without_a_working_tree(tmp_path):
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path)], check=True)
    with pytest.raises(ToolError) as caught:
        Repository(tmp_path).status()
    assert caught.value.type == "command"


def test_missing_git(git, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match="'git' is not installed") as caught:
        status(git)
    assert caught.value.type == "command"


def test_variables_of_another_repository_do_not_count(git, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    git_free = {k: v for k, v in os.environ.items() if k not in ("GIT_DIR", "GIT_INDEX_FILE")}
    git.write("a.ts", "2\n")
    assert status(git).modified == ("a.ts",)
    made = Repository(git.root).commit("x", ["a.ts"], decide=Answer(), tool="git_commit")
    assert git("rev-parse", "HEAD", env=git_free).strip() == made.hash


def test_cancel_ends_git(git):
    cancel = CancelToken()
    repository = Repository(git.root, cancel=cancel)
    cancel.cancel()
    with pytest.raises(Cancelled):
        repository.status()


def test_repository_with_long_hashes(tmp_path):
    git = Git(tmp_path)
    git("init", "-q", "-b", "main", "--object-format=sha256")
    git("config", "user.name", "a")
    git("config", "user.email", "b")
    git.write("a.ts", "1\n")
    made = Repository(git.root).commit("x", ["a.ts"], decide=Answer(), tool="git_commit")
    assert len(made.hash) == 64
    git.write("a.ts", "2\n")
    assert sizes(diff(git)) == {"a.ts": (1, 1)}
