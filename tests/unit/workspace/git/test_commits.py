"""Commits hold what was asked for, and leave the rest alone."""

import time

import pytest
from git_repository import Answer

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.workspace.git.repository import Repository


def test_commit_of_named_files_leaves_the_others_staged(git, commit, answer):
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
    (asked,) = answer.asked
    assert (asked.kind, asked.files, asked.message) == ("commit", ("b.ts",), "fix: b only")
    assert asked.editable
    assert asked.pattern is None


def test_commit_of_what_is_staged(git, commit, answer):
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    git.write("a.ts", "3\n")
    git.write("b.ts", "2\n")
    made = commit("staged")
    assert git("show", "HEAD:a.ts") == "2\n"
    assert git("status", "--porcelain") == " M a.ts\n M b.ts\n"
    assert [(f.path, f.insertions, f.deletions) for f in made.files] == [("a.ts", 1, 1)]
    assert answer.asked[0].files == ("a.ts",)
    assert answer.asked[0].states == ("modified",)


def test_commit_of_new_deleted_and_partly_staged_files(git, commit, answer):
    git.write("new dir/ünï.ts", "1\n")
    (git.root / "a.ts").unlink()
    git.write("b.ts", "2\n")
    git("add", "b.ts")
    git.write("b.ts", "3\n")
    made = commit("x", ["new dir", "a.ts", "b.ts"])
    assert [file.path for file in made.files] == ["a.ts", "b.ts", "new dir/ünï.ts"]
    assert answer.asked[0].states == ("deleted", "modified", "added")
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
    made = Repository(empty.root).commit("first", ["a.ts"], decide=Answer(), tool="git_commit")
    assert [file.path for file in made.files] == ["a.ts"]
    assert empty("status", "--porcelain") == "A  b.ts\n"


def test_message_keeps_its_lines(git, commit):
    git.write("a.ts", "2\n")
    message = "feat: a\n\n- one\n- two\n# not a comment\n\n  'quoted' \"$HOME\" `id` äöü"
    assert commit(message, ["a.ts"]).message == message
    assert git("log", "-1", "--format=%B").strip() == message


def test_message_that_looks_like_an_option(git, commit):
    git.write("a.ts", "2\n")
    assert commit("--amend", ["a.ts"]).message == "--amend"
    assert git("rev-list", "--count", "HEAD").strip() == "2"


def test_user_may_change_the_message(git, commit, answer):
    git.write("a.ts", "2\n")
    answer.decision = Decision(action="apply", text="better")
    assert commit("worse", ["a.ts"]).message == "better"


def test_file_named_like_an_option(git, commit):
    git.write("--amend", "1\n")
    assert [file.path for file in commit("x", ["--amend"]).files] == ["--amend"]


def test_commit_of_one_file_among_many(git, commit):
    for number in range(300):
        git.write(f"many/{number}.ts", f"{number}\n")
    git("add", "-A")
    git("commit", "-qm", "many")
    git.write("a.ts", "2\n")
    assert [file.path for file in commit("x", ["a.ts"]).files] == ["a.ts"]
    assert git("status", "--porcelain") == ""
    assert git("ls-files").count("\n") == 303


def test_a_change_within_the_second_of_the_last_commit_is_seen(git, commit):
    """Git trusts an entry whose file is older than the index, and counts in seconds."""
    time.sleep(1 - time.time() % 1)
    git.write("a.ts", "2\n")
    assert commit("first", ["a.ts"]).hash
    git.write("a.ts", "3\n")
    time.sleep(1.1)
    assert commit("second", ["a.ts"]).hash


def test_what_is_written_while_the_question_stands_is_not_committed(git, commit, answer):
    changes = (
        (["a.ts"], lambda: git.write("a.ts", "evil\n")),
        ([""], lambda: git.write("new.ts", "evil\n")),
        (["a.ts"], lambda: (git.root / "a.ts").chmod(0o755)),
        (["a.ts"], lambda: git("checkout", "-q", "-b", f"other{len(answer.asked)}")),
        ([], lambda: (git.write("c.ts", "evil\n"), git("add", "c.ts"))),
        ([], lambda: (git.write("b.ts", "evil\n"), git("add", "b.ts"))),
    )
    for files, meanwhile in changes:
        git("reset", "-q", "--hard")
        git("clean", "-qfd")
        git.write("a.ts", "2\n")
        git.write("b.ts", "3\n")
        if not files:
            git("add", "b.ts")
        head = git("rev-parse", "HEAD")
        answer.meanwhile = meanwhile
        with pytest.raises(ToolError, match="changed since the user was asked") as caught:
            commit("x", files)
        assert caught.value.type == "conflict"
        assert git("rev-parse", "HEAD") == head
    git("reset", "-q", "--hard")
    git.write("a.ts", "4\n")
    answer.meanwhile = lambda: git.write("b.ts", "elsewhere\n")
    assert commit("x", ["a.ts"]).message == "x"
    assert git("show", "HEAD:a.ts") == "4\n"
