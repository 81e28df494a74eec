"""The git tools in every state that a repository can be in."""

import os
import shutil
import subprocess

import pytest
from git_repository import Answer, Git, conflict, diff, parted, sizes, status

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files.listing import list_files
from ipuaro_jupyter.workspace.git.repository import Repository


def commit_in(git, *files, message="x"):
    return Repository(git.root).commit(message, files, decide=Answer(), tool="git_commit")


def names(git):
    """What the newest commit changed."""
    return git("show", "--name-only", "--format=", "-z", "HEAD").strip("\0").split("\0")


def test_before_the_first_commit(empty):
    assert (status(empty).branch, status(empty).untracked) == ("main", ())
    assert diff(empty).files == ()
    with pytest.raises(ToolError, match="no file is staged"):
        commit_in(empty)
    empty.write("a.ts", "1\n")
    empty("add", "a.ts")
    made = commit_in(empty)
    assert [(file.path, file.insertions) for file in made.files] == [("a.ts", 1)]
    assert status(empty).staged == ()


def test_without_a_branch(git):
    git("checkout", "-q", "--detach")
    git.write("a.ts", "2\n")
    made = commit_in(git, "a.ts")
    assert git("rev-parse", "HEAD").strip() == made.hash
    assert git("rev-parse", "main").strip() != made.hash
    assert status(git).detached


@pytest.mark.parametrize("files", [(), ("a.ts",)])
def test_in_a_cherry_pick(git, files):
    parted(git)
    picked = subprocess.run(
        ["git", "cherry-pick", "other"], cwd=git.root, capture_output=True, check=False
    )
    assert picked.returncode == 1
    assert status(git).conflicted == ("a.ts",)
    git.write("a.ts", "both\n")
    git("add", "a.ts")
    if files:
        with pytest.raises(ToolError, match="cherry-pick is under way"):
            commit_in(git, *files)
    else:
        assert commit_in(git).message == "x"
        assert not (git.root / ".git/CHERRY_PICK_HEAD").exists()


def test_in_a_rebase_that_stopped(git):
    conflict(git)
    git("merge", "--abort")
    rebase = subprocess.run(
        ["git", "rebase", "other"], cwd=git.root, capture_output=True, check=False
    )
    assert rebase.returncode == 1
    found = status(git)
    assert (found.branch, found.detached, found.conflicted) == ("HEAD", True, ("a.ts",))
    with pytest.raises(ToolError, match=r"conflicts: a.ts"):
        commit_in(git, "a.ts")


@pytest.fixture
def with_submodule(git, tmp_path):
    """Give a repository with a submodule in sub, and the submodule."""
    other = Git(tmp_path / "other")
    other.root.mkdir()
    other.begin()
    other.write("x.ts", "1\n")
    other("add", "-A")
    other("commit", "-qm", "inner")
    local = ("-c", "protocol.file.allow=always")
    git(*local, "submodule", "--quiet", "add", str(other.root), "sub")
    git("commit", "-qm", "submodule")
    inner = Git(git.root / "sub")
    inner("config", "user.name", "Dock Hand")
    inner("config", "user.email", "dock@example.test")
    return git, inner


def test_a_submodule_is_one_entry(with_submodule):
    git, inner = with_submodule
    inner.write("x.ts", "2\n")
    assert status(git).modified == ()
    inner("commit", "-qam", "more")
    assert status(git).modified == ("sub",)
    found = diff(git)
    assert sizes(found) == {"sub": (1, 1)}
    assert "+Subproject commit" in found.diff
    git.write("a.ts", "2\n")
    assert [file.path for file in commit_in(git, "sub").files] == ["sub"]
    assert git("status", "--porcelain") == " M a.ts\n"


def test_a_submodule_is_worked_on_as_a_project(with_submodule):
    git, inner = with_submodule
    assert (inner.root / ".git").is_file()
    inner.write("x.ts", "2\n")
    inner.write("y.ts", "2\n")
    found = status(inner)
    assert (found.modified, found.untracked) == (("x.ts",), ("y.ts",))
    assert [file.path for file in commit_in(inner, "y.ts").files] == ["y.ts"]
    assert inner("status", "--porcelain") == " M x.ts\n"
    assert status(git).modified == ("sub",)


def test_a_worktree_as_a_project(git, tmp_path):
    git("worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")
    second = Git(tmp_path / "second")
    assert (second.root / ".git").is_file()
    second.write("a.ts", "2\n")
    second.write("b.ts", "2\n")
    second("add", "b.ts")
    before = (git.root / ".git/index").read_bytes()
    made = commit_in(second, "a.ts")
    assert (status(second).branch, status(second).staged) == ("second", ("b.ts",))
    assert sizes(diff(second, staged=True)) == {"b.ts": (1, 1)}
    assert git("rev-parse", "second").strip() == made.hash
    assert (git.root / ".git/index").read_bytes() == before
    assert status(git).staged == ()


