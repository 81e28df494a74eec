import shlex
import sys
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.project_tests.runner_commands import Selection, runner_command
from ipuaro_jupyter.project.project_tests.runners import FoundRunner

ALL = Selection()
FILE = Selection(path="src/a.test.ts")
FOLDER = Selection(path="src/a(b)", is_folder=True)
NAME = Selection(name="login works")
ODD = Selection(path="-x.test.ts", name="-v")


def words(runner, selection, root, script=None):
    command = runner_command(FoundRunner(runner, root, script), root, selection)
    return " ".join(command.argv)


@pytest.mark.parametrize(
    ("runner", "selection", "expected"),
    [
        ("vitest", ALL, "vitest run"),
        ("vitest", FILE, "vitest run src/a.test.ts"),
        ("vitest", FOLDER, "vitest run src/a(b)/"),
        ("vitest", NAME, "vitest run -t login works"),
        ("vitest", ODD, "vitest run ./-x.test.ts --testNamePattern=-v"),
        ("jest", ALL, "jest"),
        ("jest", FILE, "jest --runTestsByPath src/a.test.ts"),
        ("jest", FOLDER, r"jest ^ROOT/src/a\(b\)/"),
        ("jest", NAME, "jest --testNamePattern login works"),
        ("jest", ODD, "jest --testNamePattern=-v --runTestsByPath ./-x.test.ts"),
        ("mocha", FILE, "mocha src/a.test.ts"),
        ("mocha", FOLDER, "mocha --recursive src/a(b)"),
        ("mocha", NAME, "mocha -g login works"),
        ("mocha", ODD, "mocha ./-x.test.ts --grep=-v"),
        ("pytest", FILE, "pytest src/a.test.ts"),
        ("pytest", NAME, "pytest -k login works"),
        ("pytest", ODD, "pytest ./-x.test.ts -k=-v"),
        ("pytest", Selection(path="@a.py", rest="C::t[1]"), "pytest ./@a.py::C::t[1]"),
    ],
)
def test_words_for_a_selection(runner, selection, expected):
    root = Path("/srv/my-project")
    assert words(runner, selection, root) == expected.replace("ROOT", "/srv/my-project")


@pytest.mark.parametrize(
    ("script", "selection", "expected"),
    [
        ("node t.js", ALL, "npm test"),
        ("node t.js", FILE, "npm test -- src/a.test.ts"),
        ("node t.js", NAME, "npm test -- login works"),
        ("vitest", NAME, "npm test -- -t login works"),
        ("tsc && A=b jest --ci", NAME, "npm test -- --testNamePattern login works"),
        ("npx mocha", ODD, "npm test -- ./-x.test.ts --grep=-v"),
        ("react-scripts test", FILE, "npm test -- --runTestsByPath src/a.test.ts"),
        ("node --test", NAME, "npm test -- --test-name-pattern login works"),
    ],
)
def test_script_gets_what_its_program_understands(tmp_path, script, selection, expected):
    assert words("npm", selection, tmp_path, script) == expected


def test_unknown_script_gets_no_option(tmp_path):
    with pytest.raises(ToolError, match="would be an option") as caught:
        words("npm", Selection(name="--exec"), tmp_path, "tool")
    assert caught.value.type == "validation"


def test_unknown_script_is_told_of_and_does_not_watch(tmp_path):
    command = runner_command(FoundRunner("npm", tmp_path, "tool"), tmp_path, FILE)
    assert "'tool' heeds: src/a.test.ts" in command.note
    assert command.watching is None
    assert command.quietly == {"CI": "true"}


