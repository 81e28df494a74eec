import os
import re
import subprocess
import time

import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.workspace.repository import Repository


class Git:
    """A real repository on which a test works with git itself."""

    def __init__(self, root):
        self.root = root

    def __call__(self, *arguments, **options):
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            **options,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def hook(self, name, text):
        self.write(f".git/hooks/{name}", f"#!/bin/sh\n{text}\n")
        (self.root / ".git/hooks" / name).chmod(0o755)

    def state(self):
        """What is staged and what is not, and how many commits there are."""
        return self("status", "--porcelain"), self("diff", "--cached"), self("rev-parse", "HEAD")


class User:
    def __init__(self, decision=None):
        self.decision = decision or Decision(action="apply")
        self.asked = []
        self.meanwhile = lambda: None

    def __call__(self, proposal):
        self.asked.append(proposal)
        self.meanwhile()
        return self.decision


@pytest.fixture
def empty(tmp_path):
    git = Git(tmp_path / "project")
    git.root.mkdir()
    git("init", "-q", "-b", "main")
    git("config", "user.name", "Dock Hand")
    git("config", "user.email", "dock@example.test")
    return git


@pytest.fixture
def git(empty):
    for name in ("a.ts", "b.ts", "c.ts"):
        empty.write(name, "1\n")
    empty("add", "-A")
    empty("commit", "-qm", "base")
    return empty


@pytest.fixture
def user():
    return User()


@pytest.fixture
def commit(git, user):
    def commit_now(message="x", files=()):
        return Repository(git.root).commit(message, files, decide=user, tool="git_commit")

    return commit_now


def status(git):
    return Repository(git.root).status()


def diff(git, *arguments, **options):
    return Repository(git.root).diff(*arguments, **options)


def sizes(found):
    return {file.path: (file.insertions, file.deletions) for file in found.files}


# status


def test_status_sorts_files_by_what_has_happened_to_them(git):
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    git.write("b.ts", "2\n")
    git.write("sp ace.ts", "1\n")
    git.write("ünïcode.ts", "1\n")
    git.write('quo"te\\.ts', "1\n")
    git.write("new/deep.ts", "1\n")
    found = status(git)
    assert (found.branch, found.tracking, found.ahead, found.behind) == ("main", None, 0, 0)
    assert not found.detached
    assert found.staged == ("a.ts",)
    assert found.modified == ("b.ts",)
    assert set(found.untracked) == {"sp ace.ts", "ünïcode.ts", 'quo"te\\.ts', "new/deep.ts"}
    assert found.conflicted == ()


def test_status_of_a_file_that_is_staged_and_changed_again(git):
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    git.write("a.ts", "3\n")
    assert (status(git).staged, status(git).modified) == (("a.ts",), ("a.ts",))


def test_status_of_deleted_and_renamed_files(git):
    git("rm", "-q", "a.ts")
    (git.root / "b.ts").unlink()
    git("mv", "c.ts", "d e.ts")
    assert status(git).staged == ("a.ts", "c.ts", "d e.ts")
    assert status(git).modified == ("b.ts",)


def test_status_counts_against_the_remote_branch(git, tmp_path):
    git("clone", "-q", "--bare", ".", str(tmp_path / "remote.git"))
    git("remote", "add", "origin", str(tmp_path / "remote.git"))
    git("fetch", "-q")
    git("branch", "-u", "origin/main")
    git("commit", "-qm", "one", "--allow-empty")
    git("commit", "-qm", "two", "--allow-empty")
    found = status(git)
    assert (found.tracking, found.ahead, found.behind) == ("origin/main", 2, 0)
    git("push", "-q")
    git("reset", "-q", "--soft", "HEAD~2")
    assert (status(git).ahead, status(git).behind) == (0, 2)


def test_status_with_a_gone_remote_branch(git, tmp_path):
    test_status_counts_against_the_remote_branch(git, tmp_path)
    git("update-ref", "-d", "refs/remotes/origin/main")
    found = status(git)
    assert (found.tracking, found.ahead, found.behind) == ("origin/main", 0, 0)


def test_status_without_a_branch(git):
    git("checkout", "-q", "--detach")
    assert (status(git).branch, status(git).detached) == ("HEAD", True)


def test_status_before_the_first_commit(empty):
    empty.write("a.ts", "1\n")
    empty("add", "a.ts")
    empty.write("b.ts", "1\n")
    found = status(empty)
    assert (found.branch, found.staged, found.untracked) == ("main", ("a.ts",), ("b.ts",))


