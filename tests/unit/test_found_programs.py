"""A project's own ``git`` or ``rg`` is no program of ours, whatever PATH says."""

import os
from pathlib import Path

import pytest

from ipuaro_jupyter.found_programs import absolute_path, found_program
from ipuaro_jupyter.workspace.git import git_program
from ipuaro_jupyter.workspace.processes.subprocesses import run

RELATIVE = ("", ".", "bin", "./node_modules/.bin")


@pytest.fixture(params=RELATIVE)
def trap(request, tmp_path, monkeypatch):
    """A project that brings programs where such an entry of PATH, which comes first, finds them."""
    folder = tmp_path / request.param
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("git", "only-here"):
        (folder / name).write_text("#!/bin/sh\ntouch ran\necho from the project\n")
        (folder / name).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([request.param, os.environ["PATH"]]))
    return tmp_path


@pytest.mark.parametrize("env", [lambda: None, git_program.environment])
def test_a_program_of_the_project_is_not_started_as_ours(trap, env):
    done = run(["git", "--version"], cwd=trap, timeout_s=20, env=env())
    assert done.stdout.startswith(b"git version")
    assert not (trap / "ran").exists()


@pytest.mark.usefixtures("trap")
def test_a_program_of_the_project_is_not_found():
    assert found_program("only-here") is None
    assert Path(found_program("git") or "").is_absolute()


@pytest.mark.parametrize("path", ["", ".", ":", "bin:./b:"])
def test_the_system_s_folders_are_searched_where_no_entry_is_left(path):
    assert absolute_path({"PATH": path}) == os.defpath
