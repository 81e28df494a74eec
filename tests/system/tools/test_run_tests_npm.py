"""The runners that projects really use, installed from the npm registry."""

import json
import os
import shutil
import subprocess
import time

import pytest

pytestmark = pytest.mark.npm

PACKAGES = ("vitest@3.2.4", "vite@6.3.5", "jest@29.7.0", "mocha@11.7.4")
LOGIN = """
describe('login', () => {
  it('accepts (a) user', () => { console.log('hello from the test') })
  it('refuses', () => { throw new Error('boom') })
  it.skip('later', () => {})
})
"""
OTHER = "it('logs out', () => {})\n"
PROJECTS = {
    "vitest": ("vitest.config.mjs", "export default { test: { globals: true } }\n"),
    "jest": ("jest.config.js", "module.exports = {}\n"),
    "mocha": (".mocharc.json", '{"extension": ["js"]}\n'),
}
RUNNERS = pytest.mark.parametrize("runner", PROJECTS)


@pytest.fixture(scope="session")
def node_modules(tmp_path_factory):
    """Install the runners once for all tests."""
    if shutil.which("npm") is None:
        assert not os.environ.get("CI"), "CI needs npm."
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_text('{"name": "runners", "private": true}')
    argv = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *PACKAGES]
    for source in ("--prefer-offline", "--prefer-online"):  # what npm has kept may be too old
        done = subprocess.run(
            [*argv, source], cwd=folder, capture_output=True, text=True, timeout=120, check=False
        )
        if not done.returncode:
            break
    else:
        assert not os.environ.get("CI"), done.stderr
        pytest.skip(f"npm could not install the runners: {done.stderr[-300:]}")
    return folder / "node_modules"


@pytest.fixture
def call(make_project, open_assistant, node_modules):
    """Return a function that opens a project with a runner; nobody is there to be asked."""

    def open_project(runner):
        name, text = PROJECTS[runner]
        files = {
            "package.json": json.dumps({"name": "x", "devDependencies": {runner: "*"}}),
            name: text,
            "test/login.test.js": LOGIN,
            "test/more/other.test.js": OTHER,
            "test/more/-odd.test.js": OTHER,
        }
        root = make_project(files)
        into = root / "node_modules"  # runners write there
        shutil.copytree(node_modules, into, symlinks=True, copy_function=os.link)
        return open_assistant(root, []).call

    return open_project


def numbers(result):
    assert result.success, result.text()
    stats = result.output.stats
    assert stats is not None, result.text()
    return (result.output.passed, stats.total, stats.passed, stats.failed, stats.skipped)


@RUNNERS
def test_a_file_its_names_and_its_folder(call, runner):
    run = call(runner)
    path = "test/login.test.js"
    result = run("run_tests", {"path": path})
    assert numbers(result) == (False, 3, 1, 1, 1)
    assert result.output.runner == runner
    assert "hello from the test" in result.output.output
    assert "boom" in result.output.output
    assert "\x1b" not in result.output.output
    assert 0 <= result.output.duration < 200_000
    result = run("run_tests", {"path": path, "filter": r"accepts \(a\)"})
    assert numbers(result)[:4] == (True, numbers(result)[1], 1, 0)
    result = run("run_tests", {"path": "test/more", "filter": "logs out"})
    assert numbers(result) == (True, 2, 2, 0, 0)


@RUNNERS
def test_names_like_options_are_names(call, runner, tmp_path):
    run = call(runner)
    odd = {"path": "test/more/-odd.test.js", "filter": "--watch $(touch pwned)"}
    result = run("run_tests", odd)
    assert numbers(result)[2:4] == (0, 0), result.text()
    assert "found" not in result.output.output, result.text()  # the file was
    assert not list((tmp_path / "project").glob("**/pwned"))


@RUNNERS
def test_watching_runs_again_after_a_change(call, runner, tmp_path):
    run = call(runner)
    started = run("run_tests", {"path": "test/login.test.js", "watch": True})
    job = started.output.job

    def wait_for(wanted):
        deadline = time.monotonic() + 12
        while wanted not in (output := run("job", {"id": job}).output.output):
            if time.monotonic() > deadline:
                return output
            time.sleep(0.1)
        return None

    assert not all(wait_for("boom") for _ in range(6)), run("job", {"id": job}).text()
    test = tmp_path / "project/test/login.test.js"
    for attempt in range(6):  # the first change may come before the runner looks out for it
        test.write_text(LOGIN.replace("boom", "a second bang") + "\n" * attempt)
        seen = wait_for("a second bang")
        if seen is None:
            break
    assert seen is None, seen
    stopped = run("job", {"id": job, "action": "stop"}).output
    assert stopped.state == "stopped"
