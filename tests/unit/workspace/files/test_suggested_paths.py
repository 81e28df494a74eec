"""What is suggested for a path that does not exist can be used."""

import os

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files.paths import relative_path

KINDS = ["file", "folder", "any"]


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "project"
    (root / "src/auth").mkdir(parents=True)
    (root / "src/auth/one.ts").write_text("")
    (root / "src/auth.ts").write_text("")
    return root


def suggestion(root, path, kind="any"):
    with pytest.raises(ToolError) as caught:
        relative_path(root, path, kind=kind)
    assert caught.value.suggestion.encode()
    return caught.value.suggestion


@pytest.mark.parametrize(
    ("kind", "meant"),
    [
        ("file", "src/auth.ts"),
        ("folder", "src/auth"),
        ("any", "src/auth, src/auth.ts"),
    ],
)
@pytest.mark.parametrize(
    "target",
    ["autx", "none.ts", "../..", "/etc/passwd", "/etc"],
    ids=["in a circle", "to nothing", "to the folder above", "to a file", "to a folder"],
)
def test_a_link_that_cannot_be_followed_is_not_suggested(root, kind, meant, target):
    """It takes no other suggestion away either."""
    (root / "src/autx").symlink_to(target)
    assert suggestion(root, "src/aut", kind) == f"Did you mean {meant}?"


def test_a_link_to_a_file_of_the_project_is_suggested(root):
    (root / "login.ts").symlink_to("src/auth.ts")
    assert suggestion(root, "logn.ts", "file") == "Did you mean login.ts?"


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_that_is_no_text_is_not_suggested(root, kind):
    (root / os.fsdecode(b"users\xff.ts")).write_text("")
    (root / os.fsdecode(b"users\xff")).mkdir()
    told = suggestion(root, "users.ts", kind)
    assert told == "get_structure shows what there is in the project."


@pytest.mark.parametrize("is_worktree", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_folder_of_git_is_not_suggested(root, kind, is_worktree):
    (root / ".git").touch() if is_worktree else (root / ".git").mkdir()
    told = suggestion(root, ".gti", kind)
    assert told == "get_structure shows what there is in the project."


@pytest.mark.parametrize(
    ("kind", "meant"),
    [
        ("file", "src/auth.ts"),
        ("folder", "src/auth"),
        ("any", "src/auth, src/auth.ts"),
    ],
)
def test_what_is_named_like_the_folder_is_suggested_when_nothing_is_below(root, kind, meant):
    assert suggestion(root, "src/auht/index.ts", kind) == f"Did you mean {meant}?"


@pytest.mark.parametrize("kind", ["file", "any"])
def test_a_file_below_a_folder_of_a_like_name_is_suggested_alone(root, kind):
    assert suggestion(root, "src/auht/one.ts", kind) == "Did you mean src/auth/one.ts?"


def test_a_file_that_became_no_folder_is_suggested(root):
    (root / "src/user.ts").write_text("")
    assert suggestion(root, "src/user/index.ts", "file") == "Did you mean src/user.ts?"


@pytest.mark.parametrize(("kind", "meant"), [("file", "Auth.ts"), ("folder", "auth.ts")])
def test_what_cannot_be_used_hides_nothing_that_differs_in_case(root, kind, meant):
    (root / "Auth.ts").write_text("")
    (root / "auth.ts").mkdir()
    assert suggestion(root, "atuh.ts", kind) == f"Did you mean {meant}?"


def test_many_links_that_lead_nowhere_hide_nothing(root):
    for number in range(300):
        (root / f"auth{number}.ts").symlink_to("none.ts")
    (root / "auth-of-users.ts").write_text("")
    assert suggestion(root, "auth.ts", "file") == "Did you mean auth-of-users.ts?"


def test_a_link_into_a_locked_folder_is_not_suggested(root, permissions_count):
    del permissions_count
    (root / "locked").mkdir()
    (root / "locked/auth.ts").write_text("")
    (root / "autz.ts").symlink_to("locked/auth.ts")
    (root / "locked").chmod(0)
    try:
        told = suggestion(root, "aut.ts", "file")
    finally:
        (root / "locked").chmod(0o700)
    assert told == "get_structure shows what there is in the project."


def test_three_are_suggested_the_most_similar_first(root):
    for name in ("user.ts", "users.ts", "usher.ts", "userland.ts", "use.ts"):
        (root / name).write_text("")
    told = suggestion(root, "userss.ts", "file")
    assert told == "Did you mean users.ts, user.ts, usher.ts?"