def test_data_that_are_kept_apart(tmp_path):
    git = Git(tmp_path / "project")
    git.root.mkdir()
    git.begin("--separate-git-dir", str(tmp_path / "data"))
    git.write("a.ts", "1\n")
    with pytest.raises(ToolError, match="does not name the project") as caught:
        status(git)
    assert "git config core.worktree" in caught.value.suggestion
    git("config", "core.worktree", str(git.root))
    assert commit_in(git, "a.ts").files[0].path == "a.ts"
    assert git("status", "--porcelain") == ""


def test_a_sparse_checkout_loses_nothing(git):
    """Files that are not checked out are not deleted by a commit of everything."""
    for path in ("in/a.ts", "out/b.ts"):
        git.write(path, "1\n")
    git("add", "-A")
    git("commit", "-qm", "folders")
    git("sparse-checkout", "set", "in")
    assert not (git.root / "out").exists()
    assert (status(git).modified, diff(git).files) == ((), ())
    git.write("in/a.ts", "2\n")
    git.write("in/new.ts", "2\n")
    git.write("a.ts", "2\n")
    assert [file.path for file in commit_in(git, "").files] == ["a.ts", "in/a.ts", "in/new.ts"]
    assert "out/b.ts" in git("ls-tree", "-r", "--name-only", "HEAD")
    assert "S out/b.ts" in git("ls-files", "-t")
    with pytest.raises(ToolError, match=r"out/b.ts has not changed"):
        commit_in(git, "out/b.ts")


@pytest.mark.parametrize("settings", [("index.sparse", "true"), ("core.splitIndex", "true")])
def test_an_index_of_another_form(git, settings):
    git.write("in/a.ts", "1\n")
    git.write("out/b.ts", "1\n")
    git("add", "-A")
    git("commit", "-qm", "folders")
    git("config", *settings)
    if settings[0] == "index.sparse":
        git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    else:
        git("update-index", "--split-index")
    git.write("in/a.ts", "2\n")
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    assert [file.path for file in commit_in(git, "in/a.ts").files] == ["in/a.ts"]
    assert git("status", "--porcelain") == "M  a.ts\n"
    assert commit_in(git).files[0].path == "a.ts"
    git("fsck", "--no-dangling")


def test_a_repository_with_long_hashes_in_all_tools(tmp_path):
    git = Git(tmp_path)
    git.begin("--object-format=sha256")
    git.write("a.ts", "1\n")
    git("add", "a.ts")
    assert sizes(diff(git, staged=True)) == {"a.ts": (1, 0)}
    made = commit_in(git)
    assert (len(made.hash), made.files[0].insertions) == (64, 1)
    assert (status(git).branch, status(git).staged) == ("main", ())


def test_a_renamed_file_is_deleted_and_new(git):
    git.write("long.ts", "".join(f"{number}\n" for number in range(50)))
    git("add", "-A")
    git("commit", "-qm", "long")
    git("mv", "long.ts", "ünew name.ts")
    assert status(git).staged == ("long.ts", "ünew name.ts")
    found = diff(git)
    assert sizes(found) == {"long.ts": (0, 50), "ünew name.ts": (50, 0)}
    assert "rename from long.ts\nrename to ünew name.ts\n" in found.diff
    assert [file.path for file in commit_in(git).files] == ["long.ts", "ünew name.ts"]


def test_a_half_of_a_rename(git):
    git("mv", "a.ts", "z.ts")
    assert [file.path for file in commit_in(git, "z.ts").files] == ["z.ts"]
    assert git("status", "--porcelain") == "D  a.ts\n"


def test_a_binary_file(git):
    git.write("logo.png", b"\x89PNG\0\xff")
    made = commit_in(git, "logo.png")
    assert [(file.path, file.binary, file.insertions) for file in made.files] == [
        ("logo.png", True, 0)
    ]


def test_a_symlink_is_committed_as_what_it_is(git):
    (git.root / "link.ts").symlink_to("a.ts")
    (git.root / "gone.ts").symlink_to("nowhere")
    assert status(git).untracked == ("gone.ts", "link.ts")
    assert [file.path for file in commit_in(git, "link.ts", "gone.ts").files] == [
        "gone.ts",
        "link.ts",
    ]
    assert git("ls-files", "-s", "link.ts").startswith("120000 ")


def test_a_folder_that_became_a_file(git):
    git.write("x/y.ts", "1\n")
    git("add", "-A")
    git("commit", "-qm", "folder")
    shutil.rmtree(git.root / "x")
    git.write("x", "1\n")
    assert [file.path for file in commit_in(git, "x").files] == ["x", "x/y.ts"]
    assert git("status", "--porcelain") == ""


