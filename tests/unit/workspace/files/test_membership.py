"""Single files belong to a project exactly when a listing of all files has them."""

import os

import pytest

from ipuaro_jupyter.workspace.files.gitignore import IgnoreFile
from ipuaro_jupyter.workspace.files.listing import list_files
from ipuaro_jupyter.workspace.files.membership import memberships

FILES = {
    ".gitignore": "*.log\nlocal/\n!kept.log\n/top.ts\n",
    "src/.gitignore": "made.ts\n!deep/made.ts\n",
    "a.ts": "",
    "top.ts": "",
    "src/top.ts": "",
    "src/made.ts": "",
    "src/deep/made.ts": "",
    "src/out.log": "",
    "src/kept.log": "",
    "local/b.ts": "",
    "src/local/c.ts": "",
    "node_modules/x/index.ts": "",
    "src/odd [name]*.ts": "",
}


@pytest.mark.parametrize("git", [False, True])
def test_files_belong_to_the_project_when_they_are_listed(make_project, git):
    root = make_project(FILES)
    if git:
        os.system(f"git init -q {root} && cd {root} && git add a.ts && git add -f src/out.log")
    paths = [path for path in FILES if not path.endswith(".gitignore")]
    listed = list_files(root).files
    assert memberships(root, paths) == {path: path in listed for path in paths}


@pytest.mark.parametrize("path", ["x.png", "dist/a.ts", ".gitignore", "caf\udce9/a.ts", "sub/.git"])
def test_what_a_listing_notes_in_another_way_is_left_to_it(make_project, path):
    root = make_project({"a.ts": "", "x.png": "", "dist/a.ts": "", ".gitignore": ""})
    assert memberships(root, ["a.ts", path]) is None


def test_files_of_another_repository_are_left_to_a_listing(make_project):
    root = make_project({"inner/a.ts": "", "b.ts": ""})
    os.system(f"git init -q {root} && git init -q {root}/inner")
    assert memberships(root, ["inner/a.ts"]) is None
    assert memberships(root, ["b.ts"]) == {"b.ts": True}


@pytest.mark.parametrize("git", [False, True])
def test_rules_of_the_users_own_leave_files_and_folders_out(make_project, git):
    root = make_project({"a.ts": "", "b.gen.ts": "", "made/c.ts": "", "src/made/d.ts": ""})
    if git:
        os.system(f"git init -q {root} && git -C {root} add .")
    rules = IgnoreFile("*.gen.ts\nmade/\n")
    paths = ["a.ts", "b.gen.ts", "made/c.ts", "src/made/d.ts"]
    found = memberships(root, paths, ignored=rules)
    assert found == {path: path == "a.ts" for path in paths}
    assert list(list_files(root, ignored=rules).files) == ["a.ts"]


def test_many_files_and_those_of_a_folder_that_has_gone_are_left_to_a_listing(make_project):
    root = make_project({"a.ts": ""})
    assert memberships(root, [f"{n}.ts" for n in range(101)]) is None
    assert memberships(root, ["a.ts", "gone/b.ts"]) is None


def test_a_repository_that_git_cannot_read_is_no_reason_to_leave_files_out(make_project):
    root = make_project({"a.ts": "", "b.log": "", ".gitignore": "*.log\n", ".git": "gitdir: no\n"})
    assert memberships(root, ["a.ts", "b.log"]) == {"a.ts": True, "b.log": False}
