"""``ipuaro forget``."""

import json

import pytest

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.store.user_folders import home
from ipuaro_jupyter.workspace.changes import write_ahead
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry, UndoneStep
from ipuaro_jupyter.workspace.changes.write_ahead import Intent


@pytest.fixture
def known(ipuaro):
    """Return a function that returns the sizes of the projects of the server, by folder."""

    def sizes():
        listed = json.loads(ipuaro("forget", "--json").stdout)
        return {one["root"]: one["sizeBytes"] for one in listed}

    return sizes


@pytest.fixture
def project(ipuaro, make_project):
    root = make_project({"src/a.ts": "export const a = 1\n"})
    assert ipuaro("index", root).returncode == 0
    return root


def test_a_project_is_listed_and_dropped_and_its_files_stay(ipuaro, known, project):
    assert known()[str(project)] > 0
    done = ipuaro("forget", project, "--yes")
    assert done.returncode == 0, done.stderr
    assert str(project) not in known()
    store = connect(StoreSettings())
    try:
        assert list(store.scan(Keys(project_id(project)).pattern)) == []
    finally:
        store.close()
    assert (project / "src/a.ts").exists()


def test_a_folder_that_is_gone_can_be_forgotten(ipuaro, known, project):
    moved = project.rename(project.with_name("elsewhere"))
    assert ipuaro("forget", project, "--yes").returncode == 0
    assert str(project) not in known()
    assert moved.is_dir()


def test_the_journals_of_its_changes_go_too(ipuaro, project):
    folder = home() / "journals" / project_id(project)
    folder.mkdir(parents=True)
    (folder / "x.journal").write_bytes(b"nonsense")
    done = ipuaro("forget", project, "--yes")
    assert "cannot be read" in done.stderr
    assert folder.exists()
    project.rename(project.with_name("elsewhere"))
    assert ipuaro("forget", project, "--yes").returncode == 0
    assert not folder.exists()


def test_an_interrupted_change_is_put_right_before_it_is_forgotten(ipuaro, project):
    change = Change(
        path="src/a.ts", before=b"1\n", after=(project / "src/a.ts").read_bytes(), mode=0o644
    )
    other = Change(path="src/b.ts", before=b"1\n", after=b"2\n", mode=0o644)
    (project / "src/b.ts").write_bytes(b"1\n")
    entry = UndoEntry(change=change, others=(other,), id="one")
    step = UndoneStep(entries=(entry,))
    modes = {"src/a.ts": 0o644, "src/b.ts": 0o644}
    write_ahead.begin(project, Intent(act="apply", session="s", step=step, modes=modes)).leave()
    done = ipuaro("forget", project, "--yes")
    assert done.returncode == 0, done.stderr
    assert "interrupted" in done.stderr
    assert (project / "src/a.ts").read_text() == "1\n"
    assert write_ahead.left(project) == []


def test_without_yes_and_without_a_terminal_nothing_is_dropped(ipuaro, known, project):
    done = ipuaro("forget", project)
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert str(project) in known()


def test_what_was_never_opened_is_told(ipuaro, tmp_path):
    done = ipuaro("forget", tmp_path, "--yes")
    assert done.returncode == 2
    assert "holds nothing of" in done.stderr


def test_the_list_says_when_each_was_opened(ipuaro, project):
    (line,) = [line for line in ipuaro("forget").stdout.splitlines() if str(project) in line]
    assert line.endswith(f"MB  {project}")


def test_a_project_is_dropped_only_when_it_is_named(ipuaro):
    done = ipuaro("forget", "--yes")
    assert done.returncode == 2
    assert "Name the project to drop" in done.stderr
