"""Files and undo stack agree, whatever happens in between."""

import stat
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from folder_states import full_disk, raises, snapshot
from interrupted_changes import contents, interrupted, listening, on
from stopped_store import Server

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes import write_ahead
from ipuaro_jupyter.workspace.changes.transactions import Transactions
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry, UndoneStep
from ipuaro_jupyter.workspace.files import disk, folders
from ipuaro_jupyter.workspace.workspace import SetFile


def apply(workspace, *changes):
    files = [SetFile(Change(path=p, before=b, after=a)) for p, b, a in changes]
    return workspace.apply_set(files, tool="a_tool", title="Change files")


@pytest.fixture
def server(tmp_path):
    folder = tmp_path / "server"
    folder.mkdir()
    server = Server(folder)
    server.start()
    yield server
    server.stop()


def act_on(workspace, act):
    if act == "apply":
        return apply(workspace, *THREE)
    return workspace.undo() if act == "undo" else workspace.redo()


THREE = (("a.ts", b"1", b"2"), ("new/b.ts", None, b"b"), ("c.ts", b"c", None))
BEFORE = {"apply": (), "undo": ("apply",), "redo": ("apply", "undo")}


def prepared(server, root, act):
    """A project on which ``act`` can be done; its states before each of the acts."""
    root.mkdir()
    for path, before, _ in THREE:
        if before is not None:
            (root / path).write_bytes(before)
    states = [snapshot(root)]
    for one in BEFORE[act]:
        act_on(on(server.connect(), root), one)
        states.append(snapshot(root))
    return states


@pytest.mark.parametrize("act", ["apply", "undo", "redo"])
def test_a_store_that_stops_at_any_step_leaves_files_stack_and_report_in_agreement(
    server, tmp_path, act
):
    """What succeeds is on the disk and on the stack, what fails is on neither, at each step."""
    root = tmp_path / "whole"
    prepared(server, root, act)
    store, counted = server.connect_until(None)
    act_on(on(store, root), act)
    new, outcomes = snapshot(root), set()
    for step in range(counted.steps):
        root = tmp_path / f"stopped-{step}"
        old = prepared(server, root, act)[-1]
        workspace = on(server.connect_until(step)[0], root)
        try:
            act_on(workspace, act)
            is_done = True
        except StorageError:
            is_done = False
        assert snapshot(root) == (new if is_done else old), step
        server.start()
        again = on(server.connect(), root)
        listed = again.undoable()
        assert len(listed) == (is_done if act != "undo" else not is_done), step
        assert [one.problem for one in listed] == [""] * len(listed), step
        assert snapshot(root) == (new if is_done else old), step
        if is_done:
            act_on(again, "redo" if act == "undo" else "undo")
        elif act != "apply":
            act_on(again, act)
        assert write_ahead.left(root) == []
        outcomes.add(is_done)
    assert outcomes == {True, False}


@pytest.fixture
def two(opened):
    """Two files, and the change of both."""
    opened.write("a.ts", "1")
    opened.write("b.ts", "1")
    return [("a.ts", b"1", b"2"), ("b.ts", b"1", b"2")]


@pytest.fixture
def opened(open_workspace, room_store, tmp_path):
    return listening(open_workspace, room_store, tmp_path / "project")


def test_a_change_that_was_interrupted_is_taken_back_before_the_next_one(opened, two):
    interrupted(opened, *two, written=["a.ts"])
    new = Change(path="c.ts", before=None, after=b"c")
    opened.workspace.apply(new, tool="t", title="x", reason="It is new.")
    assert contents(opened.root) == {"a.ts": b"1", "b.ts": b"1", "c.ts": b"c"}
    assert opened.told == [
        "A change of 2 files was interrupted and taken back: all of them are as before."
    ]
    assert [one.entry.change.path for one in opened.workspace.undoable()] == ["c.ts"]


def test_a_change_that_was_interrupted_at_its_end_is_kept(opened, two):
    interrupted(opened, *two, written=["a.ts", "b.ts"], pushed=False)
    opened.workspace.recover()
    assert contents(opened.root) == {"a.ts": b"2", "b.ts": b"2"}
    assert opened.told == [
        "A change of 2 files was interrupted at its end: all of them are written."
    ]
    opened.workspace.undo()
    assert contents(opened.root) == {"a.ts": b"1", "b.ts": b"1"}


