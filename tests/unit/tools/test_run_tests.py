import importlib.util
import json
import os
import shutil
import time

import pytest
from waiting import become, until

ECHO = "#!/bin/sh\nprintf '<%s>' \"$@\"\necho\n"
NODE = pytest.mark.skipif(
    shutil.which("npm") is None and not os.environ.get("CI"), reason="npm is not installed"
)


def package(**content):
    return json.dumps({"name": "x", **content})


@pytest.fixture
def project(make_project, open_assistant):
    """Return a function that opens a project, some of whose files are programs, as `call`."""

    def open_project(files, programs=(), **options):
        root = make_project({**files, **dict(programs)})
        for path in dict(programs):
            (root / path).chmod(0o755)
        return open_assistant(root, [], **options).call

    return open_project


def vitest(text):
    return {"node_modules/.bin/vitest": f"#!/bin/sh\n{text}\n"}


CONFIG = {"vitest.config.ts": "export default {}\n", "a.test.ts": ""}


def test_the_documented_fields(project):
    text = "echo ' Tests  1 failed | 2 passed | 1 skipped (4)'; echo '   Duration  234ms'; exit 1"
    result = project(CONFIG, vitest(text))("run_tests", {"path": "a.test.ts", "filter": "login"})
    output = result.to_dict()["output"]
    assert output == {
        "runner": "vitest",
        "passed": False,
        "exitCode": 1,
        "output": " Tests  1 failed | 2 passed | 1 skipped (4)\n   Duration  234ms\n",
        "stats": {"total": 4, "passed": 2, "failed": 1, "skipped": 1},
        "duration": 234,
    }
    assert result.text().split("\n") == [
        "Test runner: vitest",
        "Running: vitest run a.test.ts -t login",
        "",
        " Tests  1 failed | 2 passed | 1 skipped (4)",
        "   Duration  234ms",
        "",
        "Tests passed: 2/4 (1 failed, 1 skipped)",
        "Passed: no (exit code 1)",
        "Duration: 234 ms",
    ]
    shape = result.output.shape()
    assert shape.title == "Tests with vitest"
    assert shape.counts == ((1, "failed"), (2, "passed"), (1, "skipped"))


def test_numbers_are_left_out_when_there_are_none(project):
    output = project(CONFIG, vitest("echo hello"))("run_tests").to_dict()["output"]
    assert (output["passed"], output["output"]) == (True, "hello\n")
    assert "stats" not in output
    assert output["duration"] >= 0


def test_path_and_filter_are_arguments_and_no_options(project, tmp_path):
    call = project(
        {**CONFIG, "-x.test.ts": "", "with blank.test.ts": ""},
        {"node_modules/.bin/vitest": ECHO},
    )
    evil = 'a"; touch pwned; echo "$(touch pwned2) `touch pwned3` \' \n --watch'
    printed = call("run_tests", {"path": "with blank.test.ts", "filter": evil}).output.output
    assert printed == f"<run><with blank.test.ts><-t><{evil}>\n"
    printed = call("run_tests", {"path": "-x.test.ts", "filter": "--watch"}).output.output
    assert printed == "<run><./-x.test.ts><--testNamePattern=--watch>\n"
    assert not list(tmp_path.rglob("pwned*"))


@pytest.mark.parametrize("name", ["rm -rf src", "sudo", "; chmod 777 a", "$(rm -r a)", "~", "# x"])
def test_names_are_data_for_the_policy(project, name):
    call = project(CONFIG, {"node_modules/.bin/vitest": ECHO})
    assert call("run_tests", {"filter": name}).output.output == f"<run><-t><{name}>\n"


@pytest.mark.parametrize("path", ["", ".", None])
def test_the_whole_project(project, path):
    call = project(CONFIG, {"node_modules/.bin/vitest": ECHO})
    assert call("run_tests", {"path": path}).output.output == "<run>\n"


def test_absolute_paths_and_folders(project, tmp_path):
    call = project({**CONFIG, "src/a.test.ts": ""}, {"node_modules/.bin/vitest": ECHO})
    absolute = str(tmp_path / "project/src")
    assert call("run_tests", {"path": absolute}).output.output == "<run><src/>\n"


@pytest.mark.parametrize(
    ("path", "recoverable"), [("nope.test.ts", True), ("../x", False), ("/etc/passwd", False)]
)
def test_wrong_paths(project, path, recoverable):
    error = project(CONFIG, vitest("touch made"))("run_tests", {"path": path}).error
    assert (error.type, error.recoverable) == ("file", recoverable)


@pytest.mark.parametrize(
    "arguments", [{"timeout": 0}, {"timeout": 1_800_001}, {"watch": "maybe"}, {"filter": "a\0"}]
)
def test_wrong_arguments(project, arguments):
    assert project(CONFIG, vitest("exit"))("run_tests", arguments).error.type == "validation"


def test_no_runner(project):
    error = project({"a.ts": ""})("run_tests").error
    assert (error.type, error.recoverable) == ("command", True)


