"""Paths as models write them mean files of the project; others are left to the confinement."""

import os

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files.meant_paths import meant_path
from ipuaro_jupyter.workspace.files.paths import relative_path

FILES = ("src/a.ts", "src/auth/login.ts", "lib/login.ts", "lib/b.ts", "top.ts", "docs/api/c.md")


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "harbour"
    for path in FILES:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n")
    return root.resolve()


@pytest.fixture
def meant(root):
    def find(path, *, kind="file", changes=False, exact=False):
        files = None if exact else lambda: FILES
        return meant_path(root, path, kind=kind, changes=changes, files=files)

    return find


@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize(
    "path",
    [
        *("src/a.ts", "./src/a.ts", "a/src/a.ts", "b/src/a.ts", "harbour/src/a.ts"),
        *("/app/src/a.ts", "/src/a.ts", "/workspace/project/src/a.ts", "/home/u/harbour/src/a.ts"),
        *("~/x/src/a.ts", "file:///app/src/a.ts", "C:\\work\\repo\\src\\a.ts", "D:/repo/src/a.ts"),
        *(" src/a.ts\n", '"src/a.ts"', "`src/a.ts`", "ROOT/src/a.ts", "file://ROOT/src/a.ts"),
    ],
)
def test_what_surely_means_a_file_is_that_file(root, meant, path, changes):
    found = meant(path.replace("ROOT", str(root)), changes=changes)
    assert os.path.normpath(root / found.path) == str(root / "src/a.ts")
    assert found.remark == ""


@pytest.mark.parametrize(
    ("path", "kind", "found"),
    [
        ("/repo/src/auth", "folder", "src/auth"),
        ("/repo/src", "any", "src"),
        ("/work/harbour", "folder", "."),
        ("harbour", "any", "."),
        ("harbour/docs", "folder", "docs"),
        ("/repo/src/a.ts", "any", "src/a.ts"),
    ],
)
def test_folders_are_meant_as_well(meant, path, kind, found):
    assert meant(path, kind=kind) == (found, "")


@pytest.mark.parametrize(
    ("path", "kind", "found"),
    [
        ("a.ts", "file", "src/a.ts"),
        ("auth/login.ts", "file", "src/auth/login.ts"),
        ("auth", "folder", "src/auth"),
        ("api", "any", "docs/api"),
        ("b/b.ts", "file", "lib/b.ts"),
    ],
)
def test_the_only_path_with_that_end_is_read_with_a_remark_and_not_changed(
    meant, path, kind, found
):
    assert meant(path, kind=kind) == (found, f"There is no {path}: this is {found}.")
    assert meant(path, kind=kind, exact=True) == (path, "")
    with pytest.raises(ToolError) as caught:
        meant(path, kind=kind, changes=True)
    assert caught.value.type == "file"
    assert found in caught.value.suggestion


def test_several_are_named(meant):
    with pytest.raises(ToolError, match=r"lib/login\.ts, src/auth/login\.ts"):
        meant("login.ts")


def test_of_two_rests_the_longer_is_read_and_none_is_changed(root, meant):
    (root / "a.ts").write_text("y\n")
    assert meant("/app/src/a.ts").path == "src/a.ts"
    assert "src/a.ts" in meant("/app/src/a.ts").remark
    with pytest.raises(ToolError, match=r"could mean 2 paths: src/a\.ts, a\.ts"):
        meant("/app/src/a.ts", changes=True)


@pytest.mark.parametrize("kind", ["file", "any"])
def test_what_exists_outside_is_never_something_of_the_project(tmp_path, root, meant, kind):
    other = tmp_path / "other"
    (other / "src").mkdir(parents=True)
    (other / "src/a.ts").write_text("secret\n")
    (other / "dangling").symlink_to(other / "nothing")
    (root / "dangling").write_text("x\n")
    (root / "link").symlink_to(other)
    for path in (
        *(f"{other}/src/a.ts", f"file://{other}/src/a.ts", f"{other}/dangling"),
        *(f"{other}/../nowhere/src/a.ts", "../src/a.ts", "/app/../src/a.ts", "link/src/a.ts"),
        *(f"{root}/link/src/a.ts", "/app/link/src/a.ts", "/app/none.ts", "/app/src/none.ts"),
    ):
        found = meant(path, kind=kind)
        assert found.path == path.removeprefix("file://"), path
        assert found.remark == ""


def test_what_is_no_path_is_left_to_the_confinement(meant):
    for path in ("a\0b", "x" * 5000, "none.ts", "a/none.ts", "..", "../a.ts", ""):
        assert meant(path) == (path, "")


def test_a_folder_that_is_called_as_the_prefix_keeps_its_files(root, meant):
    (root / "a").mkdir()
    assert meant("a/src/a.ts", exact=True) == ("a/src/a.ts", "")


@pytest.mark.parametrize("path", ["/" + "x" * 300 + "/src/a.ts", "/x\0/src/a.ts"])
def test_a_path_that_cannot_be_looked_up_means_nothing_else(tmp_path, path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.ts").write_text("")
    with pytest.raises(ToolError):
        relative_path(tmp_path, path)
    meant = meant_path(tmp_path, path, kind="file", changes=False, files=None)
    assert meant.path == path
