"""A folder without git is walked as far as it can be read."""

import shutil

import pytest

from ipuaro_jupyter.workspace.files import walk
from ipuaro_jupyter.workspace.files.walk import walked_files
from ipuaro_jupyter.workspace.files.watch import _walked, watched_folders


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

    monkeypatch.setattr(walk, "read_small", refused)
    assert set(walked_files(str(root), {})) == {".gitignore", "a.log"}


def test_folder_that_has_gone_is_not_watched(tmp_path):
    assert _walked(str(tmp_path / "none"), (), ()) == []


def test_folders_are_watched_that_are_not_ignored(git):
    git.write(".gitignore", "out/\ndeep/no/\n")
    for path in ("src/a.ts", "deep/no/b.ts", "deep/yes/c.ts", "out/d.ts", "node_modules/e/f.js"):
        git.write(path, "x")
    (git.root / "empty").mkdir()
    files = ["src/a.ts", "out/kept/g.ts"]
    expected = {"", "src", "deep", "deep/yes", "empty"}
    assert watched_folders(git.root, []) == expected
    assert watched_folders(git.root, files) == expected | {"out", "out/kept"}
    assert watched_folders(git.root / "deep", []) == {"", "yes"}
    git.write(".git/HEAD", "nonsense")
    assert watched_folders(git.root, []) == expected, "by walking"


def test_folders_are_watched_whose_files_only_are_ignored(git):
    git.write(".gitignore", "*.log\nout2/\n")
    for path in ("gen/.gitignore", "out2/.gitignore", "top/a/.gitignore", "top/b/.gitignore"):
        git.write(path, "*\n")
    for path in ("gen/a.ts", "gen/sub/b.ts", "out2/c.ts", "top/a/in/d.ts", "logs/in/e.log"):
        git.write(path, "x")
    expected = {"", "gen", "top", "top/a", "top/b", "logs", "logs/in"}
    assert watched_folders(git.root, []) == expected


@pytest.mark.usefixtures("permissions_count")
def test_a_folder_that_cannot_be_read_is_not_watched(git):
    git.write("closed/in/a.ts", "x")
    (git.root / "closed").chmod(0)
    assert watched_folders(git.root, []) == {""}
    (git.root / "closed").chmod(0o755)
    assert watched_folders(git.root, []) == {"", "closed", "closed/in"}