def conflict(git):
    git("checkout", "-qb", "other")
    git.write("a.ts", "other\n")
    git("commit", "-qam", "other")
    git("checkout", "-q", "main")
    git.write("a.ts", "main\n")
    git("commit", "-qam", "main")
    merge = subprocess.run(
        ["git", "merge", "other"], cwd=git.root, capture_output=True, check=False
    )
    assert merge.returncode == 1


def test_status_of_a_conflict(git):
    conflict(git)
    found = status(git)
    assert (found.conflicted, found.staged, found.modified) == (("a.ts",), (), ())


def test_status_leaves_ignored_files_out(git):
    git.write(".gitignore", "*.log\n")
    git.write("x.log", "")
    assert status(git).untracked == (".gitignore",)


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
    made = repository.commit("x", ["x.ts"], decide=User(), tool="git_commit")
    assert [file.path for file in made.files] == ["x.ts"]
    assert git("status", "--porcelain") == " M a.ts\n M sub/deep/y.ts\n"


def test_working_tree_besides_its_repository(git, tmp_path):
    git("worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")
    second = Git(tmp_path / "second")
    second.write("a.ts", "2\n")
    assert status(second).branch == "second"
    Repository(second.root).commit("x", ["a.ts"], decide=User(), tool="git_commit")
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
    made = Repository(git.root).commit("x", ["a.ts"], decide=User(), tool="git_commit")
    assert git("rev-parse", "HEAD", env=git_free).strip() == made.hash


def test_cancel_ends_git(git):
    cancel = CancelToken()
    repository = Repository(git.root, cancel=cancel)
    cancel.cancel()
    with pytest.raises(Cancelled):
        repository.status()


# diff


def test_diff_shows_staged_and_unstaged_changes_together(git):
    git.write("a.ts", "1\n2\n3\n")
    git("add", "a.ts")
    git.write("b.ts", "9\n")
    git.write("new.ts", "untracked\n")
    found = diff(git)
    assert sizes(found) == {"a.ts": (2, 0), "b.ts": (1, 1)}
    assert "+++ b/a.ts" in found.diff
    assert "+++ b/b.ts" in found.diff


def test_diff_of_what_is_staged(git):
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    git.write("b.ts", "2\n")
    found = diff(git, staged=True)
    assert sizes(found) == {"a.ts": (1, 1)}
    assert "b.ts" not in found.diff


def test_diff_before_the_first_commit(empty):
    empty.write("a.ts", "1\n2\n")
    empty("add", "a.ts")
    empty.write("a.ts", "1\n2\n3\n")
    assert sizes(diff(empty)) == {"a.ts": (3, 0)}
    assert sizes(diff(empty, staged=True)) == {"a.ts": (2, 0)}
    assert diff(empty).diff.startswith("diff --git a/a.ts b/a.ts\nnew file")


def test_diff_of_one_path(git):
    git.write("a.ts", "2\n")
    git.write("src/[x]*.ts", "1\n")
    git.write("src/x1.ts", "1\n")
    git("add", "-A")
    assert sizes(diff(git, "a.ts")) == {"a.ts": (1, 1)}
    assert set(sizes(diff(git, "src"))) == {"src/[x]*.ts", "src/x1.ts"}
    assert set(sizes(diff(git, "src/[x]*.ts"))) == {"src/[x]*.ts"}


def test_diff_of_a_deleted_file(git):
    (git.root / "a.ts").unlink()
    assert sizes(diff(git, "a.ts")) == {"a.ts": (0, 1)}
    git("rm", "-q", "--cached", "a.ts")
    assert sizes(diff(git, "a.ts")) == {"a.ts": (0, 1)}


def test_diff_of_an_unknown_path(git):
    with pytest.raises(ToolError, match=r"nope.ts does not exist") as caught:
        diff(git, "nope.ts")
    assert caught.value.type == "file"


def test_diff_without_changes_is_empty(git):
    assert diff(git).files == ()
    assert diff(git).diff == ""


def test_diff_of_a_binary_file(git):
    git.write("x.bin", b"\0\1\2")
    git("add", "x.bin")
    (file,) = diff(git).files
    assert (file.insertions, file.deletions, file.binary) == (0, 0, True)
    assert "Binary files" in diff(git).diff


def test_diff_of_odd_names(git):
    names = ("sp ace.ts", "ünï.ts", "-rf", "tab\there.ts", 'quo"te.ts')
    for name in names:
        git.write(name, "1\n")
    git("add", "-A")
    assert set(sizes(diff(git))) == set(names)
    assert "+++ b/ünï.ts" in diff(git).diff
    assert sizes(diff(git, "-rf")) == {"-rf": (1, 0)}


