"""A runner in a subfolder asks where that has it take other files for tests."""

import pytest

from ipuaro_jupyter.workspace.commands.runner_folders import odd_settings
from ipuaro_jupyter.workspace.permission import permit


@pytest.fixture
def odd(tmp_path):
    """Give a function that writes files, and says what is odd about a command in a folder."""

    def said(files, command, cwd=""):
        for path, text in {"sub/deep/a.py": "", **files}.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return odd_settings(tuple(command.split()), tmp_path / cwd, tmp_path)

    return said


@pytest.mark.parametrize(
    ("file", "text", "key"),
    [
        ("pytest.ini", "[pytest]\npython_files = *.py\n", "python_files"),
        (".pytest.ini", "[pytest]\naddopts = -q --doctest-modules\n", "addopts"),
        ("tox.ini", "[pytest]\naddopts = -p plugin\n", "addopts"),
        ("setup.cfg", "[tool:pytest]\ntestpaths = deploy.py\n", "testpaths"),
        ("setup.cfg", "[tool:pytest]\ntestpaths = ../../other\n", "testpaths"),
        ("pyproject.toml", "[tool.pytest.ini_options]\npython_files = ['*.py']\n", "python_files"),
        ("pyproject.toml", "[tool.pytest]\naddopts = ['-pplugin']\n", "addopts"),
        ("pytest.toml", "[pytest]\npython_files = ['run_*.py']\n", "python_files"),
        ("pyproject.toml", "[tool\n", "what cannot be read"),
        ("pytest.ini", "python_files\n", "what cannot be read"),
    ],
)
@pytest.mark.parametrize(
    "where",
    [("pytest", "sub"), ("pytest -q", "sub/deep"), ("pytest sub", ""), ("python -m pytest", "sub")],
)
def test_other_settings_of_pytest_are_odd(odd, file, text, key, where):
    told = odd({f"sub/{file}": text}, *where)
    assert told == [f"{key} in sub/{file} decides what its tests are"]


@pytest.mark.parametrize(
    "files",
    [
        {"pytest.ini": "[pytest]\npython_files = *.py\n"},
        {"sub/pytest.ini": "[pytest]\naddopts = -ra -q\nmarkers = slow\n"},
        {"sub/pytest.ini": "[other]\npython_files = *.py\n"},
        {"sub/pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['tests']\naddopts = 1\n"},
        {"sub/pyproject.toml": "tool = 1\n"},
        {"sub/setup.cfg": "[tool:pytest]\npython_files = test_*.py *_tests.py\n"},
        {"sub/conftest.py": ""},
    ],
)
def test_usual_settings_of_pytest_are_not_odd(odd, files):
    for command, cwd in (("pytest", "sub"), ("pytest sub/deep/a.py none.py", "")):
        assert odd(files, command, cwd) == []


def test_settings_for_a_named_test_count(odd):
    files = {"sub/pytest.ini": "[pytest]\naddopts = -p x\n", "sub/test_a.py": ""}
    assert odd(files, "pytest sub/test_a.py::test_it") != []
    assert odd(files, "pytest", "sub/deep") != []
    assert odd(files, "pytest /etc/hosts") == []


def test_settings_of_mocha_outside_of_a_package_are_odd(odd):
    files = {"sub/.mocharc.js": "", "package.json": "{}"}
    for cwd in ("sub", "sub/deep"):
        assert odd(files, "mocha", cwd) == ["sub/.mocharc.js decides what its tests are"]
    assert odd(files, "mocha") == []
    assert odd({"sub/package.json": "{}"}, "mocha", "sub") == []


@pytest.mark.parametrize(
    ("runner", "file"), [("jest", "jest.config.js"), ("vitest run", "vite.config.ts")]
)
def test_others_have_a_package_where_their_settings_are(odd, runner, file):
    assert odd({f"sub/{file}": "", "package.json": "{}"}, runner, "sub") == []


def test_mocha_collects_the_folder_named_test_of_a_package_only(odd):
    (told,) = odd({"package.json": "{}"}, "mocha test/deploy.js", "sub")
    assert told == "sub is not where the package's tests are collected"
    assert odd({}, "jest", "sub") == []
    assert odd({}, "mocha test/deploy.js") == []


@pytest.mark.parametrize("command", ["git status", "tsc --noEmit", "npm test"])
def test_no_runner_is_never_odd(odd, command):
    assert odd({"sub/pytest.ini": "[pytest]\npython_files = *.py\n"}, command, "sub") == []


def test_a_runner_with_odd_settings_asks(opened):
    opened.write("sub/pytest.ini", "[pytest]\npython_files = *.py\n")
    permit(opened.workspace.execution_context, "pytest", tool="bash", cwd="sub")
    (asked,) = opened.user.asked
    assert asked.reason == (
        "Asked, because python_files in sub/pytest.ini decides what its tests are."
    )
    permit(opened.workspace.execution_context, "pytest", tool="bash")
    assert len(opened.user.asked) == 1
