"""The project's own repository is told from one that git is led to."""

import os
import shutil

import pytest
from git_repository import Git

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.git.own_repository import (
    OwnRepository,
    own_repository,
    share_objects,
)


@pytest.fixture
def apart(git, tmp_path):
    """The repository, with its git directory kept elsewhere."""
    folder = tmp_path / "data.git"
    shutil.move(git.root / ".git", folder)
    git.write(".git", f"gitdir: {folder}\n")
    return git, folder


@pytest.fixture
def other(tmp_path):
    """A repository of somebody else, beside the project."""
    other = Git(tmp_path / "other")
    other.root.mkdir()
    other.begin()
    return other


def refused(*arguments):
    with pytest.raises(ToolError) as caught:
        own_repository(*arguments)
    assert caught.value.type == "command"
    return f"{caught.value.message} {caught.value.suggestion}"


def test_the_own_one_is_found_from_every_folder_of_it(git):
    git.write("sub/deep/x.ts", "1\n")
    found = OwnRepository(git.root, git.root / ".git", git.root / ".git")
    assert own_repository(git.root) == found
    assert own_repository(git.root, git.root) == found
    assert own_repository(git.root, git.root / "sub/deep") == found
    assert own_repository(git.root / "sub") == found


def test_a_working_tree_that_the_repository_knows_is_its_own(git, tmp_path):
    git("worktree", "add", "-q", str(tmp_path / "second"))
    found = own_repository(tmp_path / "second")
    assert found.top == tmp_path / "second"
    assert found.folder == git.root / ".git/worktrees/second"
    assert found.common == git.root / ".git"
    (git.root / ".git/worktrees/second/gitdir").write_text("/nowhere/.git\n")
    assert "does not name the project" in refused(tmp_path / "second")


@pytest.mark.parametrize("file", ["config", "config.worktree"])
def test_a_git_directory_apart_is_the_projects_once_it_names_it(apart, file):
    """The advice of the refusal helps."""
    git, folder = apart
    told = refused(git.root)
    assert f"its git directory is {folder}, which does not name the project" in told
    assert "git config core.worktree FOLDER" in told
    if file == "config.worktree":
        git("config", "extensions.worktreeConfig", "true")
    git("config", *(["--worktree"] if file != "config" else []), "core.worktree", str(git.root))
    assert own_repository(git.root) == OwnRepository(git.root, folder, folder)


def test_a_working_tree_elsewhere_is_refused(git, other):
    git("config", "core.worktree", str(other.root))
    assert f"its working tree is {other.root}, not the project" in refused(git.root)
    git("config", "core.worktree", "../..")
    above = f"its working tree is {git.root.parent}, which has another git directory"
    assert above in refused(git.root)


def test_a_folder_in_or_below_another_repository_is_refused(git):
    git("config", "core.worktree", "..")
    git("init", "-q", "between")
    git.write("between/sub/.git", "gitdir: ../../.git\n")
    assert "between is in another repository" in refused(git.root, git.root / "between")
    assert "between is another repository" in refused(git.root, git.root / "between/sub")


def test_a_path_with_a_line_end_is_refused(tmp_path):
    git = Git(tmp_path / "two\nlines")
    git.root.mkdir()
    git.begin()
    assert "its path holds a line end" in refused(git.root)


def test_no_repository_and_a_broken_index_are_named(git, tmp_path):
    assert "not a git repository" in refused(tmp_path)
    git.write(".git/index", "no index")
    assert "git ls-files failed" in refused(git.root)


def test_a_folder_of_the_index_with_data_of_another_repository_is_refused(git, other):
    commit = git("rev-parse", "HEAD").strip()
    git("update-index", "--add", "--cacheinfo", f"160000,{commit},two")
    git.write("two/.git", "")
    assert own_repository(git.root).top == git.root  # it leads nowhere
    git.write("two/.git", f"gitdir: {other.root}/.git\n")
    told = f"two is another repository, whose git directory is {other.root}/.git"
    assert told in refused(git.root)
    git.write("two/.git", "gitdir: ../.git/modules/two\n")
    assert own_repository(git.root).top == git.root
    git.write(".git/modules/two/commondir", f"{other.root}/.git\n")
    assert told in refused(git.root)


def test_a_link_out_of_the_git_directory_is_refused_unless_git_does_not_read_it(git, other):
    shutil.rmtree(git.root / ".git/hooks", ignore_errors=True)
    (git.root / ".git/hooks").symlink_to(other.root)
    (git.root / ".git/FETCH_HEAD").symlink_to(git.root / "a.ts")
    assert own_repository(git.root).top == git.root
    (git.root / ".git/refs/heads/x").symlink_to(other.root / ".git/refs/heads/main")
    assert f"{git.root}/.git/refs/heads/x leads out of its git directory" in refused(git.root)


def test_objects_of_others_are_refused_and_those_of_our_copies_are_not(git, other):
    git.write(".git/objects/info/alternates", "# a comment\n../../kept/objects\n")
    own = own_repository(git.root)
    objects = other.root / ".git/objects"
    git.write(".git/objects/info/alternates", f"{objects}\n")
    assert f"it reads the objects of another one, in {objects}" in refused(git.root)
    share_objects(git.root / ".git", objects)
    assert own_repository(git.root) == own


@pytest.mark.usefixtures("permissions_count")
def test_what_git_cannot_read_either_names_no_objects(git):
    git.write(".git/objects/info/alternates", "/elsewhere/objects\n")
    alternates = git.root / ".git/objects/info/alternates"
    alternates.chmod(0)
    assert own_repository(git.root).top == git.root
    alternates.chmod(0o600)
    assert "it reads the objects of another one" in refused(git.root)


def test_a_pipe_in_the_place_of_a_file_of_git_is_not_waited_for(git):
    os.mkfifo(git.root / ".git/objects/info/alternates")
    assert own_repository(git.root).top == git.root
