"""Files are written whole, where they belong, and keep what is not content."""

import os
import shutil
import stat
import subprocess

import pytest
from folder_states import full_disk, raises, snapshot

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files import disk


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


@pytest.mark.parametrize("umask", [0o002, 0o022, 0o077])
def test_new_files_and_folders_obey_the_umask(opened, umask):
    old = os.umask(umask)
    try:
        opened.apply("new/a.ts", None, b"x")
    finally:
        os.umask(old)
    modes = [stat.S_IMODE((opened.root / name).stat().st_mode) for name in ("new", "new/a.ts")]
    assert modes == [0o777 & ~umask, 0o666 & ~umask]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_survives_an_edit(opened):
    place = opened.write("a.ts", "x")
    os.chown(place, 1234, 4321)
    place.chmod(0o4755)
    opened.apply("a.ts", b"x", b"y")
    now = place.stat()
    assert (now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode)) == (1234, 4321, 0o4755)


def test_extended_attributes_survive_an_edit(opened):
    place = opened.write("a.ts", "x")
    try:
        os.setxattr(place, "user.note", b"\0kept")
    except (OSError, AttributeError):
        pytest.skip("this file system has no extended attributes")
    opened.apply("a.ts", b"x", b"y")
    assert os.getxattr(place, "user.note") == b"\0kept"
    opened.workspace.undo()
    assert os.getxattr(place, "user.note") == b"\0kept"


def test_an_edit_while_the_user_changes_the_permissions_keeps_the_new_ones(opened):
    place = opened.write("run.sh", "x")
    opened.user.meanwhile = lambda: place.chmod(0o755)
    opened.apply("run.sh", b"x", b"y")
    assert stat.S_IMODE(place.stat().st_mode) == 0o755


def test_a_hard_link_to_outside_keeps_its_content_there(opened):
    secret = opened.root.parent / "outside/secret.txt"
    (opened.root / "a.txt").hardlink_to(secret)
    opened.apply("a.txt", b"TOPSECRET\n", b"mine\n")
    assert secret.read_bytes() == b"TOPSECRET\n"


def test_a_hard_link_inside_is_told_and_keeps_its_content(opened):
    """Two names of one file may be what a package manager shares between projects."""
    opened.write("a.ts", "x")
    (opened.root / "b.ts").hardlink_to(opened.root / "a.ts")
    opened.apply("a.ts", b"x", b"y")
    assert "2 names" in opened.user.asked[0].reason
    assert (opened.root / "b.ts").read_bytes() == b"x"
    opened.apply("b.ts", b"x", None)
    assert opened.user.asked[1].reason == ""
    opened.workspace.undo()
    opened.workspace.undo()
    assert [(opened.root / name).read_bytes() for name in ("a.ts", "b.ts")] == [b"x", b"x"]


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


def test_what_is_about_to_be_written_counts_as_changed(opened):
    """A kernel that is killed right after the write, or an error then, must not hide it."""
    opened.write("package.json", "{}")
    with full_disk(), raises("file"):
        opened.apply("package.json", b"{}", b"y" * 1000)
    assert opened.workspace.written() == ["package.json"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
def test_on_a_disk_that_is_really_full_everything_is_as_it_was(opened):
    small = opened.root / "small"
    small.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(small)]
    mount = shutil.which("mount") and subprocess.run(options, capture_output=True, check=False)
    if not mount or mount.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        opened.write("small/a.ts", "x")
        was = snapshot(opened.root)
        for path, before in (("small/a.ts", b"x"), ("small/new/b.ts", None)):
            with raises("file", f"Cannot write {path}") as caught:
                opened.apply(path, before, b"y" * 100_000)
            assert "full" in caught.value.suggestion
        assert snapshot(opened.root) == was
        opened.apply("small/a.ts", b"x", b"fits")
        opened.workspace.undo()
        assert snapshot(opened.root) == was
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


@pytest.mark.usefixtures("permissions_count")
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


@pytest.mark.usefixtures("permissions_count")
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
