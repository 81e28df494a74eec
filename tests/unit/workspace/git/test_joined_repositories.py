"""The repositories of several roots: each keeps its own, and the paths are the project's."""

import pytest
from git_repository import Answer, Git

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files.paths import project_of
from ipuaro_jupyter.workspace.git.joined_repositories import project_repository
from ipuaro_jupyter.workspace.git.repository import Repository


@pytest.fixture
def roots(tmp_path):
    """Two roots with a file and a commit each."""
    made = {}
    for name in ("api", "web"):
        git = made[name] = Git(tmp_path / name)
        git.root.mkdir()
        git.begin()
        git.write("a.ts", "1\n")
        git("add", "-A")
        git("commit", "-qm", "base")
    return made


@pytest.fixture
def repository(roots):
    return project_repository(project_of([git.root for git in roots.values()]))


def test_a_plain_project_has_one_repository(roots):
    assert isinstance(project_repository(roots["api"].root), Repository)


def test_the_states_of_all_roots_are_told(roots, repository):
    roots["api"].write("a.ts", "2\n")
    roots["web"].write("new.ts", "1\n")
    roots["web"]("checkout", "-q", "--detach")
    branch = roots["api"]("branch", "--show-current").strip()
    found = repository.status()
    assert found.branch == f"api: {branch}, web: detached HEAD"
    assert (found.modified, found.untracked) == (("api/a.ts",), ("web/new.ts",))
    assert (found.tracking, found.ahead, found.behind, found.detached) == (None, 0, 0, False)


def test_remote_branches_are_told_by_root(roots, repository, tmp_path):
    git = roots["api"]
    git("clone", "-q", "--bare", str(git.root), str(tmp_path / "far.git"))
    git("remote", "add", "origin", str(tmp_path / "far.git"))
    branch = git("branch", "--show-current").strip()
    git("fetch", "-q", "origin")
    git("branch", "-q", "-u", f"origin/{branch}")
    git.write("a.ts", "2\n")
    git("commit", "-qam", "ahead")
    found = repository.status()
    assert (found.tracking, found.ahead) == (f"api: origin/{branch}", 1)


def test_diffs_name_the_paths_of_the_project(roots, repository):
    roots["api"].write("a.ts", "2\n")
    roots["web"].write("a.ts", "3\n")
    whole = repository.diff()
    assert [file.path for file in whole.files] == ["api/a.ts", "web/a.ts"]
    assert "+++ b/api/a.ts" in whole.diff
    assert "--- a/web/a.ts" in whole.diff
    assert [file.path for file in repository.diff("web/a.ts").files] == ["web/a.ts"]
    assert [file.path for file in repository.diff("web").files] == ["web/a.ts"]
    assert repository.diff(staged=True).files == ()
    changes, unreadable = repository.versions()
    assert [(one.path, one.after) for one in changes] == [
        ("api/a.ts", b"2\n"),
        ("web/a.ts", b"3\n"),
    ]
    assert unreadable == []


def test_a_commit_is_one_of_a_single_root(roots, repository):
    roots["api"].write("a.ts", "2\n")
    roots["web"].write("a.ts", "2\n")
    answer = Answer()
    made = repository.commit("x", ["web/a.ts"], decide=answer, tool="git_commit")
    assert [file.path for file in made.files] == ["web/a.ts"]
    (asked,) = answer.asked
    assert (asked.title, asked.files) == ("Commit 1 file in web", ("web/a.ts",))
    assert roots["web"]("status", "--porcelain") == ""
    assert roots["api"]("status", "--porcelain") == " M a.ts\n"
    with pytest.raises(ToolError, match="would be one of api, web"):
        repository.commit("x", ["api/a.ts", "web/a.ts"], decide=answer, tool="git_commit")


def test_staged_changes_say_which_root_is_meant(roots, repository):
    with pytest.raises(ToolError, match="no file is staged"):
        repository.commit("x", decide=Answer(), tool="git_commit")
    for name in ("api", "web"):
        roots[name].write("a.ts", "2\n")
    roots["api"]("add", "-A")
    made = repository.commit("x", decide=Answer(), tool="git_commit")
    assert [file.path for file in made.files] == ["api/a.ts"]
    roots["api"].write("a.ts", "3\n")
    for name in ("api", "web"):
        roots[name]("add", "-A")
    with pytest.raises(ToolError, match="would be one of api, web"):
        repository.commit("x", decide=Answer(), tool="git_commit")


def test_a_root_may_have_no_repository(roots, tmp_path):
    (tmp_path / "docs").mkdir()
    repository = project_repository(project_of([roots["api"].root, tmp_path / "docs"]))
    assert "docs: no git repository" in repository.status().branch
    with pytest.raises(ToolError, match="docs is not a git repository"):
        repository.diff("docs/a.md")


def test_no_root_has_a_repository(tmp_path):
    for name in ("docs", "notes"):
        (tmp_path / name).mkdir()
    with pytest.raises(ToolError, match="is not a git repository"):
        project_repository(project_of([tmp_path / "docs", tmp_path / "notes"]))