@pytest.mark.parametrize(
    ("runner", "script", "selection", "expected"),
    [
        ("mocha", "mocha -r ts-node/register 'test/**/*.ts'", ALL,
         "mocha -r ts-node/register test/**/*.ts"),
        ("mocha", "mocha -r ts-node/register 'test/**/*.ts'", Selection(path="test/a.ts"),
         "mocha -r ts-node/register test/a.ts"),
        ("mocha", "mocha -g slow test -w", Selection(name="fast"), "mocha test -g fast"),
        ("mocha", "mocha --watch --exit", ALL, "mocha --exit"),
        ("jest", "jest --watchAll --coverage -w 2", ALL, "jest -w 2"),
        ("jest", "jest --config a.js --testPathPattern b", Selection(path="c.test.js"),
         "jest --config a.js --runTestsByPath c.test.js"),
        ("vitest", "vitest run --config a.ts", ALL, "vitest run --config a.ts"),
        ("vitest", "vitest watch --ui", ALL, "vitest run"),
        ("vitest", "vitest --run --root web", ALL, "vitest run --root web"),
        ("jest", "tsc && jest --ci", ALL, "jest"),
        ("jest", "mocha --exit", ALL, "jest"),
        ("jest", "jest 'unclosed", ALL, "jest"),
        ("jest", "jest -t $NAME", ALL, "jest"),
        ("jest", "jest --ci src/**/*.js", ALL, "jest --ci"),
    ],
)  # fmt: skip
def test_options_of_the_projects_script_are_kept(tmp_path, runner, script, selection, expected):
    assert words(runner, selection, tmp_path, script) == expected


def test_variables_of_the_projects_script_are_kept(tmp_path):
    found = FoundRunner(
        "jest", tmp_path, "cross-env NODE_OPTIONS=--experimental-vm-modules TZ=UTC jest"
    )
    command = runner_command(found, tmp_path, ALL)
    assert command.argv == ("jest",)
    assert command.env == {"NODE_OPTIONS": "--experimental-vm-modules", "TZ": "UTC"}


@pytest.mark.parametrize(
    ("runner", "script", "expected"),
    [
        ("vitest", None, "vitest watch src/a.test.ts"),
        ("jest", None, "jest --watchAll --runTestsByPath src/a.test.ts"),
        ("mocha", None, "mocha --watch src/a.test.ts"),
        ("npm", "mocha", "npm test -- --watch src/a.test.ts"),
        ("npm", "react-scripts test", "npm test -- --watchAll --runTestsByPath src/a.test.ts"),
    ],
)
def test_words_for_watching(tmp_path, runner, script, expected):
    command = runner_command(FoundRunner(runner, tmp_path, script), tmp_path, FILE)
    assert " ".join(command.watching) == expected


def test_a_script_that_runs_once_does_not_watch(tmp_path):
    command = runner_command(FoundRunner("npm", tmp_path, "vitest run"), tmp_path, FILE)
    assert command.argv == ("npm", "test", "--", "src/a.test.ts")
    assert command.watching is None


def test_pytest_that_is_nowhere_does_not_watch(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin/python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    command = runner_command(FoundRunner("pytest", tmp_path), tmp_path, Selection(path="a.py"))
    assert command.argv == ("pytest", "a.py")
    assert command.watching is None


def test_pytest_watches_by_a_program_that_runs_it_again(tmp_path):
    command = runner_command(FoundRunner("pytest", tmp_path), tmp_path, Selection(path="test a.py"))
    assert command.watching[:4] == (sys.executable, "-P", "-m", "watchfiles")
    again = shlex.split(command.watching[-2])
    assert again[0].endswith("/pytest")
    assert again[1:] == ["test a.py"]


def test_local_programs_come_first(tmp_path):
    inner = tmp_path / "packages/a"
    for place in (".venv/bin/pytest", "packages/a/venv/bin/pytest"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text("")
    command = runner_command(FoundRunner("pytest", inner), tmp_path, ALL)
    assert command.first[:2] == (str(inner / "venv/bin"), str(tmp_path / ".venv/bin"))
    command = runner_command(FoundRunner("jest", inner), tmp_path, ALL)
    assert command.first[0] == str(inner / "node_modules/.bin")
    assert command.first[-1] == str(tmp_path / "node_modules/.bin")


def test_mocha_adds_the_files_of_its_settings(tmp_path):
    (tmp_path / ".mocharc.json").write_text('{"spec": ["test/**"]}')
    assert "mocharc.json" in runner_command(FoundRunner("mocha", tmp_path), tmp_path, FILE).note
    assert not runner_command(FoundRunner("mocha", tmp_path), tmp_path, NAME).note
    (tmp_path / ".mocharc.json").write_text('{"require": "special"}')
    assert not runner_command(FoundRunner("mocha", tmp_path), tmp_path, FILE).note


def test_names_behind_colons_are_for_pytest(tmp_path):
    with pytest.raises(ToolError, match="Only pytest supports"):
        words("jest", Selection(path="a.test.js", rest="x"), tmp_path)
