"""Packages opened as the roots of one project give the answers that their workspace gives."""

import json
import shutil
import subprocess
import zlib
from importlib.util import find_spec
from pathlib import Path

import pytest

MONOREPO = ("@tanstack/query-core@5.90.2", "@tanstack/react-query@5.90.2")  # both with sources
PYTHON = ("jupyter_client", "jupyter_core")
MANIFEST = {"private": True, "workspaces": ["query-core", "react-query"]}
ONE_IN = 3  # names that are compared; those of a file are many


@pytest.fixture
def workspace(tmp_path):
    """Packages of npm, unpacked as the members of a workspace."""
    whole = tmp_path / "whole"
    for package in MONOREPO:
        name = package.rpartition("@")[0].rpartition("/")[2]
        (whole / name).mkdir(parents=True)
        for source in ("--prefer-offline", "--prefer-online"):
            done = subprocess.run(
                ["npm", "pack", "--silent", source, package],
                cwd=whole,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            if done.returncode == 0:
                break
        assert done.returncode == 0, done.stderr
        archive = whole / done.stdout.split()[-1]
        subprocess.run(
            ["tar", "-xzf", archive, "--strip-components=1", "-C", whole / name], check=True
        )
        archive.unlink()
        shutil.rmtree(whole / name / "build")
    (whole / "package.json").write_text(json.dumps(MANIFEST))
    return whole


@pytest.fixture
def python_pair(tmp_path):
    """Two real packages of Python, each in a folder with its configuration."""
    whole = tmp_path / "whole"
    for name in PYTHON:
        source = Path(find_spec(name).origin).parent
        shutil.copytree(
            source, whole / name / "src" / name, ignore=shutil.ignore_patterns("__pycache__")
        )
        (whole / name / "pyproject.toml").write_text(
            f'[project]\nname = "{name}"\n[tool.setuptools.packages.find]\nwhere = ["src"]\n'
        )
    return whole


def answers(assistant):
    """What is known of every file and name, but for the file that makes the workspace one."""
    files = {one["path"]: one for one in assistant.dump() if one["path"] != "package.json"}
    told = {path: (one["imports"], one.get("exports")) for path, one in files.items()}
    for path in files:
        for tool in ("get_dependents", "get_dependencies"):
            told[tool, path] = assistant.call(tool, {"path": path}).to_dict()
    for name in assistant.known_symbols("", limit=100_000):
        if zlib.crc32(name.encode()) % ONE_IN == 0 and name not in MANIFEST:
            found = assistant.call("find_references", {"symbol": name}).to_dict()
            told["references", name] = found
    return json.loads(json.dumps(sorted((str(key), value) for key, value in told.items())))


def crossing(told, importer, target):
    """How many answers about a file of one package name one of another."""
    return sum(f"{target}/" in json.dumps(value) for key, value in told if importer in key)


def compared(open_assistant, whole, apart, names):
    """The answers of a workspace, which two roots have given too, wherever they lie."""
    with open_assistant(whole, []) as assistant:
        one = answers(assistant)
    with open_assistant([whole / name for name in names], []) as assistant:
        assert answers(assistant) == one
    folders = []
    for name in names:
        folders.append(apart / f"of-{name}" / name)
        shutil.copytree(whole / name, folders[-1])
    with open_assistant(folders, []) as assistant:
        assert answers(assistant) == one
    return one


@pytest.mark.npm
def test_two_packages_of_a_workspace_are_the_same_as_two_roots(open_assistant, workspace, tmp_path):
    names = ("query-core", "react-query")
    told = compared(open_assistant, workspace, tmp_path / "apart", names)
    assert crossing(told, "react-query/src", "query-core") > 20


def test_two_packages_of_python_are_the_same_as_two_roots(open_assistant, python_pair, tmp_path):
    told = compared(open_assistant, python_pair, tmp_path / "apart", PYTHON)
    assert crossing(told, "jupyter_client", "jupyter_core/src") > 5
