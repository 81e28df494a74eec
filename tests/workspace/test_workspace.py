"""Changes are asked about, written whole, and can be taken back."""

import os
import resource
import stat
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.workspace import disk

REJECTED = Decision(action="reject", reason="not today")


def everything_is_allowed():
    """Whether permissions do not count, as for root."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0)
        return os.access(folder, os.R_OK)


needs_permissions = pytest.mark.skipif(everything_is_allowed(), reason="permissions do not count")


def snapshot(root):
    """Return all folders, files with content and mode, and links."""
    found = {}
    for place in sorted(root.rglob("*")):
        name = place.relative_to(root).as_posix()
        mode = stat.S_IMODE(place.lstat().st_mode)
        if place.is_symlink():
            found[name] = str(place.readlink())
        else:
            found[name] = (mode, place.read_bytes()) if place.is_file() else None
    return found


@contextmanager
def raises(type_, match=None):
    with pytest.raises(ToolError, match=match) as caught:
        yield caught
    assert caught.value.type == type_
    assert caught.value.recoverable


def test_an_edit_is_asked_about_written_and_told(opened):
    opened.write("src/a.ts", "one\r\ntwo\r\n")
    change = opened.apply("src/a.ts", b"one\r\ntwo\r\n", b"one\r\n2\r\n")
    assert (opened.root / "src/a.ts").read_bytes() == b"one\r\n2\r\n"
    assert (change.kind, change.path, change.mode) == ("edit", "src/a.ts", 0o644)
    assert opened.changes == [change]
    (asked,) = opened.user.asked
    assert (asked.kind, asked.tool, asked.title) == ("edit", "a_tool", "Change src/a.ts")
    assert (asked.old_text, asked.new_text) == ("one\ntwo\n", "one\n2\n")
    assert asked.path == "src/a.ts"
    assert asked.editable


def test_a_create_makes_the_folders_after_the_decision(opened):
    opened.user.meanwhile = lambda: opened.changes.append((opened.root / "new").exists())
    change = opened.apply("new/deep/a.ts", None, b"x")
    assert change.kind == "create"
    assert opened.changes == [False, change]
    assert (opened.root / "new/deep/a.ts").read_bytes() == b"x"
    assert opened.user.asked[0].old_text is None


def test_a_delete_removes_the_file_alone(opened):
    opened.write("src/a.ts", "x")
    assert opened.apply("src/a.ts", b"x", None).kind == "delete"
    assert snapshot(opened.root) == {"src": None}
    assert opened.user.asked[0].new_text is None
    assert not opened.user.asked[0].editable


def test_a_rejected_change_leaves_everything_as_it_was(opened):
    opened.write("a.ts", "x")
    before = snapshot(opened.root)
    opened.user.decision = REJECTED
    for path, old, new in (("a.ts", b"x", b"y"), ("a.ts", b"x", None), ("new/b.ts", None, b"y")):
        with raises("cancelled", "not today"):
            opened.apply(path, old, new)
    assert snapshot(opened.root) == before
    assert opened.changes == []
    with raises("validation", "nothing to undo"):
        opened.workspace.undo()


def test_when_nobody_can_be_asked_the_message_says_so_and_what_helps(opened):
    opened.user.decision = Decision(action="reject", by="nobody")
    with raises("cancelled", "nobody to ask") as caught:
        opened.apply("a.ts", None, b"x")
    assert "auto_apply" in caught.value.suggestion


def test_stop_instead_of_a_decision_changes_nothing(opened):
    def stop():
        raise Cancelled

    opened.user.meanwhile = stop
    with pytest.raises(Cancelled):
        opened.apply("a.ts", None, b"x")
    assert snapshot(opened.root) == {}


@pytest.mark.parametrize("kind", ["edit", "create", "delete", "command", "commit"])
@pytest.mark.parametrize("approve", ["ask", "edits", "all", "never"])
def test_the_setting_decides_what_is_asked(open_workspace, tmp_path, kind, approve):
    opened = open_workspace(tmp_path, approve=approve)
    opened.user.decision = REJECTED
    decision = opened.workspace.decide(Proposal(id="1", kind=kind, tool="t", title="T"))
    through = approve == "all" or (approve == "edits" and kind in ("edit", "create", "delete"))
    assert (decision.action == "apply") is through
    asked = approve == "ask" or (approve == "edits" and not through)
    assert bool(opened.user.asked) is asked
    assert decision.by == ("user" if asked else "setting")


def test_never_is_told_as_the_reason(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, approve="never")
    with raises("cancelled", "never"):
        opened.apply("a.ts", None, b"x")
    assert snapshot(tmp_path) == {}


@pytest.mark.parametrize("approve", ["edits", "all"])
@pytest.mark.parametrize("path", [".ipuaro.json", "sub/.ipuaro.json", ".IPUARO.json"])
def test_no_setting_lets_edits_of_the_settings_through(open_workspace, tmp_path, approve, path):
    opened = open_workspace(tmp_path, approve=approve)
    opened.user.decision = Decision(action="apply", remember=True)
    opened.apply(path, None, b"{}")
    opened.apply(path, b"{}", b'{"approve": "all"}')
    assert len(opened.user.asked) == 2
    assert opened.workspace.remembered == ()
    assert opened.user.asked[0].reason


def test_what_was_allowed_for_the_session_is_not_asked_again(opened):
    opened.user.decision = Decision(action="apply", remember=True)
    opened.apply("src/a.ts", None, b"1")
    opened.apply("src/b.ts", None, b"1")
    assert len(opened.user.asked) == 1
    assert opened.workspace.remembered == (("a_tool", "src/*"),)
    opened.apply("src/deep/c.ts", None, b"1")
    opened.apply("top.ts", None, b"1")
    other = Change(path="src/d.ts", before=None, after=b"1")
    opened.workspace.apply(other, tool="another_tool", title="T")
    assert len(opened.user.asked) == 4
    assert opened.workspace.revoke("a_tool", "src/*") == 1
    opened.apply("src/e.ts", None, b"1")
    assert len(opened.user.asked) == 5
    assert opened.workspace.revoke() == 4
    assert opened.workspace.remembered == ()


def test_a_rejection_is_not_remembered(opened):
    opened.user.decision = Decision(action="reject", remember=True)
    with raises("cancelled"):
        opened.apply("src/a.ts", None, b"1")
    assert opened.workspace.remembered == ()


@pytest.mark.parametrize(
    ("data", "text", "written"),
    [
        (b"one\r\ntwo\r\n", "1\nzwei\n", b"1\r\nzwei\r\n"),
        (b"\xef\xbb\xbfone\ntwo\n", "1\nzwei\n", b"\xef\xbb\xbf1\nzwei\n"),
        (b"one\r\ntwo\n", "1\ntwo\n", b"1\r\ntwo\n"),
    ],
)
def test_the_text_that_the_user_edited_is_what_is_written(opened, data, text, written):
    opened.write("a.ts", data)
    opened.user.decision = Decision(action="apply", text=text)
    proposed = data.replace(b"one", b"1")
    change = opened.apply("a.ts", data, proposed)
    assert change.after == written
    assert (opened.root / "a.ts").read_bytes() == written
    assert opened.changes == [change]
    assert opened.workspace.undo().after == data


def test_a_text_that_the_user_left_alone_is_written_byte_by_byte(opened):
    proposed = b"a\r\nb\nc\r"
    opened.user.decision = Decision(action="apply", text="a\nb\nc\r")
    assert opened.apply("a.ts", None, proposed).after == proposed


def test_an_edit_that_the_user_takes_back_is_not_applied(opened):
    opened.write("a.ts", "x\n")
    opened.user.decision = Decision(action="apply", text="x\n")
    with raises("cancelled"):
        opened.apply("a.ts", b"x\n", b"y\n")
    assert opened.changes == []


def test_a_file_that_is_not_what_the_tool_has_read_is_a_conflict(opened):
    opened.write("a.ts", "human\n")
    for after in (b"x", None):
        with raises("conflict", "changed since"):
            opened.apply("a.ts", b"old\n", after)
    with raises("conflict", "deleted since"):
        opened.apply("gone.ts", b"old\n", b"x")
    assert opened.user.asked == []
    assert (opened.root / "a.ts").read_bytes() == b"human\n"


@pytest.mark.parametrize("after", [b"x", None])
def test_a_file_that_is_not_what_the_model_was_shown_is_a_conflict(opened, after):
    opened.write("a.ts", "old\n")
    opened.workspace.note_shown("a.ts", opened.workspace.read("a.ts").hash)
    opened.write("a.ts", "human\n")
    with raises("conflict", "since you last saw it") as caught:
        opened.apply("a.ts", b"human\n", after)
    assert "again" in caught.value.suggestion
    assert opened.user.asked == []
    opened.workspace.note_shown("a.ts", opened.workspace.read("a.ts").hash)
    opened.apply("a.ts", b"human\n", after)
    assert len(opened.changes) == 1


def test_own_edits_are_no_conflict(opened):
    opened.write("a.ts", "1\n")
    opened.workspace.note_shown("a.ts", opened.workspace.read("a.ts").hash)
    opened.apply("a.ts", b"1\n", b"2\n")
    opened.apply("a.ts", b"2\n", None)
    opened.apply("a.ts", None, b"3\n")
    assert [c.kind for c in opened.changes] == ["edit", "delete", "create"]


def test_what_was_shown_is_known_after_a_restart(open_workspace, opened):
    opened = open_workspace(opened.root, session="restarted")
    opened.write("a.ts", "old\n")
    opened.workspace.note_shown("a.ts", opened.workspace.read("a.ts").hash)
    opened.write("a.ts", "human\n")
    with raises("conflict"):
        open_workspace(opened.root, session="restarted").apply("a.ts", b"human\n", b"x")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [("a.ts", b"old\n", b"x"), ("a.ts", b"old\n", None), ("new.ts", None, b"x")],
)
def test_a_file_that_changes_while_the_user_decides_is_left_alone(opened, path, before, after):
    opened.write("a.ts", "old\n")
    opened.user.meanwhile = lambda: opened.write(path, "human\n")
    with pytest.raises(ToolError) as caught:
        opened.apply(path, before, after)
    assert caught.value.recoverable
    assert (opened.root / path).read_bytes() == b"human\n"
    assert opened.changes == []
    with raises("validation"):
        opened.workspace.undo()


def test_a_file_that_vanishes_while_the_user_decides_is_a_conflict(opened):
    place = opened.write("a.ts", "old\n")
    opened.user.meanwhile = place.unlink
    with raises("conflict", "deleted while"):
        opened.apply("a.ts", b"old\n", b"x")
    assert snapshot(opened.root) == {}


def test_a_folder_that_becomes_a_link_while_the_user_decides_leads_nowhere(opened):
    outside = opened.root.parent / "outside"

    def swap():
        (opened.root / "src").rename(opened.root / "old")
        (opened.root / "src").symlink_to(outside)

    opened.write("src/a.ts", "x")
    opened.user.meanwhile = swap
    with pytest.raises(ToolError):
        opened.apply("src/new.ts", None, b"x")
    assert [p.name for p in outside.iterdir()] == ["secret.txt"]


def test_an_existing_file_is_not_created(opened):
    opened.write("a.ts", "x")
    with raises("file", "exists already"):
        opened.apply("a.ts", None, b"y")
    assert opened.user.asked == []


def test_what_would_change_nothing_is_refused(opened):
    opened.write("a.ts", "x")
    with raises("validation", "change nothing"):
        opened.apply("a.ts", b"x", b"x")
    with raises("validation", "change nothing"):
        opened.apply("b.ts", None, None)
    assert opened.user.asked == []


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
    assert modes == [0o600, 0o644 & ~old]


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


@contextmanager
def full_disk():
    """Let no file grow over 100 bytes: to a program that is like a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


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