@pytest.mark.parametrize("pushed", [True, False])
def test_an_undo_that_was_interrupted_is_taken_back(opened, two, pushed):
    for path, _, after in two:
        opened.write(path, after)
    interrupted(opened, *two, act="undo", pushed=pushed, written=["b.ts"])
    assert [one.problem for one in opened.workspace.undoable()] == [""]
    assert contents(opened.root) == {"a.ts": b"2", "b.ts": b"2"}
    assert opened.told[0].startswith("An undo of 2 files was interrupted and taken back")
    assert [back.path for back in opened.workspace.undo()] == ["b.ts", "a.ts"]


def test_an_undo_that_was_interrupted_at_its_end_is_kept(opened):
    opened.write("a.ts", "1")
    interrupted(opened, ("a.ts", b"1", b"2"), act="undo")
    with raises("validation", "nothing to undo"):
        opened.workspace.skip_undo()
    assert opened.told == ["An undo of a.ts was interrupted at its end: the file is written."]
    opened.workspace.redo()
    assert contents(opened.root) == {"a.ts": b"2"}


def test_a_file_that_somebody_has_changed_since_is_left_alone_and_named(opened, two):
    interrupted(opened, *two, ("c.ts", b"1", b"2"), written=["a.ts", "b.ts"])
    opened.write("b.ts", "mine")
    (opened.root / "c.ts").mkdir()
    opened.workspace.recover()
    assert contents(opened.root) == {"a.ts": b"2", "b.ts": b"mine"}
    assert opened.told[0].endswith(
        "Somebody else has changed b.ts, c.ts since, so that was left as it is."
    )


def test_a_journal_that_its_writer_has_in_hand_is_left_to_it(opened, two):
    interrupted(opened, *two, written=["a.ts"])
    (journal,) = write_ahead.abandoned(opened.root)
    opened.workspace.recover()
    assert contents(opened.root)["a.ts"] == b"2"
    assert opened.told == []
    journal.leave()
    opened.workspace.recover()
    assert contents(opened.root)["a.ts"] == b"1"
    assert write_ahead.left(opened.root) == []


def test_a_journal_is_the_users_own_and_not_in_the_project(opened, two):
    interrupted(opened, *two)
    (journal,) = write_ahead.left(opened.root)
    assert stat.S_IMODE(journal.stat().st_mode) == 0o600
    assert stat.S_IMODE(journal.parent.stat().st_mode) == 0o700
    assert not journal.is_relative_to(opened.root)
    (temporary := journal.with_suffix(".tmp")).write_bytes(b"half")
    opened.workspace.recover()
    assert not temporary.exists()
    assert not journal.parent.exists()


def test_a_journal_that_cannot_be_read_stops_changes_until_it_is_gone(opened, two):
    interrupted(opened, *two, written=["a.ts"])
    (journal,) = write_ahead.left(opened.root)
    journal.write_bytes(b"of another version")
    for act in (opened.workspace.recover, opened.workspace.undo):
        with raises("file", "look at them, then remove it"):
            act()
    journal.unlink()
    opened.workspace.undoable()


def test_several_files_are_not_changed_where_no_journal_can_be_written(opened, two, home):
    (home / "journals").write_text("in the way")
    with raises("file", "Nothing was changed: the journal"):
        apply(opened.workspace, *two)
    assert contents(opened.root) == {"a.ts": b"1", "b.ts": b"1"}
    assert opened.workspace.undoable() == []
    assert opened.workspace.apply(Change(path="a.ts", before=b"1", after=b"2"), tool="t", title="x")
    with full_disk(), raises("file", "Nothing was changed"):
        apply(opened.workspace, ("b.ts", b"1", b"2"), ("c.ts", None, b"c"))


def test_a_disk_that_fills_up_in_the_middle_leaves_everything_as_before(opened, two):
    was = contents(opened.root)
    with full_disk(5000), raises("file", r"Cannot write big/c.ts"):
        apply(opened.workspace, *two, ("big/c.ts", None, b"c" * 100_000))
    assert contents(opened.root) == was
    assert not (opened.root / "big").exists()
    assert opened.workspace.undoable() == []
    assert write_ahead.left(opened.root) == []


@pytest.mark.usefixtures("permissions_count")
def test_a_folder_that_cannot_be_written_leaves_everything_as_before(opened, two):
    opened.write("sub/c.ts", "1")
    (opened.root / "sub").chmod(0o500)
    with raises("file", "Cannot write sub/d.ts"):
        apply(opened.workspace, *two, ("sub/c.ts", b"1", None), ("sub/d.ts", None, b"1"))
    (opened.root / "sub").chmod(0o700)
    assert contents(opened.root) == {"a.ts": b"1", "b.ts": b"1", "sub/c.ts": b"1"}
    assert opened.workspace.undoable() == []


