"""A package is installed in place by a real pip: a check runs the code of the copy, or says so."""

import subprocess
import sys

import pytest
from check_conditions import agreed
from folder_states import snapshot

from ipuaro_jupyter.project.checks.check_plan import check_plan
from ipuaro_jupyter.project.checks.check_run import run_check
from ipuaro_jupyter.records.change import Change

pytestmark = pytest.mark.slow

BUILT = """\
[build-system]
requires = ["setuptools>=70.1"]
build-backend = "setuptools.build_meta"

[project]
name = "mypkg"
version = "1"

[tool.pytest.ini_options]
testpaths = ["tests"]

[tool.setuptools]
packages = ["mypkg"]
package-dir = {"mypkg" = "%s"}
"""
STRICT = ("--config-settings", "editable_mode=strict", "-e")
TEST = "from mypkg.core import double\n\n\ndef test_it():\n    assert double(2) == 4\n"
LAYOUTS = {
    "beside": ("mypkg", ("-e",)),
    "in another folder": ("lib/mypkg", ("-e",)),
    "under another name": ("python/code", ("-e",)),
    "by links": ("lib/mypkg", STRICT),
    "not in place": ("lib/mypkg", ()),
}


@pytest.fixture(params=LAYOUTS)
def installed(request, opened):
    """Give a project with its own environment, the folder of its package, and the layout."""
    folder, words = LAYOUTS[request.param]
    opened.write("pyproject.toml", BUILT % folder)
    opened.write(f"{folder}/__init__.py", "")
    opened.write(f"{folder}/core.py", "def double(n):\n    return 2 * n\n")
    opened.write("tests/test_core.py", TEST)
    opened.write(".gitignore", ".venv\n*.egg-info\nbuild\n__pycache__\n")
    root = opened.root
    subprocess.run([sys.executable, "-m", "venv", root / ".venv"], check=True, timeout=120)
    for some in (("pytest",), (*words, ".")):
        command = [root / ".venv/bin/python", "-m", "pip", "install", "--quiet", *some]
        done = subprocess.run(command, cwd=root, capture_output=True, check=False, timeout=240)
        if done.returncode:
            pytest.skip(f"pip cannot install: {done.stderr.decode()[-200:]}")
    return opened, f"{folder}/core.py", request.param


def test_the_copy_is_tested_or_it_is_told_that_it_is_not(installed):
    opened, path, layout = installed
    before, text = snapshot(opened.root), (opened.root / path).read_text()
    conditions = agreed(opened.workspace)
    for returned, verdict in (("n + n", "passed"), ("n + 1", "failed")):
        after = text.replace("2 * n", returned)
        change = Change(path=path, before=text.encode(), after=after.encode())
        plan = check_plan(opened.workspace, [change], {path: ["tests/test_core.py"]})
        report = run_check(plan, [change], conditions)
        if layout == "not in place":
            assert report.verdict == "unknown"
            assert f"tests: not {path}, but " in report.lines[0]
        else:
            assert report.verdict == verdict, report.lines
    assert snapshot(opened.root) == before