def test_a_runner_that_is_not_installed(project, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    error = project({"package.json": package(devDependencies={"mocha": "1"})})("run_tests").error
    assert error.type == "command"
    assert "'mocha' is neither installed" in error.message


def test_a_timeout_ends_everything(project, tmp_path, running_in):
    call = project(CONFIG, vitest("echo half way; setsid sleep 60 & sleep 61; touch late"))
    error = call("run_tests", {"timeout": 1500}).error
    assert (error.type, error.recoverable) == ("timeout", True)
    assert "half way" in error.message
    until(lambda: not running_in(tmp_path))
    assert not list(tmp_path.rglob("late"))


def test_long_output_keeps_both_ends_and_the_numbers(project):
    text = "seq 100000; echo '  3 passing (1s)'; echo '  1 failing'; seq 100000; exit 1"
    files = {"package.json": package(mocha={})}
    result = project(files, {"node_modules/.bin/mocha": f"#!/bin/sh\n{text}\n"})("run_tests")
    assert result.output.stats.failed == 1
    assert result.output.output.startswith("1\n2\n")
    assert result.output.output.endswith("99999\n100000\n")
    assert len(result.output.output) < 60_000


def test_no_question_until_the_session_changes_the_configuration(project):
    asked = []
    call = project(
        {"sub/vitest.config.ts": "export default {}\n", "sub/a.test.ts": ""},
        {"sub/node_modules/.bin/vitest": ECHO},
        confirm=lambda p: asked.append(p) or p.kind == "edit",
    )
    assert call("run_tests", {"path": "sub"}).output.output == "<run>\n"
    assert not asked
    edit = {"path": "sub/vitest.config.ts", "start": 1, "end": 1, "content": "export default 1"}
    assert call("edit_lines", edit).success
    error = call("run_tests", {"path": "sub/a.test.ts"}).error
    assert error.type == "cancelled"
    assert asked[-1].tool == "run_tests"
    assert asked[-1].command == "vitest run a.test.ts"
    assert "sub/vitest.config.ts was changed" in asked[-1].reason


def test_variables_of_the_script_are_asked_about(project):
    asked = []
    files = {
        "package.json": package(devDependencies={"jest": "1"}, scripts={"test": "A=b jest --ci"})
    }
    jest = {"node_modules/.bin/jest": '#!/bin/sh\necho "$A $*"\n'}
    result = project(files, jest, confirm=lambda p: asked.append(p) or True)("run_tests")
    assert result.output.output == "b --ci\n"
    assert "A=b" in asked[0].reason
    assert "Running: A=b jest --ci" in result.text()


def test_folder_of_the_runner_is_told(project):
    files = {"web/jest.config.js": "", "web/src/a.test.js": ""}
    call = project(files, {"node_modules/.bin/jest": "#!/bin/sh\npwd\n"})
    result = call("run_tests", {"path": "web/src/a.test.js"})
    assert result.output.output.endswith("/project/web\n")
    assert "Running: jest --runTestsByPath src/a.test.js (in web)" in result.text()


@NODE
def test_npm_test(project):
    asked = []
    files = {
        "package.json": package(scripts={"test": "node t.js"}),
        "t.js": "console.log('ran it')",
    }
    call = project(files, confirm=lambda p: asked.append(p) or True)
    result = call("run_tests")
    assert (result.output.runner, result.output.passed) == ("npm", True)
    assert "ran it" in result.output.output
    assert asked == [], "node runs the project's tests here, as pytest does elsewhere"


@NODE
@pytest.mark.parametrize(
    "script", ["node ../t.js", "node /t.js", "node -e 1", "node --import ./x.js t.js", "node"]
)
def test_npm_test_is_asked_about_when_node_is_given_anything_else(project, script):
    asked = []
    files = {"package.json": package(scripts={"test": script}), "t.js": ""}
    project(files, confirm=lambda p: asked.append(p) and False)("run_tests")
    assert [p.command for p in asked] == ["npm test"]


@NODE
def test_npm_test_is_asked_about_when_the_session_has_changed_what_node_runs(project):
    asked = []
    files = {"package.json": package(scripts={"test": "node t.js"}), "t.js": "1"}
    call = project(files, confirm=lambda p: asked.append(p) or p.kind == "edit")
    assert call("edit_lines", {"path": "t.js", "start": 1, "end": 1, "content": "2"}).success
    call("run_tests")
    assert [p.kind for p in asked] == ["edit", "command"]
    assert "t.js was changed" in asked[-1].reason


@NODE
def test_the_same_as_a_command_of_the_model_is_asked_about(project):
    asked = []
    files = {"package.json": package(scripts={"test": "node t.js"}), "t.js": "1"}
    call = project(files, confirm=lambda p: asked.append(p) and False)
    call("run_command", {"command": "npm test"})
    assert [p.command for p in asked] == ["npm test"]


@NODE
def test_arguments_reach_an_npm_script_unharmed(project, tmp_path):
    script = "node -p 'JSON.stringify(process.argv.slice(1))'"
    files = {"package.json": package(scripts={"test": f"{script} --"}), "t": ""}
    call = project(files, confirm=lambda _: True)
    evil = "a\"; touch pwned; $(touch pwned2) `touch pwned3` ' \\ !"
    result = call("run_tests", {"path": "t", "filter": evil})
    if result.error is not None:  # before version 9
        assert "does not quote" in result.error.message
    else:
        assert json.dumps(["t", evil], separators=(",", ":")) in result.output.output
    assert not list(tmp_path.rglob("pwned*"))


@NODE
def test_node_test_through_npm(project):
    test = "const t = require('node:test'); t('one', () => {}); t('two', () => { throw 1 });"
    files = {"package.json": package(scripts={"test": "node --test"}), "a.test.js": test}
    call = project(files, confirm=lambda _: True)
    result = call("run_tests", {"path": "a.test.js"}).output
    assert (result.stats.total, result.stats.passed, result.stats.failed) == (2, 1, 1)
    assert not result.passed
    result = call("run_tests", {"path": "a.test.js", "filter": "one"}).output
    assert (result.passed, result.stats.passed, result.stats.failed) == (True, 1, 0)


def test_denied_script_does_not_run(project, tmp_path):
    asked = []
    files = {"package.json": package(scripts={"test": "rm -rf keep"}), "keep/k": ""}
    call = project(files, confirm=lambda p: asked.append(p) or True, settings={"approve": "all"})
    error = call("run_tests").error
    assert (error.type, error.recoverable) == ("command", False)
    assert (tmp_path / "project/keep/k").exists()
    assert not asked


def test_unknown_script_needs_a_yes(project):
    files = {"package.json": package(scripts={"test": "sh t.sh"}), "t.sh": ""}
    assert project(files)("run_tests").error.type == "cancelled"


PYTHON = {
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p no:cacheprovider'\n",
    "tests/test_login.py": (
        "import pytest\n"
        "def test_ok(): print('hello')\n"
        "def test_bad(): assert 1 == 2\n"
        "@pytest.mark.skip\ndef test_later(): pass\n"
        "class TestMore:\n    def test_inner(self): pass\n"
    ),
    "tests/-odd_test.py": "def test_odd(): pass\n",
}


@pytest.fixture
def pytest_project(project, monkeypatch):
    assert importlib.util.find_spec("pytest")
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # it starts much faster then
    return project(PYTHON)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, (False, 5, 3, 1, 1)),
        ({"path": "tests", "filter": "ok"}, (True, 1, 1, 0, 0)),
        ({"path": "tests/test_login.py::TestMore::test_inner"}, (True, 1, 1, 0, 0)),
        ({"path": "tests/-odd_test.py"}, (True, 1, 1, 0, 0)),
        ({"filter": "nothing"}, (False, 0, 0, 0, 0)),
    ],
)
def test_pytest_really_runs(pytest_project, arguments, expected):
    output = pytest_project("run_tests", arguments).output
    stats = output.stats
    numbers = (output.passed, stats.total, stats.passed, stats.failed, stats.skipped)
    assert (output.runner, *numbers) == ("pytest", *expected), output.output


