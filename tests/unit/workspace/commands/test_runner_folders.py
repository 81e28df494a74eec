"""A runner in a subfolder asks where that has it take other files for tests."""

import os
from unittest.mock import Mock

import pytest

from ipuaro_jupyter.workspace.commands import runner_folders
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


@pytest.fixture
def linked(tmp_path):
    """Give a function that says what is odd in a project with a link to a file or folder."""
    root = tmp_path / "project"
    (root / "tests/deep").mkdir(parents=True)
    (root / "tests/test_a.py").write_text("")
    (tmp_path / "out/inner").mkdir(parents=True)
    (tmp_path / "out/test_b.py").write_text("")

    def said(link, target, command="pytest", cwd=""):
        (root / link).parent.mkdir(exist_ok=True)
        (root / link).symlink_to(target)
        return odd_settings(tuple(command.split()), root / cwd, root)

    return said


@pytest.mark.parametrize(
    ("link", "target"),
    [("tests/deep/l", "../../../out"), ("tests/test_l.py", "../../out/test_b.py")],
)
@pytest.mark.parametrize(
    "command",
    [
        *("pytest", "pytest tests", "python3 -m pytest -q tests", "pytest -k name"),
        *("jest", "vitest run", "mocha", "pytest tests/test_a.py tests"),
    ],
)
def test_a_link_that_leads_a_runner_out_is_odd(linked, link, target, command):
    assert linked(link, target, command) == [f"{link} leads out of the project"]


def test_a_conftest_that_leads_out_is_odd_for_a_file_below(linked):
    told = ["tests/conftest.py leads out of the project"]
    assert linked("tests/conftest.py", "../../out/c.py", "pytest tests/test_a.py") == told


def test_links_inside_are_followed(linked, tmp_path):
    root = tmp_path / "project"
    (root / ".kept").mkdir()
    assert linked("tests/loop", "../tests") == []
    assert linked("tests/self.py", "self.py") == []
    assert linked("node_modules/away", "../../out") == []
    assert linked("tests/kept", "../.kept") == []
    (root / "tests/deep/more").mkdir()
    assert linked("tests/deep/more/all", "../../..") == []
    (root / ".kept/shown").mkdir()
    assert linked(".kept/shown/l.py", "../../../out/l.py") == [
        ".kept/shown/l.py leads out of the project"
    ]


@pytest.mark.parametrize(
    ("link", "target", "command"),
    [
        ("latest.log", "../out/x.log", "pytest"),
        ("data", "../out", "pytest tests"),
        ("data", "../out", "pytest tests/test_a.py::test_it"),
        ("data", "../out", "tsc --noEmit"),
        (".cache", "../out", "pytest"),
        ("node_modules", "../out", "vitest run"),
    ],
)
def test_a_link_that_no_runner_collects_is_not_odd(linked, link, target, command):
    assert linked(link, target, command) == []


def test_links_of_a_virtual_environment_are_not_odd(linked, tmp_path):
    for name in ("project/env", "elsewhere"):
        for file in ("pyvenv.cfg", "bin/activate"):
            (tmp_path / name / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / file).touch()
    assert linked("env/l", "../../out") == []
    assert linked("venv", "../elsewhere") == []
    (tmp_path / "project/env/bin/activate").unlink()
    assert linked("env/other", "none") == ["env/l leads out of the project"]


def test_the_value_of_an_option_is_not_looked_into(linked):
    assert linked("data", "../out", "pytest -k .. tests") == []
    assert linked("other", "none", f"pytest -k {'long' * 99}") == ["data leads out of the project"]


def test_a_folder_that_is_closed_or_too_large(linked, monkeypatch):
    assert linked("a", "none") == []
    monkeypatch.setattr(runner_folders, "_MOST_ENTRIES", 2)
    assert linked("b", "none") == ["not all links below the project could be looked at"]
    monkeypatch.setattr(os, "scandir", Mock(side_effect=PermissionError))
    assert linked("c", "none") == []


def test_a_runner_with_odd_settings_asks(opened):
    opened.write("sub/pytest.ini", "[pytest]\npython_files = *.py\n")
    permit(opened.workspace.execution_context, "pytest", tool="bash", cwd="sub")
    (asked,) = opened.user.asked
    assert asked.reason == (
        "Asked, because python_files in sub/pytest.ini decides what its tests are."
    )
    permit(opened.workspace.execution_context, "pytest", tool="bash")
    assert len(opened.user.asked) == 1
