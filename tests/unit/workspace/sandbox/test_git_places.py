import os

import pytest

from ipuaro_jupyter.workspace.sandbox.git_marks import GitMark, git_marks
from ipuaro_jupyter.workspace.sandbox.git_places import GitPlaces, git_places

STARTS_PROGRAMS = {"hooks", "config", "modules", "info", "objects/info", "branches"}


def places(root, writes):
    return git_places(root, writes, git_marks(root))


def names(folder):
    return {folder / name for name in STARTS_PROGRAMS if (folder / name).exists()}


@pytest.fixture
def copy(tmp_path):
    """A folder beside the repository."""
    folder = tmp_path / "copy"
    folder.mkdir()
    return folder


@pytest.fixture
def apart(git):
    """A repository whose git directory is kept apart, in the project."""
    (git.root / "kept").mkdir()
    (git.root / ".git").rename(git.root / "kept/.bare")
    (git.root / ".git").write_text("gitdir: ./kept/.bare\n")
    git("config", "core.bare", "false")
    return git


@pytest.mark.parametrize("writes", ["nothing", "commits", "all"])
def test_folder_without_a_repository_has_no_places(tmp_path, writes):
    assert places(tmp_path, writes) == GitPlaces()


def test_git_directory_is_read_only(git):
    assert places(git.root, "nothing") == GitPlaces(protected=(git.root / ".git",))


def test_commits_leave_out_what_starts_programs(git):
    found = places(git.root, "commits")
    assert found.writable == (git.root / ".git",)
    assert {*found.protected} == names(git.root / ".git")
    assert {place.name for place in found.absent} == {"commondir", "config.worktree"}
    assert [place.name for place in found.rebases] == ["git-rebase-todo"]


def test_what_is_missing_for_commits_is_made_empty(git):
    own = git.root / ".git"
    (own / "hooks").rename(git.root / "hooks")
    (own / "config").unlink()
    found = places(git.root, "commits")
    assert {own / "hooks", own / "config", own / "modules"} <= {*found.protected}
    assert [*(own / "hooks").iterdir()] == []
    assert (own / "config").read_text() == ""


def test_settings_of_a_working_tree_that_git_would_read_are_made_empty(git):
    git("config", "extensions.worktreeConfig", "true")
    found = places(git.root, "commits")
    assert git.root / ".git/config.worktree" in found.protected
    assert {place.name for place in found.absent} == {"commondir"}


def test_what_cannot_be_made_leaves_all_read_only(git):
    (git.root / ".git/modules").write_text("")
    assert places(git.root, "commits") == GitPlaces(protected=(git.root / ".git",))


@pytest.mark.parametrize("name", ["hooks", "rebase-merge"])
def test_link_in_the_git_directory_leaves_all_read_only(git, name):
    (git.root / "other").mkdir()
    place = git.root / ".git" / name
    if place.exists():
        place.rename(git.root / "moved")
    place.symlink_to("../other")
    assert places(git.root, "commits") == GitPlaces(protected=(git.root / ".git",))


def test_git_alone_writes_all(git):
    assert places(git.root, "all") == GitPlaces(writable=(git.root / ".git",))


def test_directory_of_another_repository_is_not_written(git, copy):
    (copy / ".git").write_text(f"gitdir: {git.root}/.git\n")
    assert places(copy, "all") == GitPlaces(protected=(copy / ".git",))


def test_link_to_another_repository_can_only_be_watched(git, copy):
    (copy / ".git").symlink_to(git.root / ".git")
    assert places(copy, "nothing") == GitPlaces(links=(copy / ".git",))


def test_what_a_link_leads_to_is_read_only(git):
    (git.root / ".git").rename(git.root / "kept")
    (git.root / ".git").symlink_to("kept")
    found = places(git.root, "nothing")
    assert found == GitPlaces(protected=(git.root / "kept",), links=(git.root / ".git",))
    assert places(git.root, "commits").writable == (git.root / "kept",)


def test_directory_that_is_kept_apart_is_read_only(apart):
    kept = apart.root / "kept/.bare"
    assert {*places(apart.root, "nothing").protected} == {apart.root / ".git", kept}
    found = places(apart.root, "commits")
    assert found.writable == (kept,)
    assert {*found.protected} == names(kept) | {apart.root / ".git"}


@pytest.mark.parametrize("writes", ["nothing", "commits"])
@pytest.mark.parametrize("folder", ["node_modules/package", "ignored", "a/b/c/d"])
def test_repositories_inside_are_read_only(git, writes, folder):
    git("init", "-q", folder)
    git("init", "-q", "--bare", f"{folder}/remote")
    inside = {git.root / folder / ".git", git.root / folder / "remote"}
    assert inside <= {*places(git.root, writes).protected}


def test_submodule_is_read_only(git):
    git("init", "-q", "inner")
    git.write("inner/a", "1")
    git("-C", "inner", "add", "a")
    git("-C", "inner", "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "one")
    git("submodule", "add", "-q", "./inner", "inner")
    git("submodule", "absorbgitdirs")
    protected = {*places(git.root, "commits").protected}
    assert {git.root / "inner/.git", git.root / ".git/modules"} <= protected


def test_added_working_tree_writes_both_directories(git, tmp_path):
    git("worktree", "add", "-q", str(tmp_path / "tree"))
    tree, common = tmp_path / "tree", git.root / ".git"
    found = places(tree, "commits")
    assert found.writable == (common, common / "worktrees/tree")
    assert {
        *(tree / ".git", common / "config", common / "worktrees"),
        common / "worktrees/tree/commondir",
    } <= {*found.protected}


def test_files_that_lead_nowhere_lock_nothing(tmp_path):
    for folder, text in (("a", "gitdir: ../src"), ("b", "text"), ("c", "gitdir: ..")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / ".git").write_text(text)
    (tmp_path / "src").mkdir()
    os.mkfifo(tmp_path / "src/.git")
    assert git_places(tmp_path, "nothing", {"src": GitMark("closed", "")}) == GitPlaces()
    (tmp_path / "HEAD").touch()
    protected = places(tmp_path, "nothing").protected
    assert {*protected} == {tmp_path / folder / ".git" for folder in "abc"}


def test_project_that_is_a_bare_repository_keeps_what_starts_programs(git, copy):
    git("clone", "-q", "--bare", ".", str(copy))
    assert {*places(copy, "nothing").protected} == names(copy) | {copy / "hooks"}
    git("init", "-q", str(copy))
    assert places(copy, "nothing").protected == (copy / ".git",)