def test_undo_takes_back_newest_first(opened):
    opened.write("a.ts", b"\xef\xbb\xbf1\r\n\xff")
    was = snapshot(opened.root)
    opened.apply("a.ts", b"\xef\xbb\xbf1\r\n\xff", b"2")
    opened.apply("new/deep/b.ts", None, b"3")
    opened.apply("a.ts", b"2", None)
    told = [opened.workspace.undo() for _ in range(3)]
    assert [(c.path, c.kind) for c in told] == [
        ("a.ts", "create"),
        ("new/deep/b.ts", "delete"),
        ("a.ts", "edit"),
    ]
    assert opened.changes[3:] == told
    assert snapshot(opened.root) == was
    with raises("validation", "nothing to undo"):
        opened.workspace.undo()


def test_undo_asks_nobody(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, approve="edits")
    opened.apply("a.ts", None, b"x")
    opened.workspace.settings = opened.workspace.settings.model_copy(update={"approve": "never"})
    opened.workspace.undo()
    assert snapshot(tmp_path) == {}
    assert opened.user.asked == []


@pytest.mark.parametrize(("data", "reason"), [(b"human", "changed"), (None, "deleted")])
def test_undo_is_refused_when_the_file_has_changed_since(opened, data, reason):
    opened.write("a.ts", "1")
    opened.apply("a.ts", b"1", b"2")
    if data is None:
        (opened.root / "a.ts").unlink()
    else:
        opened.write("a.ts", data)
    was = snapshot(opened.root)
    for _ in range(2):
        with raises("conflict", f"{reason} since"):
            opened.workspace.undo()
    assert snapshot(opened.root) == was
    opened.write("a.ts", b"2")
    opened.workspace.undo()
    assert (opened.root / "a.ts").read_bytes() == b"1"


