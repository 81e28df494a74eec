"""A model whose edits are applied unseen gets no code of its own to run without a question."""

import json
import os
import sys
from pathlib import Path

import pytest

EVIL = "open('ran', 'w').close()\n"
EVIL_JS = "require('fs').writeFileSync('ran', '')\n"


@pytest.fixture
def model_calls(make_project, open_assistant, monkeypatch):
    """Give a function that makes the calls of a model, and says which questions were rejected."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    scripts = {"test": "node --test", "lint": "eslint ."}
    root = make_project(
        {
            "src/sum.py": "def total(items):\n    return sum(items)\n",
            "tests/test_sum.py": "from src.sum import total\n\n\ndef test_it():\n    total([])\n",
            "package.json": json.dumps({"scripts": scripts}),
        }
    )
    asked = []
    assistant = open_assistant(
        root, [], auto_apply=True, confirm=lambda told: bool(asked.append(told))
    )

    def call(*calls):
        for tool, arguments in calls:
            assistant.call(tool, arguments)
        assert not (root / "ran").exists()
        return [each.reason for each in asked]

    return call


def create(path, content=EVIL):
    return ("create_file", {"path": path, "content": content})


def run(command):
    return ("run_command", {"command": command})


@pytest.mark.parametrize(
    ("path", "content", "command"),
    [
        ("conftest.py", EVIL, "pytest --help"),
        ("conftest.py", EVIL, "pytest --version"),
        ("tests/conftest.py", EVIL, "pytest"),
        ("pytest.py", EVIL, "python -m pytest"),
        ("test_wipe.py", EVIL, "pytest"),
        ("wipe.py", EVIL, "pytest wipe.py"),
        ("tests/wipe_test.py", EVIL, "pytest tests/wipe_test.py"),
        ("sitecustomize.py", EVIL, "python -m pytest"),
        ("sum.test.js", EVIL_JS, "npm test"),
        ("eslint.config.js", EVIL_JS, "npm run lint"),
        (".mocharc.js", EVIL_JS, "mocha --version"),
        ("prettier.config.js", EVIL_JS, "prettier --check ."),
        ("jest.setup.js", EVIL_JS, "jest"),
        ("vitest.config.mjs", EVIL_JS, "vitest run"),
    ],
)
def test_a_file_that_a_runner_would_load_asks(model_calls, path, content, command):
    assert path in model_calls(create(path, content), run(command))[-1]


def test_a_source_that_the_tests_import_asks(model_calls):
    change = {"path": "src/sum.py", "start": 1, "end": 1, "content": f"{EVIL}def total(items):"}
    for each in (run("pytest"), ("run_tests", {}), ("bash", {"command": "pytest -q tests"})):
        assert "src/sum.py" in model_calls(("edit_lines", change), each)[-1]


def test_a_test_of_its_own_that_run_tests_would_collect_asks(model_calls):
    call = ("run_tests", {"path": "tests/test_wipe.py"})
    assert "tests/test_wipe.py" in model_calls(create("tests/test_wipe.py"), call)[-1]


def test_without_such_files_nothing_asks(model_calls):
    assert model_calls(run("git --version"), run("pytest -q tests"), run("node --version")) == []
