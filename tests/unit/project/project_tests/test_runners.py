import json
import os

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.project_tests.runners import find_runner
from ipuaro_jupyter.project.project_tests.settings_files import names_in, text_of


def package(**content):
    return json.dumps({"name": "x", **content})


@pytest.fixture
def found(opened):
    """Give a function that writes files, and says which runner and folder are found."""

    def find(files, target=""):
        for path, text in files.items():
            opened.write(path, text)
        result = find_runner(opened.workspace, target)
        folder = result.folder.relative_to(opened.root).as_posix()
        return result.runner, "" if folder == "." else folder

    return find


@pytest.mark.parametrize(
    ("files", "runner"),
    [
        ({"vitest.config.ts": "", "jest.config.js": ""}, "vitest"),
        (
            {"vitest.config.mts": "", "package.json": package(devDependencies={"jest": "1"})},
            "vitest",
        ),
        ({"vitest.workspace.ts": ""}, "vitest"),
        ({"jest.config.cjs": "", "package.json": package(devDependencies={"vitest": "1"})}, "jest"),
        ({"package.json": package(jest={}, devDependencies={"mocha": "1"})}, "jest"),
        ({".mocharc.yml": ""}, "mocha"),
        ({"package.json": package(mocha={"spec": "x"})}, "mocha"),
        ({"package.json": package(devDependencies={"vitest": "1", "jest": "1"})}, "vitest"),
        ({"package.json": package(dependencies={"jest-cli": "1"})}, "jest"),
        ({"package.json": package(devDependencies={"mocha": "1"})}, "mocha"),
        (
            {
                "package.json": package(
                    devDependencies={"vitest": "1", "jest": "1"},
                    scripts={"test": "NODE_OPTIONS=--x jest"},
                )
            },
            "jest",
        ),
        ({"package.json": package(scripts={"test": "node t.js"})}, "npm"),
        ({"package.json": package(scripts={"test": "vitest run"})}, "npm"),
        ({"vitest.config.ts.bak": "", "package.json": package(scripts={"test": "x"})}, "npm"),
        ({"package.json": package(scripts={"test": "x"}), "pytest.ini": ""}, "npm"),
        ({"pytest.ini": ""}, "pytest"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "pytest"),
        ({"pyproject.toml": '[project]\ndependencies = ["pytest>=8"]\n'}, "pytest"),
        ({"pyproject.toml": '[dependency-groups]\ntest = ["pytest-cov[toml]"]\n'}, "pytest"),
        ({"pyproject.toml": '[tool.poetry.group.dev.dependencies]\npytest = "^8"\n'}, "pytest"),
        ({"Pipfile": '[dev-packages]\npytest = "*"\n'}, "pytest"),
        ({"setup.cfg": "[tool:pytest]\naddopts = -q\n"}, "pytest"),
        ({"setup.cfg": "[options.extras_require]\ntest =\n    pytest>=8\n"}, "pytest"),
        ({"setup.py": "setup(extras_require={'test': ['pytest']})"}, "pytest"),
        ({"tox.ini": "[pytest]\n"}, "pytest"),
        ({"requirements-dev.txt": "ruff\npytest==8.0\n", "requirements.txt": ""}, "pytest"),
        ({"conftest.py": ""}, "pytest"),
        ({"tests/conftest.py": ""}, "pytest"),
        ({"setup.py": "", "tests/test_a.py": ""}, "pytest"),
        ({"package.json": "{", "pytest.ini": ""}, "pytest"),
        ({"pyproject.toml": "broken [", "setup.cfg": "[tool:pytest]\n"}, "pytest"),
    ],
)
def test_runner_of_a_project(found, files, runner):
    assert found(files) == (runner, "")


@pytest.mark.parametrize(
    "files",
    [
        {"a.ts": ""},
        {"package.json": "{"},
        {"package.json": "[]"},
        {"package.json": package(scripts=["test"], devDependencies=["vitest"])},
        {"package.json": package(scripts={"test": 1})},
        {"package.json": package(scripts={"test": 'echo "Error: no test specified" && exit 1'})},
        {"pyproject.toml": '[project]\ndependencies = ["pytester"]\n'},
        {"setup.cfg": "no section\n"},
        {"requirements.txt": "mypytest\n"},
        {"vitest.config.ts.bak": ""},
    ],
)
def test_no_runner(found, files):
    with pytest.raises(ToolError, match="No test runner was found") as caught:
        found(files)
    assert (caught.value.type, caught.value.recoverable) == ("command", True)


def test_broken_package_json_is_named(found):
    with pytest.raises(ToolError, match="could not be read as JSON"):
        found({"package.json": "{"})


def test_nearest_folder_counts(found):
    files = {
        "package.json": package(devDependencies={"vitest": "1"}),
        "packages/a/package.json": package(scripts={"test": "mocha"}),
        "packages/a/src/x.test.js": "",
        "packages/b/package.json": package(),
        "packages/b/x.test.js": "",
    }
    assert found(files, "packages/a/src/x.test.js") == ("npm", "packages/a")
    assert found({}, "packages/a") == ("npm", "packages/a")
    assert found({}, "packages/b/x.test.js") == ("vitest", "")
    assert found({}) == ("vitest", "")


def test_language_of_the_path_counts(found):
    files = {
        "package.json": package(devDependencies={"vitest": "1"}),
        "web/a.test.ts": "",
        "server/pyproject.toml": "[tool.pytest.ini_options]\n",
        "server/tests/test_a.py": "",
        "server/tests/conftest.py": "",
        "server/tests/data.json": "",
    }
    assert found(files, "server/tests/test_a.py") == ("pytest", "server")
    assert found({}, "server/tests") == ("pytest", "server")
    assert found({}, "web") == ("vitest", "")
    assert found({}, "web/a.test.ts") == ("vitest", "")
    assert found({}, "server/tests/data.json") == ("vitest", "")


def test_a_folder_of_both_languages_or_of_none_says_nothing(found):
    files = {
        "package.json": package(devDependencies={"vitest": "1"}),
        "both/a.test.ts": "",
        "both/test_a.py": "",
        "none/a.ts": "",
    }
    assert found(files, "both") == ("vitest", "")
    assert found({}, "none") == ("vitest", "")


def test_other_runners_are_told(opened):
    opened.write("package.json", package(scripts={"test": "node t.js"}))
    opened.write("pytest.ini", "")
    assert find_runner(opened.workspace, "").others == ("pytest",)


def test_python_test_without_any_sign_is_for_pytest(found):
    assert found({"checks/test_a.py": ""}, "checks/test_a.py") == ("pytest", "")
    with pytest.raises(ToolError):
        found({"checks/a.py": ""}, "checks/a.py")


def test_settings_that_cannot_be_read_say_nothing(tmp_path, monkeypatch):
    (tmp_path / "pytest.ini").write_text("[pytest]")
    assert text_of(tmp_path / "pytest.ini") == "[pytest]"

    def refused(*_arguments, **_options):
        raise PermissionError

    monkeypatch.setattr(os, "open", refused)
    assert text_of(tmp_path / "pytest.ini") == ""


def test_folder_that_has_gone_has_no_names(tmp_path):
    (tmp_path / "a.py").touch()
    (tmp_path / "sub").mkdir()
    assert names_in(tmp_path) == {"a.py"}
    assert names_in(tmp_path / "none") == set()
