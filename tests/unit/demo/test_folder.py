import os
from pathlib import Path

import pytest

from ipuaro_jupyter.demo import prepare
from ipuaro_jupyter.demo.demo_repository import changed_files, git
from ipuaro_jupyter.demo.folder import APP, MARKER, RECORDING, choose_folder
from ipuaro_jupyter.errors import ProjectError


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_default_is_a_folder_in_the_current_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert choose_folder(None).path == tmp_path / "ipuaro-demo"
    assert choose_folder(None).path == tmp_path / "ipuaro-demo"


def test_a_default_folder_of_somebody_else_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ipuaro-demo").mkdir()
    (tmp_path / "ipuaro-demo" / "thesis.tex").write_text("mine")
    assert choose_folder(None).path == tmp_path / "ipuaro-demo-2"
    assert names(tmp_path / "ipuaro-demo") == ["thesis.tex"]


def test_a_named_folder_of_somebody_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(ProjectError, match="was not made by the demo"):
        choose_folder(tmp_path)
    assert names(tmp_path) == ["thesis.tex"]


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ProjectError, match=r"file' exists"):
        choose_folder(tmp_path / "file")


def test_an_empty_folder_is_used(tmp_path):
    assert choose_folder(tmp_path).path == tmp_path


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ProjectError, match="cannot be written"):
        choose_folder(tmp_path / "file" / "below")


def test_a_filled_folder_has_a_committed_application(tmp_path):
    folder = choose_folder(tmp_path / "demo")
    folder.fill()
    assert names(folder.path) == [MARKER, APP, RECORDING]
    assert (folder.app / "src" / "auth" / "login.ts").is_file()
    assert changed_files(folder.app) == ()


def test_an_unchanged_application_stays(tmp_path):
    """What git ignores, such as installed packages, stays with it."""
    folder = choose_folder(tmp_path / "demo")
    folder.fill()
    (folder.app / "node_modules").mkdir()
    commit = git(folder.app, "rev-parse", "HEAD")
    again = choose_folder(tmp_path / "demo")
    again.fill()
    assert git(again.app, "rev-parse", "HEAD") == commit
    assert (again.app / "node_modules").is_dir()
    assert again.kept == []


def test_a_changed_application_is_put_aside(tmp_path):
    choose_folder(tmp_path / "demo").fill()
    main = tmp_path / "demo" / APP / "src" / "main.ts"
    main.write_text("// mine\n")
    again = choose_folder(tmp_path / "demo")
    again.fill()
    assert again.kept == [f"{APP}-1"]
    assert (again.path / f"{APP}-1" / "src" / "main.ts").read_text() == "// mine\n"
    assert changed_files(again.app) == ()


def test_a_changed_file_is_put_aside_and_an_unchanged_one_is_replaced(tmp_path):
    folder = choose_folder(tmp_path / "demo")
    folder.write("quickstart.ipynb", b"first")
    folder.write("quickstart.ipynb", b"second")
    assert folder.kept == []
    folder.notebook.write_bytes(b"mine")
    again = choose_folder(tmp_path / "demo")
    again.write("quickstart.ipynb", b"third")
    assert again.kept == ["quickstart-1.ipynb"]
    assert (again.path / "quickstart-1.ipynb").read_bytes() == b"mine"
    assert again.notebook.read_bytes() == b"third"


def test_files_follow_the_umask(tmp_path):
    folder = choose_folder(tmp_path / "demo")
    before = os.umask(0o027)
    try:
        folder.fill()
    finally:
        os.umask(before)
    assert (folder.path / RECORDING).stat().st_mode & 0o777 == 0o640
    assert folder.app.stat().st_mode & 0o777 == 0o750


def test_a_notebook_elsewhere_gets_a_temporary_copy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = prepare()
    assert (made / APP / "package.json").is_file()
    assert (made / RECORDING).is_file()
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_in_the_demos_folder_uses_what_is_there(tmp_path, monkeypatch):
    choose_folder(tmp_path / "demo").fill()
    monkeypatch.chdir(tmp_path / "demo")
    assert prepare() == Path.cwd()
