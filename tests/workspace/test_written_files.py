"""Files are written whole, where they belong, and keep what is not content."""

import os
import stat

import pytest
from folder_states import everything_is_allowed, full_disk, needs_permissions, raises, snapshot

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace import disk


@pytest.mark.parametrize("path", [".git/config", "sub/.git", ".git", ""])
def test_nothing_of_gits_own_is_written(opened, path):
    with raises("validation"):
        opened.apply(path, None, b"x")
    assert snapshot(opened.root) == {}


@pytest.mark.parametrize("path", ["../outside/x.ts", "/etc/x.ts", "link/x.ts", "link/secret.txt"])
def test_nothing_outside_is_written(opened, path):
    outside = opened.root.parent / "outside"
    (opened.root / "link").symlink_to(outside)
    for before, after in ((None, b"x"), (b"TOPSECRET\n", b"x"), (b"TOPSECRET\n", None)):
        with pytest.raises(ToolError) as caught:
            opened.apply(path, before, after)
        assert not caught.value.recoverable
    assert opened.user.asked == []
    assert snapshot(outside) == {"secret.txt": (0o644, b"TOPSECRET\n")}


def test_an_edit_through_a_link_changes_the_real_file_and_keeps_the_link(opened):
    opened.write("src/a.ts", "x")
    (opened.root / "link.ts").symlink_to("src/a.ts")
    change = opened.apply("link.ts", b"x", b"y")
    assert change.path == "src/a.ts"
    assert opened.user.asked[0].path == "src/a.ts"
    assert (opened.root / "src/a.ts").read_bytes() == b"y"
    assert (opened.root / "link.ts").is_symlink()


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o664])
def test_the_mode_survives_edits_deletes_and_undo(opened, mode):
    place = opened.write("run.sh", "x")
    place.chmod(mode)
    opened.apply("run.sh", b"x", b"y")
    assert stat.S_IMODE(place.stat().st_mode) == mode
    opened.apply("run.sh", b"y", None)
    opened.workspace.undo()
    opened.workspace.undo()
    assert (place.read_bytes(), stat.S_IMODE(place.stat().st_mode)) == (b"x", mode)


def test_a_new_file_has_the_mode_that_the_umask_leaves(opened):
    old = os.umask(0o077)
    try:
        opened.apply("a.ts", None, b"x")
    finally:
        os.umask(old)
    opened.apply("b.ts", None, b"x")
    modes = [stat.S_IMODE((opened.root / name).stat().st_mode) for name in ("a.ts", "b.ts")]
    assert modes == [0o600, 0o666 & ~old]


@pytest.mark.skipif(not everything_is_allowed(), reason="only root gives files away")
def test_the_owner_survives_an_edit(opened):
    place = opened.write("a.ts", "x")
    os.chown(place, 1234, 4321)
    opened.apply("a.ts", b"x", b"y")
    assert (place.stat().st_uid, place.stat().st_gid) == (1234, 4321)


def test_a_hard_link_to_outside_keeps_its_content_there(opened):
    secret = opened.root.parent / "outside/secret.txt"
    (opened.root / "a.txt").hardlink_to(secret)
    opened.apply("a.txt", b"TOPSECRET\n", b"mine\n")
    assert secret.read_bytes() == b"TOPSECRET\n"


@pytest.mark.parametrize(("path", "before"), [("a.ts", b"x"), ("new/deep/b.ts", None)])
def test_when_the_disk_is_full_everything_is_as_it_was(opened, path, before):
    opened.write("a.ts", "x")
    was = snapshot(opened.root)
    with full_disk(), raises("file", f"Cannot write {path}"):
        opened.apply(path, before, b"y" * 1000)
    assert snapshot(opened.root) == was
    assert opened.changes == []
    with raises("validation", "nothing to undo"):
        opened.workspace.undo()


@needs_permissions
def test_in_a_read_only_folder_everything_is_as_it_was(opened):
    place = opened.write("src/a.ts", "x")
    was = snapshot(opened.root)
    place.parent.chmod(0o555)
    try:
        for path, before, after in (
            ("src/a.ts", b"x", b"y"),
            ("src/a.ts", b"x", None),
            ("src/b.ts", None, b"y"),
            ("src/new/b.ts", None, b"y"),
        ):
            with raises("file", "Cannot"):
                opened.apply(path, before, after)
    finally:
        place.parent.chmod(0o755)
    assert snapshot(opened.root) == was


@needs_permissions
def test_a_write_protected_file_is_not_changed(opened):
    place = opened.write("a.ts", "x")
    place.chmod(0o444)
    with raises("file", "write-protected"):
        opened.apply("a.ts", b"x", b"y")
    assert opened.user.asked == []


def test_reading_what_is_no_text_file_is_a_file_error(opened):
    opened.write("folder/a.ts", "x")
    opened.write("b.bin", b"\xff\xfe\x00\x01")
    os.mkfifo(opened.root / "pipe")
    (opened.root / "device").symlink_to("/dev/zero")
    for path in ("folder", "", "b.bin", "pipe", "missing.ts"):
        with raises("file"):
            opened.workspace.read(path)
    with pytest.raises(ToolError) as caught:
        opened.workspace.read("device")
    assert not caught.value.recoverable


def test_a_huge_file_is_not_read(opened):
    with (opened.root / "huge.log").open("wb") as file:
        file.truncate(disk.LARGEST_BYTES + 1)
    with raises("file", "MB"):
        opened.workspace.read("huge.log")


def test_what_was_read_is_the_disk_as_it_is_now(opened):
    for text in ("one\n", "two\n"):
        opened.write("a.ts", text)
        assert opened.workspace.read("./a.ts").text == text
    assert opened.workspace.read_bytes("a.ts") == (b"two\n", 0o644)