@pytest.mark.parametrize("name", ["HEAD", "main", "@", "-", "--", "stash@{0}", ":(top)a.ts", "..x"])
def test_a_file_that_is_called_as_a_revision(git, name):
    git("branch", "other")
    git.write(name, "1\n")
    git.write("b.ts", "2\n")
    assert status(git).untracked == (name,)
    assert [file.path for file in commit_in(git, name).files] == [name]
    git.write(name, "2\n")
    assert sizes(diff(git, name)) == {name: (1, 1)}
    git("add", "-A")
    assert len(commit_in(git).files) == 2
    assert git("status", "--porcelain") == ""


def test_a_branch_and_a_tag_of_the_same_name(git):
    git("branch", "-m", "a.ts")
    git("tag", "a.ts")
    git.write("a.ts", "2\n")
    assert status(git).branch == "a.ts"
    assert sizes(diff(git, "a.ts")) == {"a.ts": (1, 1)}
    assert commit_in(git, "a.ts").hash == git("rev-parse", "HEAD").strip()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_repository_of_another_user_is_told_with_the_remedy(git):
    for place in (git.root, git.root / ".git"):
        os.chown(place, 1234, 1234)
    for use in (lambda: status(git), lambda: diff(git), lambda: commit_in(git, "a.ts")):
        with pytest.raises(ToolError, match=r"safe\.directory") as caught:
            use()
        assert (caught.value.type, caught.value.recoverable) == ("command", True)
        assert "user" in caught.value.suggestion
    assert set(list_files(git.root).files) == {"a.ts", "b.ts", "c.ts"}


def test_a_setting_of_the_environment_counts(git, monkeypatch):
    """Containers name their safe.directory in this way."""
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "From Outside")
    git.write("a.ts", "2\n")
    assert commit_in(git, "a.ts").author == "From Outside <dock@example.test>"


def test_settings_of_the_repository_do_not_change_what_is_read(git, tmp_path):
    git("clone", "-q", "--bare", ".", str(tmp_path / "remote.git"))
    git("remote", "add", "origin", str(tmp_path / "remote.git"))
    git("fetch", "-q")
    git("branch", "-u", "origin/main")
    git("commit", "-qm", "ahead", "--allow-empty")
    for key, value in {
        "status.aheadBehind": "false",
        "status.showUntrackedFiles": "no",
        "status.relativePaths": "false",
        "status.renames": "copies",
        "diff.relative": "true",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.orderFile": "nowhere",
        "diff.renames": "copies",
        "diff.submodule": "log",
        "diff.autoRefreshIndex": "true",
        "color.ui": "always",
        "core.quotePath": "true",
        "column.ui": "always",
        "i18n.logOutputEncoding": "latin-1",
        "log.showRoot": "false",
        "log.date": "relative",
        "format.pretty": "oneline",
    }.items():
        git("config", key, value)
    git.write("sub/ü.ts", "1\n")
    git("add", "-A")
    found = Repository(git.root / "sub").status()
    assert (found.ahead, found.behind, found.staged) == (1, 0, ("ü.ts",))
    changed = Repository(git.root / "sub").diff()
    assert sizes(changed) == {"ü.ts": (1, 0)}
    assert changed.diff.startswith("diff --git a/ü.ts b/ü.ts\nnew file")
    git.write("sub/new.ts", "1\n")
    assert status(git).untracked == ("sub/new.ts",)


def test_a_message_is_utf8_whatever_the_settings_say(git):
    git("config", "i18n.commitEncoding", "ISO-8859-1")
    git.write("a.ts", "2\n")
    assert commit_in(git, "a.ts", message="fix: 中 ü").message == "fix: 中 ü"
    assert "encoding" not in git("cat-file", "commit", "HEAD")


def test_looking_never_touches_the_index(git):
    """Git would refresh the times in it, under a lock that is in the way of others."""
    os.utime(git.root / "a.ts", (1, 1))
    git.write("b.ts", "2\n")
    index = git.root / ".git/index"
    before, written_ns = index.read_bytes(), index.stat().st_mtime_ns
    for lock in (False, True):
        if lock:
            (git.root / ".git/index.lock").touch()
        assert status(git).modified == ("b.ts",)
        assert sizes(diff(git)) == {"b.ts": (1, 1)}
        assert sizes(diff(git, staged=True)) == {}
        list_files(git.root)
        assert (index.read_bytes(), index.stat().st_mtime_ns) == (before, written_ns)


def test_the_time_is_the_committers_in_milliseconds(git, monkeypatch):
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2001-02-03T04:05:06+0700")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "@1600000000 -0330")
    git.write("a.ts", "2\n")
    assert commit_in(git, "a.ts").timestamp == 1_600_000_000_000


def test_the_last_commit_is_not_taken_for_a_file(git):
    head = git("rev-parse", "HEAD").strip()
    git.write(head, "1\n")
    assert commit_in(git, head).files[0].path == head
