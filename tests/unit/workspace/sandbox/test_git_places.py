import pytest

from ipuaro_jupyter.workspace.sandbox.git_places import git_places


@pytest.mark.parametrize("writes", ["nothing", "commits", "all"])
def test_folder_without_a_repository_has_no_places(tmp_path, writes):
    assert git_places(tmp_path, writes) == ((), ())


def test_git_directory_is_read_only(git):
    assert git_places(git.root, "nothing") == ((), (git.root / ".git",))


def test_commits_leave_out_what_starts_programs(git):
    (git.root / ".git/hooks").mkdir(exist_ok=True)
    writable, protected = git_places(git.root, "commits")
    assert writable == (git.root / ".git",)
    assert {*protected} == {git.root / ".git/config", git.root / ".git/hooks"}


def test_git_alone_writes_all(git):
    assert git_places(git.root, "all") == ((git.root / ".git",), ())


def test_directory_of_another_repository_is_not_written(git, tmp_path):
    project = tmp_path / "copy"
    project.mkdir()
    (project / ".git").write_text(f"gitdir: {git.root}/.git\n")
    assert git_places(project, "all") == ((), (project / ".git",))


def test_link_is_left_alone(git, tmp_path):
    project = tmp_path / "copy"
    project.mkdir()
    (project / ".git").symlink_to(git.root / ".git")
    assert git_places(project, "nothing") == ((), ())


def test_added_working_tree_writes_both_directories(git, tmp_path):
    git("worktree", "add", "-q", str(tmp_path / "tree"))
    tree, common = tmp_path / "tree", git.root / ".git"
    writable, protected = git_places(tree, "commits")
    assert writable == (common, common / "worktrees/tree")
    assert {tree / ".git", common / "config", common / "worktrees/tree/commondir"} <= {*protected}