def test_diff_during_a_conflict_counts_each_file_once(git):
    conflict(git)
    assert [file.path for file in diff(git).files] == ["a.ts"]


def test_diff_runs_no_program_of_the_configuration(git, tmp_path):
    program = f"touch {tmp_path}/ran"
    for key in ("diff.external", "diff.x.textconv", "core.pager", "pager.diff"):
        git("config", key, program)
    git("config", "diff.noprefix", "true")
    git("config", "color.ui", "always")
    git.write(".gitattributes", "*.ts diff=x\n")
    git.write("a.ts", "2\n")
    assert "--- a/a.ts\n+++ b/a.ts\n" in diff(git).diff
    assert not (tmp_path / "ran").exists()


def test_reading_starts_no_fsmonitor_and_no_hook(git, tmp_path):
    git.write("a.ts", "2\n")
    git.hook("post-index-change", f"touch {tmp_path}/ran")
    git("config", "core.fsmonitor", f"touch {tmp_path}/ran; true")
    os.utime(git.root / "b.ts", (1, 1))
    assert status(git).modified == ("a.ts",)
    assert sizes(diff(git)) == {"a.ts": (1, 1)}
    assert not (tmp_path / "ran").exists()


def test_reading_starts_nothing_that_a_repository_inside_names(git, tmp_path):
    inner = Git(git.root / "inner")
    inner.root.mkdir()
    inner("init", "-q")
    inner.write("x.ts", "1\n")
    inner("add", "-A")
    inner("-c", "user.name=a", "-c", "user.email=b@c", "commit", "-qm", "base")
    git("-c", "advice.addEmbeddedRepo=false", "add", "inner")
    git("commit", "-qm", "inner")
    inner("config", "core.fsmonitor", f"touch {tmp_path}/ran; true")
    inner.write("x.ts", "2\n")
    assert status(git).modified == ()
    assert diff(git).diff == ""
    assert not (tmp_path / "ran").exists()


# commit


def test_commit_of_named_files_leaves_the_others_staged(git, commit, user):
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    git.write("b.ts", "2\n")
    made = commit("fix: b only", ["b.ts"])
    assert git("show", "--name-only", "--format=", "HEAD") == "b.ts\n"
    assert git("status", "--porcelain") == "M  a.ts\n"
    assert made.hash == git("rev-parse", "HEAD").strip()
    assert len(made.hash) == 40
    assert made.message == "fix: b only"
    assert [file.path for file in made.files] == ["b.ts"]
    assert made.author == "Dock Hand <dock@example.test>"
    assert abs(made.timestamp / 1000 - time.time()) < 60
    (asked,) = user.asked
    assert (asked.kind, asked.files, asked.message) == ("commit", ("b.ts",), "fix: b only")
    assert asked.editable
    assert asked.pattern is None


def test_commit_of_what_is_staged(git, commit, user):
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    git.write("a.ts", "3\n")
    git.write("b.ts", "2\n")
    made = commit("staged")
    assert git("show", "HEAD:a.ts") == "2\n"
    assert git("status", "--porcelain") == " M a.ts\n M b.ts\n"
    assert [(f.path, f.insertions, f.deletions) for f in made.files] == [("a.ts", 1, 1)]
    assert user.asked[0].files == ("a.ts",)


def test_commit_of_new_deleted_and_partly_staged_files(git, commit):
    git.write("new dir/ünï.ts", "1\n")
    (git.root / "a.ts").unlink()
    git.write("b.ts", "2\n")
    git("add", "b.ts")
    git.write("b.ts", "3\n")
    made = commit("x", ["new dir", "a.ts", "b.ts"])
    assert [file.path for file in made.files] == ["a.ts", "b.ts", "new dir/ünï.ts"]
    assert git("show", "HEAD:b.ts") == "3\n"
    assert git("status", "--porcelain") == ""


def test_commit_of_the_whole_project(git, commit):
    git.write("a.ts", "2\n")
    git.write("d.ts", "2\n")
    assert [file.path for file in commit("x", [""]).files] == ["a.ts", "d.ts"]


def test_commit_of_one_new_file_leaves_the_other_staged_as_new(git, commit):
    git.write("d.ts", "1\n")
    git.write("e.ts", "1\n")
    git("add", "d.ts", "e.ts")
    commit("x", ["d.ts"])
    assert git("status", "--porcelain") == "A  e.ts\n"


