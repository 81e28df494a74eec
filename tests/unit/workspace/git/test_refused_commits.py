"""A commit that is not made leaves no trace."""

import re

import pytest
from git_repository import conflict

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision


@pytest.mark.parametrize("files", [(), ("a.ts", "new.ts")])
def test_denied_commit_leaves_everything_as_it_was(git, commit, answer, files):
    git.write("a.ts", "2\n")
    git.write("new.ts", "2\n")
    git.write("b.ts", "2\n")
    git("add", "b.ts")
    before = git.state()
    index = (git.root / ".git/index").read_bytes()
    answer.decision = Decision(action="reject", reason="no")
    answer.meanwhile = lambda: git.state() == before or pytest.fail("staged before the answer")
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
def test_message_that_is_none(git, commit, answer, message):
    git.write("a.ts", "2\n")
    with pytest.raises(ToolError) as caught:
        commit(message, ["a.ts"])
    assert caught.value.type == "validation"
    assert not answer.asked


def test_message_that_the_user_has_emptied(git, commit, answer):
    git.write("a.ts", "2\n")
    answer.decision = Decision(action="apply", text=" ")
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
def test_nothing_to_commit(commit, answer, files, expected):
    type_, message = expected
    with pytest.raises(ToolError, match=re.escape(message)) as caught:
        commit("x", files)
    assert (caught.value.type, caught.value.recoverable) == (type_, True)
    assert not answer.asked


def test_staged_change_that_was_taken_back_on_the_disk(git, commit):
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    git.write("a.ts", "1\n")
    before = git.state()
    with pytest.raises(ToolError, match=r"a.ts has not changed"):
        commit("x", ["a.ts"])
    assert git.state() == before


def test_commit_with_conflicts(git, commit, answer):
    conflict(git)
    for files in ((), ("a.ts",)):
        with pytest.raises(ToolError, match=r"conflicts: a.ts"):
            commit("x", files)
    assert not answer.asked


def test_commit_ends_a_merge(git, commit):
    conflict(git)
    git.write("a.ts", "both\n")
    git("add", "a.ts")
    with pytest.raises(ToolError, match="merge is under way"):
        commit("x", ["a.ts"])
    made = commit("merged")
    assert len(git("log", "-1", "--format=%P").split()) == 2
    assert [file.path for file in made.files] == ["a.ts"]


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        (("--unset user.name", "--unset user.email", "user.useConfigOnly true"), "user.email"),
        (
            ("commit.gpgSign true", "user.signingKey nobody", "gpg.program false"),
            "commit.gpgSign",
        ),
    ],
    ids=["unknown author", "no signature"],
)
def test_what_git_needs_for_a_commit_is_explained(git, commit, settings, remedy):
    for setting in settings:
        git("config", *setting.split())
    git.write("a.ts", "2\n")
    with pytest.raises(ToolError) as caught:
        commit("x", ["a.ts"])
    assert caught.value.type == "command"
    assert remedy in caught.value.suggestion
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


def test_nothing_is_left_beside_the_repository(git, commit, tmp_path, monkeypatch):
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    git.hook("commit-msg", "exit 1")
    git.write("a.ts", "2\n")
    with pytest.raises(ToolError):
        commit("x", ["a.ts"])
    assert list(folder.iterdir()) == []
