import json
import re
import time

import pytest
from waiting import until


@pytest.fixture
def call(run):
    """Run the tool in a small project, as a user who says yes."""
    tool = run({"src/a.ts": "1\n"}, confirm=lambda _: True)
    return lambda command, **arguments: tool("bash", {"command": command, **arguments})


def test_the_documented_form(call):
    result = call("echo hello")
    expected = (
        "Command: echo hello\nExit Code: 0\nWorking Directory: .\n\n"
        "STDOUT:\nhello\n\nSTDERR:\n(no errors)"
    )
    assert result.to_dict() == {"success": True, "output": expected}
    assert result.text() == expected
    assert json.dumps(result.to_dict())
    shape = result.output.shape()
    assert (shape.command, shape.stdout, shape.exit_code) == ("echo hello", "hello\n", 0)


def test_a_failing_command_is_a_result(call):
    text = call("echo partial; echo bad >&2; exit 4").text()
    assert "Exit Code: 4\n" in text
    assert text.endswith("STDOUT:\npartial\n\nSTDERR:\nbad")


def test_a_silent_command(call):
    assert "STDOUT:\n(no output)\n\nSTDERR:\n(no errors)" in call("true").text()


def test_output_that_nobody_wants(call):
    text = call("echo hello; echo bad >&2", capture_output=False).text()
    assert "hello" not in text.partition("STDOUT")[2]
    assert text.endswith("STDOUT:\n(not captured)\n\nSTDERR:\n(not captured)")


def test_a_folder_to_run_in(call, tmp_path):
    assert "Working Directory: src\n\nSTDOUT:\na.ts\n" in call("ls", cwd="src").text()
    absolute = str(tmp_path / "project/src")
    assert "Working Directory: src\n" in call("ls", cwd=absolute).text()


@pytest.mark.parametrize(
    ("cwd", "recoverable"),
    [("nope", True), ("src/a.ts", True), ("..", False), ("/etc", False)],
)
def test_a_folder_that_is_none(call, tmp_path, cwd, recoverable):
    error = call("touch made", cwd=cwd).error
    assert (error.type, error.recoverable) == ("file", recoverable)
    assert cwd in error.message
    assert not list(tmp_path.rglob("made"))


def test_variables(call):
    text = call('echo "$A-$B-$C"', env={"A": "x y", "B": 2}).text()
    assert "STDOUT:\nx y-2-\n" in text


@pytest.mark.parametrize("env", [{"A B": "1"}, {"": "1"}, {"A": ["1"]}, {"A": "\0"}, "A=1"])
def test_variables_that_are_none(call, tmp_path, env):
    assert call("touch made", env=env).error.type == "validation"
    assert not list(tmp_path.rglob("made"))


@pytest.mark.parametrize("timeout", [0, -1, 301, "soon", 0.5])
def test_wrong_timeouts(call, tmp_path, timeout):
    assert call("touch made", timeout=timeout).error.type == "validation"
    assert not list(tmp_path.rglob("made"))


def test_timeout_is_in_seconds_and_ends_everything(call, tmp_path, running_in):
    started = time.monotonic()
    error = call("echo half way; setsid sleep 60 & sleep 61; touch late", timeout=1).error
    assert time.monotonic() - started > 1
    assert (error.type, error.recoverable) == ("timeout", True)
    assert re.search(r"(?s)longer than 1 s.*half way", error.message)
    until(lambda: not running_in(tmp_path))
    assert not list(tmp_path.rglob("late"))


def test_longest_timeout(call):
    assert call("true", timeout=300).success


@pytest.mark.parametrize("arguments", [{}, {"command": ""}, {"command": " \n"}, {"command": "a\0"}])
def test_no_command(run, arguments):
    assert run({}, confirm=lambda _: True)("bash", arguments).error.type == "validation"


@pytest.mark.parametrize("command", ["rm  -rf keep", "cd . && rm -r keep", "sudo ls"])
def test_a_denied_command_is_not_even_asked_about(run, tmp_path, command):
    asked = []
    tool = run({"keep/k.txt": "k"}, confirm=lambda p: asked.append(p) or True)
    error = tool("bash", {"command": command}).error
    assert (error.type, error.recoverable) == ("command", False)
    assert not asked
    assert (tmp_path / "project/keep/k.txt").exists()


def test_an_unknown_command_needs_a_yes(run, tmp_path):
    asked = []
    tool = run({}, confirm=asked.append)
    error = tool("bash", {"command": "touch made", "env": {"A": "1"}}).error
    assert (error.type, error.recoverable) == ("cancelled", True)
    assert (asked[0].tool, asked[0].command) == ("bash", "touch made")
    assert "A=1" in asked[0].reason
    assert not (tmp_path / "project/made").exists()


def test_a_safe_command_needs_nobody_to_ask(run):
    assert "git version" in run({})("bash", {"command": "git --version"}).text()


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("no-such-program", "not installed"),
        ("./src/a.ts", "cannot be executed"),
        ("cat nope.txt", "does not exist"),
        ("sh -c 'if'", "could not parse"),
        ("python3 -c 'import no_such_module'", "A package is not installed"),
    ],
)
def test_failures_come_with_a_hint(call, command, hint):
    assert hint in call(command).text().partition("\n\nHint: ")[2]
    assert "Hint" not in call("echo No such file or directory >&2").text()