def test_first_commit(empty):
    empty.write("a.ts", "1\n")
    empty.write("b.ts", "1\n")
    empty("add", "b.ts")
    made = Repository(empty.root).commit("first", ["a.ts"], decide=User(), tool="git_commit")
    assert [file.path for file in made.files] == ["a.ts"]
    assert empty("status", "--porcelain") == "A  b.ts\n"


def test_repository_with_long_hashes(tmp_path):
    git = Git(tmp_path)
    git("init", "-q", "-b", "main", "--object-format=sha256")
    git("config", "user.name", "a")
    git("config", "user.email", "b")
    git.write("a.ts", "1\n")
    made = Repository(git.root).commit("x", ["a.ts"], decide=User(), tool="git_commit")
    assert len(made.hash) == 64
    git.write("a.ts", "2\n")
    assert sizes(diff(git)) == {"a.ts": (1, 1)}


def test_message_keeps_its_lines(git, commit):
    git.write("a.ts", "2\n")
    message = "feat: a\n\n- one\n- two\n# not a comment\n\n  'quoted' \"$HOME\" `id` äöü"
    assert commit(message, ["a.ts"]).message == message
    assert git("log", "-1", "--format=%B").strip() == message


def test_message_that_looks_like_an_option(git, commit):
    git.write("a.ts", "2\n")
    assert commit("--amend", ["a.ts"]).message == "--amend"
    assert git("rev-list", "--count", "HEAD").strip() == "2"


def test_user_may_change_the_message(git, commit, user):
    git.write("a.ts", "2\n")
    user.decision = Decision(action="apply", text="better")
    assert commit("worse", ["a.ts"]).message == "better"


@pytest.mark.parametrize("files", [(), ("a.ts", "new.ts")])
def test_denied_commit_leaves_everything_as_it_was(git, commit, user, files):
    git.write("a.ts", "2\n")
    git.write("new.ts", "2\n")
    git.write("b.ts", "2\n")
    git("add", "b.ts")
    before = git.state()
    index = (git.root / ".git/index").read_bytes()
    user.decision = Decision(action="reject", reason="no")
    user.meanwhile = lambda: git.state() == before or pytest.fail("staged before the answer")
    with pytest.raises(ToolError) as caught:
        commit("x", files)
    assert caught.value.type == "cancelled"
    assert git.state() == before
    assert (git.root / ".git/index").read_bytes() == index


@pytest.mark.parametrize("files", [(), ("a.ts",)])
@pytest.mark.parametrize("hook", ["pre-commit", "commit-msg", "prepare-commit-msg"])
def test_failing_hook_is_told_and_leaves_everything_as_it_was(git, commit, files, hook):
    git.hook(hook, "echo LINT-OUT; echo LINT-SAYS-NO >&2; git add c.ts; exit 1")
    for path in ("a.ts", "b.ts", "c.ts"):
        git.write(path, "2\n")
    git("add", "b.ts")
    before = git.state()
    with pytest.raises(
        ToolError, match=r"(?s)LINT-SAYS-NO.*LINT-OUT|LINT-OUT.*LINT-SAYS"
    ) as caught:
        commit("x", files)
    assert (caught.value.type, caught.value.recoverable) == ("command", True)
    assert git.state() == before
    assert not (git.root / ".git/index.lock").exists()


def test_hook_sees_what_is_committed_and_may_mend_it(git, commit):
    git.hook("pre-commit", "git diff --cached --name-only > seen\necho mended > a.ts\ngit add a.ts")
    git.write("a.ts", "2\n")
    git.write("b.ts", "2\n")
    git("add", "b.ts")
    commit("x", ["a.ts"])
    assert (git.root / "seen").read_text() == "a.ts\n"
    assert git("show", "HEAD:a.ts") == "mended\n"
    assert git("status", "--porcelain") == "M  b.ts\n?? seen\n"


def test_hook_gets_no_input(git, commit):
    git.hook("pre-commit", 'read line; test -z "$line"')
    git.write("a.ts", "2\n")
    assert commit("x", ["a.ts"]).hash


@pytest.mark.parametrize("message", ["", "  ", "\n\t\n", "a\0b"])
def test_message_that_is_none(git, commit, user, message):
    git.write("a.ts", "2\n")
    with pytest.raises(ToolError) as caught:
        commit(message, ["a.ts"])
    assert caught.value.type == "validation"
    assert not user.asked


