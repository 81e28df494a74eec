"""Where paths lead, and that none leads out of the project."""

import os
import tomllib
import unicodedata
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import ProjectError, ToolError
from ipuaro_jupyter.workspace.files import atomic_writes, disk
from ipuaro_jupyter.workspace.files.paths import (
    entry_path,
    project_folder,
    relative_path,
)

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

SECRET = b"TOPSECRET"


@pytest.mark.parametrize(("path", "real"), CASES["spellings_of_a_path_are_one_path"])
def test_spellings_of_a_path_are_one_path(root, path, real):
    assert relative_path(root, path) == real


def test_absolute_paths_inside_the_project_are_accepted(root):
    assert relative_path(root, str(root / "src" / "a.ts")) == "src/a.ts"
    assert relative_path(root, f"{root}/new/x.ts", must_exist=False) == "new/x.ts"


def test_a_path_through_another_name_of_the_root_is_accepted(root, tmp_path):
    (tmp_path / "alias").symlink_to(root)
    assert relative_path(root, f"{tmp_path}/alias/src/a.ts") == "src/a.ts"


@pytest.mark.parametrize("path", CASES["a_path_out_of_the_project_is_refused_for_good"])
@pytest.mark.parametrize("must_exist", [True, False])
def test_a_path_out_of_the_project_is_refused_for_good(root, path, must_exist):
    with pytest.raises(ToolError) as caught:
        relative_path(root, path, must_exist=must_exist)
    assert caught.value.type == "file"
    assert not caught.value.recoverable


@pytest.mark.parametrize("target", ["OUTSIDE", "../../outside", "../../outside/../outside"])
@pytest.mark.parametrize("path", ["src/link/secret.txt", "src/link/new.txt", "src/link/x/new.txt"])
def test_a_folder_that_links_out_of_the_project_is_refused(root, target, path):
    (root / "src/link").symlink_to(target.replace("OUTSIDE", str(root.parent / "outside")))
    for must_exist in (True, False):
        with pytest.raises(ToolError) as caught:
            relative_path(root, path, must_exist=must_exist)
        assert not caught.value.recoverable


def test_a_dangling_link_to_outside_is_refused_for_a_new_file(root):
    (root / "new.txt").symlink_to(root.parent / "outside" / "new.txt")
    with pytest.raises(ToolError) as caught:
        relative_path(root, "new.txt", must_exist=False)
    assert not caught.value.recoverable


def test_a_link_inside_the_project_gives_the_real_file(root):
    (root / "link.ts").symlink_to("src/a.ts")
    (root / "folder").symlink_to(root / "src")
    assert relative_path(root, "link.ts") == "src/a.ts"
    assert relative_path(root, "folder/a.ts") == "src/a.ts"
    assert relative_path(root, "folder/new.ts", must_exist=False) == "src/new.ts"


def test_a_link_above_a_parent_folder_counts_as_the_system_counts_it(root):
    """``link/..`` is the parent of the folder that the link leads to."""
    (root / "deep/er").mkdir(parents=True)
    (root / "src/link").symlink_to("../deep/er")
    assert relative_path(root, "src/link/../x", must_exist=False) == "deep/x"


@pytest.mark.parametrize("path", ["one", "one/x.ts", "self", "self/../src/a.ts"])
def test_links_in_a_circle_are_a_file_error(root, path):
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    (root / "self").symlink_to("self")
    for must_exist in (True, False):
        with pytest.raises(ToolError, match="circle") as caught:
            relative_path(root, path, must_exist=must_exist)
        assert caught.value.type == "file"


def test_a_file_is_no_folder(root):
    with pytest.raises(ToolError, match=r"a\.ts is no folder") as caught:
        relative_path(root, "src/a.ts/b.ts", must_exist=False)
    assert caught.value.type == "file"


@pytest.mark.parametrize("path", ["src/\0a.ts", "\0", "src/\ud800.ts"])
def test_what_cannot_be_a_path_is_a_validation_error(root, path):
    with pytest.raises(ToolError) as caught:
        relative_path(root, path, must_exist=False)
    assert caught.value.type == "validation"


def test_a_name_that_is_too_long_is_a_file_error(root):
    with pytest.raises(ToolError) as caught:
        relative_path(root, "x" * 300, must_exist=False)
    assert caught.value.type == "file"


