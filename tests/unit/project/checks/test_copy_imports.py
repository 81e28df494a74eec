"""A Python that starts for a copy imports the copy, or what it has imported instead is known."""

import os
import subprocess
import sys

import pytest

from ipuaro_jupyter.project.checks.copy_imports import CopyImports, SeenImports
from ipuaro_jupyter.project.checks.python_start.sitecustomize import Places
from ipuaro_jupyter.records.change import Change

SHOW = "import mypkg.part; print(mypkg.part.__file__)"
PART = "lib/mypkg/part.py"


@pytest.fixture
def places(tmp_path):
    """Give a project and its copy: a package in ``lib``, and something that git ignores."""
    for name in ("project", "copy"):
        for path in ("mypkg/__init__.py", "mypkg/part.py"):
            place = tmp_path / name / "lib" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("")
    (tmp_path / "project/lib/mypkg/_version.py").write_text("version = 1\n")
    return tmp_path / "project", tmp_path / "copy"


@pytest.fixture
def run(places):
    """Give a function that runs code for the copy, and returns its last line and what is known."""

    def run(code, *paths, gone=False, lead=True):
        imports = CopyImports(*places)
        imports.begin([Change(path=PART, before=b"", after=None if gone else b"1")])
        own = [imports.folder] if lead else []
        path = os.pathsep.join(map(str, [*own, *(paths or [places[0] / "lib"])]))
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, capture_output=True, env={"PYTHONPATH": path}, text=True, check=False
        )
        assert "Error in sitecustomize" not in done.stderr, done.stderr
        return (done.stdout or done.stderr).strip().split("\n")[-1], imports.seen()

    return run


def finding(loader="None"):
    """Return code that has another finder find the project's package, as setuptools' does."""
    return f"""\
import importlib.util, os, sys
class Loader:
    def create_module(self, spec): return None
    def exec_module(self, module): module.__file__ = FILE
class Finder:
    def find_spec(self, name, path, target):
        if name == "mypkg":
            return importlib.util.spec_from_file_location(
                name, FILE, loader={loader}, submodule_search_locations=[os.path.dirname(FILE)])
sys.meta_path.append(Finder())
"""


def test_a_path_into_the_project_leads_to_the_copy(places, run):
    shown, seen = run(SHOW)
    assert shown == str(places[1] / PART)
    assert seen == SeenImports(has_started=True, loaded=frozenset({PART}), project=(), elsewhere={})
    assert seen.problem == ""


def test_a_link_into_the_project_leads_to_the_copy(places, run, tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site/mypkg").symlink_to(places[0] / "lib/mypkg")
    shown, seen = run(SHOW, tmp_path / "site")
    assert shown == str(places[1] / PART)
    assert seen.problem == ""


def test_a_finder_that_leads_to_the_project_is_led_to_the_copy(places, run, tmp_path):
    file = places[0] / "lib/mypkg/__init__.py"
    shown, seen = run(f"FILE = {str(file)!r}\n{finding()}{SHOW}", tmp_path)
    assert shown == str(places[1] / PART)
    assert seen.problem == ""


def test_what_a_loader_of_its_own_loads_from_the_project_is_told(places, run, tmp_path):
    file = places[0] / "lib/mypkg/__init__.py"
    _, seen = run(f"FILE = {str(file)!r}\n{finding('Loader()')}import mypkg", tmp_path)
    assert seen.problem == f"not the copy's, but the project's own {file} was run"


def test_a_deleted_module_is_not_found_in_the_project(places, run):
    (places[1] / PART).unlink()
    shown, seen = run(SHOW, gone=True)
    assert shown == "ModuleNotFoundError: No module named 'mypkg.part'"
    assert seen.problem == ""


def test_what_git_ignores_is_copied_when_it_is_imported(places, run):
    shown, _ = run("import mypkg._version; print(mypkg._version.__file__)")
    assert shown == str(places[1] / "lib/mypkg/_version.py")
    assert (places[1] / "lib/mypkg/_version.py").read_text() == "version = 1\n"


def test_an_installed_package_in_place_of_the_changed_one_is_told(places, run):
    installed = places[0] / ".venv/lib/site-packages/mypkg"
    installed.mkdir(parents=True)
    for name in ("__init__.py", "part.py"):
        (installed / name).write_text("")
    shown, seen = run(SHOW, installed.parent)
    assert shown == str(installed / "part.py")
    told = f"not {PART}, but {installed / 'part.py'} was run, where the package is installed"
    assert seen.problem == told


def test_environments_in_the_project_are_left_alone(places, run):
    environment = places[0] / "env"
    (environment / "lib/other").mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text("")
    (environment / "lib/other/__init__.py").write_text("")
    shown, seen = run("import other; print(other.__file__)", environment / "lib")
    assert shown == str(environment / "lib/other/__init__.py")
    assert seen.problem == ""


def test_a_python_that_cannot_be_led_is_told(run):
    _, seen = run("print(1)", lead=False)
    assert "did not say" in seen.problem


def test_another_sitecustomize_runs_too(run, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.mark = 'mine'\n")
    assert run("import sys; print(sys.mark)", tmp_path)[0] == "mine"


def test_metadata_beside_the_package_is_found(places, run):
    folder = places[0] / "lib/mypkg.egg-info"
    folder.mkdir()
    (folder / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: mypkg\nVersion: 7\n")
    code = "from importlib.metadata import version; print(version('mypkg'))"
    assert run(code)[0] == "7"


def test_a_copy_within_the_project_leads_nowhere_else(places, tmp_path):
    told = {"gone": [], "changed": [PART, "lib/mypkg/__init__.py", "top.py"]}
    inner = Places(str(tmp_path), str(places[1]), **told)
    assert inner.in_copy(str(places[1] / PART)) is None
    assert inner.in_copy(str(places[0] / PART)) == str(places[1] / "project" / PART)
    assert list(inner.changed.values()) == ["mypkg.part", "mypkg", "top"]
