import os

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files.entries import FolderEntry, _entry, entries_of


def test_every_kind_is_told_apart_and_folders_come_first(opened):
    opened.write("b.ts", "x")
    opened.write("a.sh", "x").chmod(0o744)
    opened.write("zeta/c.ts", "x")
    (opened.root / "alias").symlink_to("zeta")
    (opened.root / "away").symlink_to(opened.root.parent / "outside")
    (opened.root / "broken").symlink_to("none")
    (opened.root / "circle").symlink_to("circle")
    os.mkfifo(opened.root / "pipe")
    assert entries_of(opened.root, "") == [
        FolderEntry("alias", "link", is_folder=True),
        FolderEntry("zeta", "folder", is_folder=True),
        FolderEntry("a.sh", "program", is_folder=False),
        FolderEntry("away", "link", is_folder=False),
        FolderEntry("b.ts", "file", is_folder=False),
        FolderEntry("broken", "link", is_folder=False),
        FolderEntry("circle", "link", is_folder=False),
        FolderEntry("pipe", "other", is_folder=False),
    ]


def test_a_link_in_a_folder_is_followed_from_there(opened):
    opened.write("src/deep/c.ts", "x")
    (opened.root / "src/up").symlink_to("..")
    (opened.root / "src/same").symlink_to("deep")
    kinds = {entry.name: entry.is_folder for entry in entries_of(opened.root, "src")}
    assert kinds == {"deep": True, "same": True, "up": True}


@pytest.mark.parametrize(
    ("folder", "told"), [("b.ts", "not a folder"), ("none", "cannot be listed")]
)
def test_what_is_no_folder_is_an_error(opened, folder, told):
    opened.write("b.ts", "x")
    with pytest.raises(ToolError, match=told) as raised:
        entries_of(opened.root, folder)
    assert raised.value.type == "file"


def test_a_folder_that_became_a_link_outside_is_not_listed(opened):
    (opened.root / "src").symlink_to(opened.root.parent / "outside")
    with pytest.raises(ToolError):
        entries_of(opened.root, "src")


def test_a_file_that_has_gone_since_it_was_listed_is_a_file(opened):
    place = opened.write("a.sh", "x")
    place.chmod(0o755)
    with os.scandir(opened.root) as found:
        (entry,) = found
    place.unlink()
    assert _entry(opened.root, "", entry) == FolderEntry("a.sh", "file", is_folder=False)
