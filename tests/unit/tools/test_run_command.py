import pytest
from waiting import until


def test_the_documented_fields_after_one_question(run):
    asked = []
    call = run({"a.ts": "1\n"}, confirm=lambda p: asked.append(p) or True)
    result = call("run_command", {"command": "printf out; printf err >&2; exit 3"})
    output = result.to_dict()["output"]
    assert 0 <= output.pop("duration") < 10_000
    assert output == {"stdout": "out", "stderr": "err", "exitCode": 3}
    assert len(asked) == 1
    assert result.text().split("\n")[1:] == ["", "stdout:", "out", "", "stderr:", "err"]
    assert result.text().startswith("Exit code: 3 (")
    shape = result.output.shape()
    assert (shape.command, shape.exit_code) == ("printf out; printf err >&2; exit 3", 3)


def test_a_safe_command_needs_nobody_to_ask(run):
    result = run({"a.ts": "1\n"})("run_command", {"command": "git --version"})
    assert result.output.stdout.startswith("git version")


def test_a_command_that_prints_nothing(run):
    call = run({"a.ts": "1\n"}, confirm=lambda _: True)
    assert call("run_command", {"command": "true"}).text().endswith("\nIt printed nothing.")


@pytest.mark.parametrize("options", [{}, {"confirm": lambda _: False}, {"auto_apply": True}])
def test_an_unknown_command_does_not_run_without_a_yes(run, tmp_path, options):
    error = run({"a.ts": "1\n"}, **options)("run_command", {"command": "touch made"}).error
    assert (error.type, error.recoverable) == ("cancelled", True)
    assert not (tmp_path / "project/made").exists()


@pytest.mark.parametrize("command", ["rm -rf keep", "git log $(rm -rf keep)", "npm run clean"])
def test_a_denied_command_is_not_even_asked_about(run, tmp_path, command):
    asked = []
    files = {"keep/k.txt": "k", "package.json": '{"scripts": {"clean": "rm -rf keep"}}'}
    call = run(files, confirm=lambda p: asked.append(p) or True, settings={"approve": "all"})
    error = call("run_command", {"command": command}).error
    assert (error.type, error.recoverable) == ("command", False)
    assert "rm with -r" in error.message
    assert not asked
    assert (tmp_path / "project/keep/k.txt").exists()


def test_timeout_is_in_milliseconds_and_ends_everything(run, tmp_path, running_in):
    call = run({"a.ts": "1\n"}, confirm=lambda _: True)
    arguments = {"command": "sh -c 'sleep 60; touch late'", "timeout": 400}
    error = call("run_command", arguments).error
    assert (error.type, error.recoverable) == ("timeout", True)
    until(lambda: not running_in(tmp_path), 3)
    assert not (tmp_path / "project/late").exists()


@pytest.mark.parametrize("timeout", [0, -1, 600_001, "soon", 1.5])
def test_wrong_timeouts(run, timeout):
    call = run({"a.ts": "1\n"}, confirm=lambda _: True)
    arguments = {"command": "git --version", "timeout": timeout}
    assert call("run_command", arguments).error.type == "validation"


def test_longest_timeout_and_whole_floats_are_fine(run):
    call = run({"a.ts": "1\n"})
    assert call("run_command", {"command": "git --version", "timeout": 600_000}).success
    assert call("run_command", {"command": "git --version", "timeout": 2000.0}).success


@pytest.mark.parametrize("arguments", [{}, {"command": " "}, {"command": None}])
def test_missing_commands(run, arguments):
    call = run({"a.ts": "1\n"}, confirm=lambda _: True)
    assert call("run_command", arguments).error.type == "validation"