def test_undo_of_a_delete_does_not_overwrite_a_new_file(opened):
    opened.write("a.ts", "1")
    opened.apply("a.ts", b"1", None)
    opened.write("a.ts", "human")
    with raises("conflict"):
        opened.workspace.undo()
    assert (opened.root / "a.ts").read_bytes() == b"human"


def test_what_was_taken_back_by_hand_does_not_stand_in_the_way(opened):
    opened.write("a.ts", "1")
    opened.write("b.ts", "1")
    opened.apply("a.ts", b"1", b"2")
    opened.apply("b.ts", b"1", b"2")
    opened.write("b.ts", "1")
    with raises("conflict", "already"):
        opened.workspace.undo()
    assert opened.workspace.undo().path == "a.ts"


def test_undo_keeps_folders_that_are_in_use(opened):
    opened.apply("new/deep/a.ts", None, b"x")
    opened.write("new/mine.ts", "mine")
    opened.workspace.undo()
    assert snapshot(opened.root) == {"new": None, "new/mine.ts": (0o644, b"mine")}


def test_undo_of_a_delete_makes_a_folder_that_has_gone(opened):
    opened.write("src/a.ts", "x")
    opened.apply("src/a.ts", b"x", None)
    (opened.root / "src").rmdir()
    opened.workspace.undo()
    assert (opened.root / "src/a.ts").read_bytes() == b"x"


