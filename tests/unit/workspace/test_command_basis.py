"""What a command rests on is looked at again after the answer, in whatever words it is named."""

import errno
import os
import subprocess
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.workspace.command_basis import _hash, named_files
from ipuaro_jupyter.workspace.permission import permit


@pytest.fixture
def ask(opened):
    """Give a function that asks for a permission; says how often the user was asked."""

    def ask_now(command):
        opened.user.asked.clear()
        permit(opened.workspace.execution_context, command, tool="run_command")
        return len(opened.user.asked)

    return ask_now


RUNS = [
    ("cd scripts && python deploy.py", "scripts/deploy.py"),
    ("python -u deploy.py", "deploy.py"),
    ("bash install", "install"),
    ("./install now", "install"),
    ("node build", "build.js"),
    ("node build", "build/index.js"),
    ("python -m tool", "tool.py"),
    ("python -m tool", "tool/__main__.py"),
    ("python3 -m tools.run", "tools/run.py"),
    ("npm --prefix web run x", "web/package.json"),
    ("(cd web; . ./env.sh)", "web/env.sh"),
    ("sh -c 'node lib/start'", "lib/start.mjs"),
]


@pytest.mark.parametrize(
    ("command", "path"),
    [
        *RUNS,
        ("python deploy.py", "imported.py"),
        ("make all", "tools/settings.yml"),
        ("bash notes.txt", "notes.txt"),
        ("node node_modules/tool/run.js", "node_modules/tool/run.js"),
        ("cd node_modules/tool && node run", "node_modules/tool/run.js"),
        ("python ../outside/deploy.py", "../outside/deploy.py"),
        ("cd ../outside && python deploy.py", "../outside/deploy.py"),
        ("zip -r all.zip .", "notes.md"),
    ],
)
def test_what_changes_while_the_question_stands_does_not_run(opened, ask, command, path):
    opened.write(path, "as shown")
    assert ask(command)
    opened.user.meanwhile = lambda: opened.write(path, "other")
    with pytest.raises(ToolError, match="since the user was asked: ") as caught:
        ask(command)
    assert Path(path).name in caught.value.message


@pytest.mark.parametrize(("command", "path"), [("tail -f a.log | grep x", "a.log"), ("x", "b.log")])
def test_what_no_command_runs_may_change(opened, ask, command, path):
    opened.write(path, "as shown")
    opened.user.meanwhile = lambda: opened.write(path, "other")
    assert ask(command) == 1


@pytest.mark.parametrize(("command", "path"), RUNS)
def test_a_remembered_command_asks_again_when_the_session_changes_what_it_runs(
    opened, ask, command, path
):
    opened.write(path, "{}")
    opened.user.decision = Decision(action="apply", remember=True)
    assert (ask(command), ask(command)) == (1, 0)
    opened.apply(path, b"{}", b"[]")
    assert (ask(command), ask(command)) == (1, 1)
    assert path in opened.user.asked[0].reason


@pytest.mark.parametrize("what", [["add", "b.ts"], ["symbolic-ref", "HEAD", "refs/heads/other"]])
def test_a_commit_is_asked_about_again_when_what_it_takes_has_changed(git, open_workspace, what):
    opened = open_workspace(git.root)
    git.write("b.ts", "2\n")

    def ask_now():
        permit(opened.workspace.execution_context, "git commit -m x", tool="bash")

    ask_now()
    opened.user.meanwhile = lambda: subprocess.run(["git", *what], cwd=git.root, check=True)
    with pytest.raises(ToolError, match="since the user was asked"):
        ask_now()


def test_a_question_that_is_put_twice_is_another_one_once_a_file_has_changed(opened, ask):
    """A client may answer only when it repeats the call."""
    opened.write("deploy.py", "1")
    opened.write("notes.log", "1")
    told = []
    for path in ("", "notes.log", "helper.py", "deploy.py"):
        opened.write(path or "notes.log", "2")
        ask("python deploy.py")
        told.append(opened.user.asked[0].rests_on)
    assert told[0] == told[1]
    assert len({*told}) == 3


def test_a_commit_that_is_asked_about_twice_is_another_one_once_its_content_has_changed(
    git, commit, answer
):
    answer.decision = Decision(action="reject")
    told = []
    for text in ("2", "2", "3"):
        git.write("b.ts", text)
        with pytest.raises(ToolError):
            commit(files=["b.ts"])
        told.append(answer.asked[-1].rests_on)
    assert told[0] == told[1] != told[2]


def test_large_and_vanished_files_are_told_apart_by_their_state(tmp_path):
    large = tmp_path / "large.bin"
    with large.open("wb") as file:
        file.truncate(20_000_001)
    (before,) = named_files(["cat large.bin"], [tmp_path]).values()
    os.utime(large, (0, 0))
    (after,) = named_files(["cat large.bin"], [tmp_path]).values()
    assert before != after
    assert _hash(str(tmp_path / "none")) == str(errno.ENOENT)
    assert _hash("/proc/kmsg") == ""


def test_words_that_name_no_file_are_passed_by(tmp_path):
    texts = ["a\0b/c " + "x" * 300, "cd a\0b"]
    assert named_files(texts, [tmp_path]) == {}
