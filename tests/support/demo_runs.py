"""The demo, run from the command line."""

import os
import subprocess
import sys

import nbformat
import pytest

DEMO = [sys.executable, "-m", "ipuaro_jupyter.cli", "demo"]


def run_demo(*arguments, cwd, env=None):
    return subprocess.run(
        [*DEMO, *map(str, arguments)],
        cwd=cwd,
        env=os.environ | (env or {}),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def told(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def cells_of(path):
    return nbformat.read(path, as_version=4).cells


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The folder of a demo that ran once in an empty folder, and what it printed."""
    folder = tmp_path_factory.mktemp("empty")
    return folder, told(run_demo(cwd=folder))