def test_undo_does_not_follow_a_folder_that_became_a_link(opened):
    outside = opened.root.parent / "outside"
    opened.write("src/secret.txt", "mine\n")
    opened.apply("src/secret.txt", b"mine\n", b"TOPSECRET\n")
    (opened.root / "src").rename(opened.root / "old")
    (opened.root / "src").symlink_to(outside)
    with pytest.raises(ToolError):
        opened.workspace.undo()
    assert snapshot(outside) == {"secret.txt": (0o644, b"TOPSECRET\n")}


def test_undo_goes_as_deep_as_the_setting(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, undo_depth=2)
    for number in range(4):
        opened.apply(f"{number}.ts", None, b"x")
    opened.workspace.undo()
    opened.workspace.undo()
    with raises("validation"):
        opened.workspace.undo()
    assert sorted(snapshot(tmp_path)) == ["0.ts", "1.ts"]


def test_undo_works_after_a_restart(open_workspace, tmp_path):
    open_workspace(tmp_path, session="again").apply("new/a.ts", None, b"x")
    open_workspace(tmp_path, session="again").workspace.undo()
    assert snapshot(tmp_path) == {}


def test_what_the_session_has_changed_is_known_after_a_restart(open_workspace, opened):
    first = open_workspace(opened.root, session="writer")
    first.apply("package.json", None, b"{}")
    first.apply("gone.ts", None, b"x")
    first.apply("gone.ts", b"x", None)
    for session, known in (("writer", True), ("another", False)):
        workspace = open_workspace(opened.root, session=session).workspace
        assert workspace.wrote("package.json") is known
        assert workspace.wrote("gone.ts") is known
        assert not workspace.wrote("a.ts")


def test_two_kernels_never_lose_an_edit(open_workspace, opened):
    opened.write("a.ts", "")
    failures = []

    def append(name):
        mine = open_workspace(opened.root)
        for number in range(15):
            line = f"{name} {number}\n".encode()
            while True:
                data, _ = mine.workspace.read_bytes("a.ts")
                mine.workspace.note_shown("a.ts", mine.workspace.read("a.ts").hash)
                try:
                    mine.apply("a.ts", data, data + line)
                except ToolError as error:
                    if error.type != "conflict":
                        failures.append(error)
                        return
                else:
                    break

    threads = [threading.Thread(target=append, args=(name,)) for name in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    lines = (opened.root / "a.ts").read_text().splitlines()
    wanted = {f"{name} {number}" for name in ("one", "two", "three") for number in range(15)}
    assert set(lines) == wanted
    assert len(lines) == len(wanted)


def test_readers_never_see_half_a_file(opened):
    one, two = b"1" * 300_000, b"2" * 200_000
    opened.write("a.ts", one)
    seen, done = set(), threading.Event()

    def watch():
        while not done.is_set():
            seen.add((opened.root / "a.ts").read_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(10):
        opened.apply("a.ts", one, two)
        opened.apply("a.ts", two, one)
    done.set()
    watcher.join()
    assert seen <= {one, two}


PATHS = ("a.ts", "run.sh", "src/b.ts", "src/new/c.ts", "new/deep/er/d.ts", "new/e.ts")
steps = st.lists(st.tuples(st.sampled_from(PATHS), st.none() | st.binary(max_size=20)), max_size=12)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=steps)
def test_undoing_every_change_restores_everything(open_workspace, steps):
    with tempfile.TemporaryDirectory() as folder:
        opened = open_workspace(Path(folder), approve="edits", undo_depth=50)
        opened.write("a.ts", b"a\r\n\xff")
        opened.write("run.sh", "#!/bin/sh\n").chmod(0o750)
        opened.write("src/b.ts", "b\n")
        states = [snapshot(opened.root)]
        for path, after in steps:
            place = opened.root / path
            before = place.read_bytes() if place.exists() else None
            if before != after:
                opened.apply(path, before, after)
                states.append(snapshot(opened.root))
        assert len(opened.changes) == len(states) - 1
        while len(states) > 1:
            states.pop()
            opened.workspace.undo()
            assert snapshot(opened.root) == states[-1]
