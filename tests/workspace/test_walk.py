"""A folder without git is walked as far as it can be read."""

import shutil

from ipuaro_jupyter.workspace import walk
from ipuaro_jupyter.workspace.walk import walked_files
from ipuaro_jupyter.workspace.watched_folders import _walked


def test_folder_that_goes_away_meanwhile_is_named(make_project):
    root = make_project({"a.ts": "", "sub/b.ts": ""})
    unreadable = {}
    walked = walked_files(str(root), unreadable)
    assert next(walked) == "a.ts"
    shutil.rmtree(root / "sub")
    assert list(walked) == []
    assert unreadable == {"sub": "unreadable: No such file or directory"}


def test_rules_that_cannot_be_read_are_none(make_project, monkeypatch):
    root = make_project({"a.log": "", ".gitignore": "*.log\n"})
    assert set(walked_files(str(root), {})) == {".gitignore"}

    def refused(*_arguments, **_options):
        raise PermissionError

    monkeypatch.setattr(walk, "open", refused, raising=False)
    assert set(walked_files(str(root), {})) == {".gitignore", "a.log"}


def test_folder_that_has_gone_is_not_watched(tmp_path):
    assert _walked(str(tmp_path / "none"), ()) == []