@pytest.mark.parametrize("path", ["a/" * 3000, "src/../" * 1000, "x" * 1_000_000, "/" * 5000])
def test_a_path_that_is_longer_than_any_can_be_is_refused_at_once(root, path):
    with pytest.raises(ToolError) as caught:
        relative_path(root, path, must_exist=False)
    assert caught.value.type == "validation"
    assert len(caught.value.message) < 500


@pytest.mark.parametrize("path", ["a/" * 2000 + "x", "../project/" * 300 + "src/a.ts"])
def test_a_long_path_is_followed(root, path):
    if path.endswith("a.ts"):
        assert relative_path(root, path) == "src/a.ts"
    else:
        with pytest.raises(ToolError):
            relative_path(root, path)


@pytest.mark.parametrize("name", ["a.ts.", "a.ts ", "a.ts. .", " a.ts", "A.ts"])
def test_names_that_are_others_only_here_are_others(root, name):
    """Blanks, dots and case count where the file system lets them count."""
    assert relative_path(root, f"src/{name}", must_exist=False) == f"src/{name}"
    (root / "src" / name).write_text("other")
    assert relative_path(root, f"src/{name}") == f"src/{name}"
    assert relative_path(root, "src/a.ts") == "src/a.ts"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_link_that_is_found_in_the_other_unicode_form_is_followed(root, form):
    other = {"NFC": "NFD", "NFD": "NFC"}[form]
    (root / unicodedata.normalize(form, "né")).symlink_to(root.parent / "outside")
    (root / unicodedata.normalize(form, "ö")).symlink_to("src")
    asked = unicodedata.normalize(other, "né/secret.txt")
    for must_exist in (True, False):
        with pytest.raises(ToolError) as caught:
            relative_path(root, asked, must_exist=must_exist)
        assert not caught.value.recoverable
    assert relative_path(root, unicodedata.normalize(other, "ö/a.ts")) == "src/a.ts"


def test_a_link_to_a_name_that_is_not_utf8_is_a_file_error(root):
    name = os.fsdecode(b"caf\xe9.ts")
    (root / name).write_text("")
    (root / "link.ts").symlink_to(name)
    with pytest.raises(ToolError, match="not UTF-8") as caught:
        relative_path(root, "link.ts")
    assert caught.value.type == "file"


def test_an_entry_is_the_link_and_not_what_it_leads_to(root):
    (root / "link.ts").symlink_to("src/a.ts")
    (root / "folder").symlink_to("src")
    (root / "src/up.ts").symlink_to("../nowhere.ts")
    assert entry_path(root, "link.ts") == "link.ts"
    assert entry_path(root, f"{root}/link.ts") == "link.ts"
    assert entry_path(root, "folder/a.ts") == "src/a.ts"
    assert entry_path(root, "folder/up.ts") == "src/up.ts"
    assert entry_path(root, "folder") == "folder"
    assert entry_path(root, "folder/") == "src"
    for path in ("src/new.ts", "src/a.ts", "", ".", "src/.."):
        assert entry_path(root, path) == relative_path(root, path, must_exist=False)


@pytest.mark.parametrize(
    "path", ["link", "src/link", "../outside/secret.txt", "/etc/passwd", "/etc"]
)
def test_an_entry_that_leads_out_of_the_project_is_refused(root, path):
    for name in ("link", "src/link"):
        (root / name).symlink_to(root.parent / "outside/secret.txt")
    with pytest.raises(ToolError) as caught:
        entry_path(root, path)
    assert not caught.value.recoverable
    assert caught.value.suggestion == "Use a path relative to the project's root."


def test_existing_names_with_a_tilde_or_backslash_are_themselves(root):
    for name in ("~backup", "a\\b.ts"):
        (root / name).write_text("")
        assert relative_path(root, name) == name


def test_the_home_folder_is_where_a_tilde_leads(root, monkeypatch):
    monkeypatch.setenv("HOME", str(root.parent))
    assert relative_path(root, "~/project/src/a.ts") == "src/a.ts"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_is_found_in_either_unicode_form(root, form):
    """Models and keyboards write one form, macOS archives hold the other."""
    other = {"NFC": "NFD", "NFD": "NFC"}[form]
    real = unicodedata.normalize(form, "né.ts")
    (root / real).write_text("")
    asked = unicodedata.normalize(other, "né.ts")
    assert asked != real
    assert relative_path(root, asked) == real
    assert relative_path(root, asked, must_exist=False) == real


