"""Which project a notebook is in."""

import subprocess
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import ProjectError
from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.notebook.project_offer import MANIFESTS, notebook_project, open_offered


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """A folder in no project, beside the user's home."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path


def test_the_nearest_repository_counts_before_a_nearer_manifest(outside):
    inner = outside / "app/packages/web/notebooks"
    inner.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", outside / "app"], check=True, timeout=60)
    (outside / "app/packages/web/package.json").write_text("{}")
    assert notebook_project(inner) == outside / "app"
    assert notebook_project(outside / "app") == outside / "app"
    (outside / "app/packages/.git").write_text("gitdir: ../../elsewhere")  # as a submodule has
    assert notebook_project(inner) == outside / "app/packages"


@pytest.mark.parametrize("name", MANIFESTS)
def test_without_a_repository_the_nearest_manifest_counts(outside, name):
    inner = outside / "app/notebooks"
    inner.mkdir(parents=True)
    assert notebook_project(inner) is None
    (outside / "app" / name).write_text("")
    (outside / name).write_text("")
    assert notebook_project(inner) == outside / "app"


def test_the_home_folder_and_those_above_it_are_no_project(outside):
    for one in (outside / "home", outside):
        (one / ".git").mkdir()
    (outside / "home/notes").mkdir()
    assert notebook_project(outside / "home/notes") is None
    (outside / "home/notes/pyproject.toml").write_text("")
    assert notebook_project(outside / "home/notes") == outside / "home/notes"


def test_a_link_leads_to_where_the_files_are(outside):
    (outside / "app").mkdir()
    (outside / "app/package.json").write_text("{}")
    (outside / "link").symlink_to(outside / "app")
    assert notebook_project(outside / "link") == Path(outside / "app")


def test_where_the_folder_has_gone_no_project_is_open(outside, monkeypatch):
    (outside / "gone").mkdir()
    monkeypatch.chdir(outside / "gone")
    (outside / "gone").rmdir()
    project = OpenProject()
    with pytest.raises(ProjectError, match=r"Run %ipuaro start PATH first\."):
        open_offered(project, CellThread(lambda _: None))