def test_pytest_options_do_not_come_from_the_filter(pytest_project):
    output = pytest_project("run_tests", {"filter": "--version"}).output
    assert "test session starts" in output.output


def wait_for(read, wanted, change=lambda: None):
    """Wait for an output; ``change`` is called at first, and again should nothing come of it."""
    for _ in range(5):
        change()
        if become(lambda: wanted in read(), 15):
            return
    pytest.fail(read())


def test_pytest_watches(pytest_project, tmp_path):
    started = pytest_project("run_tests", {"path": "tests", "filter": "ok", "watch": True})
    job = started.output.job
    assert started.output.passed is None, started.text()
    assert f'job(id="{job}", action="read")' in started.text()
    read = lambda: pytest_project("job", {"id": job}).output.output  # noqa: E731
    wait_for(read, "1 passed")
    test = tmp_path / "project/tests/test_login.py"
    broken = test.read_text().replace("def test_ok(): ", "def test_ok(): assert 0, ")
    wait_for(read, "1 failed", lambda: test.write_text(f"{broken}# {time.time_ns()}\n"))
    stopped = pytest_project("job", {"id": job, "action": "stop"}).output
    assert stopped.state == "stopped"


def test_watching_is_not_asked_about_either(project):
    call = project(CONFIG, vitest('echo "$@"; exec sleep 60'))
    output = call("run_tests", {"path": "a.test.ts", "watch": True}).output
    assert (output.runner, output.passed, output.exit_code) == ("vitest", None, None)
    wait_for(lambda: call("job", {"id": output.job}).output.output, "watch a.test.ts")


def test_watch_that_ends_at_once_tells_so(project):
    call = project(CONFIG, vitest("echo broken configuration; exit 2"))
    output = call("run_tests", {"watch": True}).output
    if output.exit_code is not None:  # a slow machine may need longer than the first look
        assert (output.passed, output.exit_code) == (False, 2)
        assert "broken configuration" in output.output
    wait_for(lambda: call("job", {"id": output.job}).text(), "ended by itself")


def test_watch_that_cannot_be(project):
    files = {"package.json": package(scripts={"test": "node t.js"})}
    error = project(files, confirm=lambda _: True)("run_tests", {"watch": True}).error
    assert (error.type, error.recoverable) == ("validation", True)