def test_two_files_that_differ_in_unicode_form_stay_two(root):
    for form in ("NFC", "NFD"):
        name = unicodedata.normalize(form, "né.ts")
        (root / name).write_text("")
    for form in ("NFC", "NFD"):
        name = unicodedata.normalize(form, "né.ts")
        assert relative_path(root, name) == name


def test_a_missing_file_is_told_with_the_closest_names(root):
    with pytest.raises(ToolError) as caught:
        relative_path(root, "src/b.ts")
    assert caught.value.type == "file"
    assert caught.value.recoverable
    assert "src/a.ts" in caught.value.suggestion


@pytest.mark.parametrize(
    ("path", "where"), [("zzzzzzzz", "in the project"), ("src/deep/zzzzzzzz.ts", "in src/deep")]
)
def test_where_nothing_is_alike_it_is_told_where_to_look(root, path, where):
    (root / "src/deep").mkdir(exist_ok=True)
    (root / "src/deep/one.ts").write_text("")
    with pytest.raises(ToolError) as caught:
        relative_path(root, path)
    assert caught.value.suggestion == f"get_structure shows what there is {where}."


def test_the_suggestion_for_a_misspelt_folder_is_the_folder(root):
    with pytest.raises(ToolError) as caught:
        relative_path(root, "scr/a.ts")
    assert "src" in caught.value.suggestion


def test_a_folder_that_becomes_a_link_after_the_check_is_not_followed(root):
    path = relative_path(root, "src/secret.txt", must_exist=False)
    (root / "src").rename(root / "old")
    (root / "src").symlink_to(root.parent / "outside")
    with pytest.raises(ToolError):
        disk.read(root, path)
    with pytest.raises(ToolError):
        atomic_writes.write(root, path, b"x", replaces=disk.Content(SECRET, 0o644))
    with pytest.raises(ToolError):
        atomic_writes.write(root, path, b"x", replaces=None)
    with pytest.raises(ToolError):
        atomic_writes.delete(root, path, disk.Content(SECRET, 0o644))
    assert (root.parent / "outside/secret.txt").read_bytes() == SECRET


def test_a_file_that_becomes_a_link_after_the_check_is_not_followed(root):
    (root / "file").symlink_to(root.parent / "outside/secret.txt")
    with pytest.raises(ToolError):
        disk.read(root, "file")


@pytest.mark.parametrize("path", ["../outside/secret.txt", "/etc/passwd", "src/../src/a.ts", ""])
def test_the_disk_takes_plain_paths_only(root, path):
    with pytest.raises(ToolError):
        disk.read(root, path)


def test_a_project_is_a_folder(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ProjectError, match="does not exist"):
        project_folder(tmp_path / "none")
    with pytest.raises(ProjectError, match="is a file"):
        project_folder(tmp_path / "file")
    with pytest.raises(ProjectError, match="'/' is the whole file system; give the folder of a"):
        project_folder("/")
    (tmp_path / "link").symlink_to(tmp_path)
    assert project_folder(tmp_path / "link") == tmp_path.resolve()


def test_project_that_is_gone_has_the_folder_that_it_had(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    gone = tmp_path.resolve() / "folder/gone"
    assert project_folder(tmp_path / "link/gone", must_exist=False) == gone
    assert project_folder(tmp_path / "link", must_exist=False) == gone.parent
    (tmp_path / "file").write_text("")
    with pytest.raises(ProjectError, match="is a file"):
        project_folder(tmp_path / "file", must_exist=False)


@pytest.mark.usefixtures("permissions_count")
def test_a_project_has_to_be_readable(tmp_path):
    tmp_path.chmod(0o311)
    with pytest.raises(ProjectError, match=f"{tmp_path}' cannot be read: Permission denied"):
        project_folder(tmp_path)
    tmp_path.chmod(0o700)


@pytest.mark.usefixtures("permissions_count")
def test_a_file_of_a_folder_that_cannot_be_listed_is_found_by_its_name(root):
    (root / "closed").mkdir()
    (root / "closed/a~1.ts").write_text("x")
    (root / "closed").chmod(0o311)
    try:
        assert relative_path(root, "closed/a~1.ts") == "closed/a~1.ts"
        with pytest.raises(ToolError, match="does not exist"):
            relative_path(root, "closed/a~2.ts")
    finally:
        (root / "closed").chmod(0o755)