def test_message_that_the_user_has_emptied(git, commit, user):
    git.write("a.ts", "2\n")
    user.decision = Decision(action="apply", text=" ")
    with pytest.raises(ToolError, match="empty"):
        commit("x", ["a.ts"])


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ((), ("command", "no file is staged")),
        (("a.ts",), ("command", "a.ts has not changed")),
        (("nope.ts",), ("file", "nope.ts does not exist")),
        (("a.ts", "nope.ts"), ("file", "nope.ts does not exist")),
        (("*.ts",), ("file", "*.ts does not exist")),
        (("--amend",), ("file", "--amend does not exist")),
    ],
)
def test_nothing_to_commit(commit, user, files, expected):
    type_, message = expected
    with pytest.raises(ToolError, match=re.escape(message)) as caught:
        commit("x", files)
    assert (caught.value.type, caught.value.recoverable) == (type_, True)
    assert not user.asked


def test_file_named_like_an_option(git, commit):
    git.write("--amend", "1\n")
    assert [file.path for file in commit("x", ["--amend"]).files] == ["--amend"]


def test_staged_change_that_was_taken_back_on_the_disk(git, commit):
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    git.write("a.ts", "1\n")
    before = git.state()
    with pytest.raises(ToolError, match=r"a.ts has not changed"):
        commit("x", ["a.ts"])
    assert git.state() == before


def test_commit_with_conflicts(git, commit, user):
    conflict(git)
    for files in ((), ("a.ts",)):
        with pytest.raises(ToolError, match=r"conflicts: a.ts"):
            commit("x", files)
    assert not user.asked


def test_commit_ends_a_merge(git, commit):
    conflict(git)
    git.write("a.ts", "both\n")
    git("add", "a.ts")
    with pytest.raises(ToolError, match="merge is under way"):
        commit("x", ["a.ts"])
    made = commit("merged")
    assert len(git("log", "-1", "--format=%P").split()) == 2
    assert [file.path for file in made.files] == ["a.ts"]


def test_unknown_author_is_explained(git, commit):
    git("config", "--unset", "user.name")
    git("config", "--unset", "user.email")
    git("config", "user.useConfigOnly", "true")
    git.write("a.ts", "2\n")
    with pytest.raises(ToolError) as caught:
        commit("x", ["a.ts"])
    assert caught.value.type == "command"
    assert "user.email" in caught.value.suggestion
    assert git("status", "--porcelain") == " M a.ts\n"


def test_signing_that_is_impossible_is_explained(git, commit):
    git("config", "commit.gpgSign", "true")
    git("config", "user.signingKey", "nobody")
    git("config", "gpg.program", "false")
    git.write("a.ts", "2\n")
    with pytest.raises(ToolError) as caught:
        commit("x", ["a.ts"])
    assert caught.value.type == "command"
    assert "commit.gpgSign" in caught.value.suggestion
    assert git("status", "--porcelain") == " M a.ts\n"


def test_lock_of_another_git(git, commit):
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    (git.root / ".git/index.lock").touch()
    for files in ((), ("a.ts",)):
        with pytest.raises(ToolError, match="another git is at work") as caught:
            commit("x", files)
        assert caught.value.type == "command"
    (git.root / ".git/index.lock").unlink()
    assert git("rev-list", "--count", "HEAD").strip() == "1"


def test_ignored_file_is_not_committed(git, commit):
    git.write(".gitignore", "*.log\n")
    git.write("x.log", "1\n")
    with pytest.raises(ToolError, match=r"x.log"):
        commit("x", ["x.log"])


def test_commit_of_one_file_among_many(git, commit):
    for number in range(300):
        git.write(f"many/{number}.ts", f"{number}\n")
    git("add", "-A")
    git("commit", "-qm", "many")
    git.write("a.ts", "2\n")
    assert [file.path for file in commit("x", ["a.ts"]).files] == ["a.ts"]
    assert git("status", "--porcelain") == ""
    assert git("ls-files").count("\n") == 303


def test_nothing_is_left_beside_the_repository(git, commit, tmp_path, monkeypatch):
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    git.hook("commit-msg", "exit 1")
    git.write("a.ts", "2\n")
    with pytest.raises(ToolError):
        commit("x", ["a.ts"])
    assert list(folder.iterdir()) == []


def test_a_change_within_the_second_of_the_last_commit_is_seen(git, commit):
    """Git trusts an entry whose file is older than the index, and counts in seconds."""
    time.sleep(1 - time.time() % 1)
    git.write("a.ts", "2\n")
    assert commit("first", ["a.ts"]).hash
    git.write("a.ts", "3\n")
    time.sleep(1.1)
    assert commit("second", ["a.ts"]).hash