@pytest.mark.usefixtures("permissions_count")
def test_what_cannot_be_put_back_is_told_and_tried_again(opened, two):
    """The first file cannot be put back after the deletion of the last one has failed."""
    opened.write("sub/c.ts", "1")
    opened.write("sub/d.ts", "1")
    (opened.root / "sub").chmod(0o500)
    interrupted(opened, ("sub/c.ts", b"0", b"1"), *two, written=["a.ts"])
    with raises("file", r"A change of 3 files was interrupted. Cannot write sub/c.ts"):
        opened.workspace.recover()
    with raises("file", "was interrupted"):
        opened.workspace.undo()
    (opened.root / "sub").chmod(0o700)
    opened.workspace.recover()
    assert contents(opened.root)["sub/c.ts"] == b"0"
    assert contents(opened.root)["a.ts"] == b"1"


@pytest.mark.usefixtures("permissions_count")
def test_what_cannot_be_put_back_at_once_is_named(opened):
    """A failing deletion comes last; meanwhile somebody has locked the folder of an edit."""
    opened.write("sub/c.ts", "1")
    opened.write("last/d.ts", "1")
    stack, transactions = opened.stack, Transactions(opened.root, opened.stack)
    changes = [
        Change(path="sub/c.ts", before=b"1", after=b"2"),
        Change(path="last/d.ts", before=b"1", after=None),
    ]
    entry = UndoEntry(change=changes[0], others=(changes[1],), id="one")
    found = {change.path: disk.read(opened.root, change.path) for change in changes}
    (opened.root / "last").chmod(0o500)

    class Found(dict):
        def __getitem__(self, path):
            if path == "last/d.ts" and (opened.root / "sub/c.ts").read_bytes() == b"2":
                (opened.root / "sub").chmod(0o500)
            return super().__getitem__(path)

    with raises("file", r"Cannot delete last/d.ts.* Not put back: Cannot write sub/c.ts"):
        transactions.carry_out("apply", UndoneStep(entries=(entry,)), changes, Found(found))
    assert len(write_ahead.left(opened.root)) == 1
    for folder in ("sub", "last"):
        (opened.root / folder).chmod(0o700)
    opened.workspace.recover()
    assert contents(opened.root)["sub/c.ts"] == b"1"
    assert stack.all() == []


def test_a_change_that_waited_for_a_kernel_which_is_killed_puts_its_files_right_first(opened, two):
    with ThreadPoolExecutor() as pool:
        with folders.locked(opened.root):
            new = Change(path="c.ts", before=None, after=b"c")
            made = pool.submit(opened.workspace.apply, new, tool="t", title="x")
            time.sleep(0.5)  # it waits for the folder
            interrupted(opened, *two, written=["a.ts"])
        made.result(20)
    assert contents(opened.root) == {"a.ts": b"1", "b.ts": b"1", "c.ts": b"c"}


def test_what_is_no_journal_is_left_alone(opened, two):
    interrupted(opened, *two, written=["a.ts"])
    (journal,) = write_ahead.left(opened.root)
    link = journal.with_name("a-link.journal")
    link.symlink_to("/nowhere")
    opened.workspace.recover()
    assert contents(opened.root)["a.ts"] == b"1"
    link.unlink()
    link.parent.rmdir()


@pytest.mark.parametrize("act", ["undo", "redo"])
def test_what_waited_for_another_change_is_refused(opened, two, act):
    opened.workspace.apply(Change(path="c.ts", before=None, after=b"c"), tool="t", title="x")
    if act == "redo":
        opened.workspace.undo()
    was = contents(opened.root)
    newer = UndoEntry(change=Change(path="d.ts", before=b"1", after=b"2"), id="newer")
    with ThreadPoolExecutor() as pool:
        with folders.locked(opened.root):
            done = pool.submit(act_on, opened.workspace, act)
            time.sleep(0.5)  # it waits for the folder
            opened.stack.push(newer)
        with raises("conflict", f"Not {act[:2]}[a-z]+: there is a newer change by now"):
            done.result(20)
    assert contents(opened.root) == was
    assert {path for path, _, _ in two} <= set(was)
