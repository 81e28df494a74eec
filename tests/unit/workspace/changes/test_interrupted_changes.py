"""What is said and done about a change that was interrupted at an awkward place."""

import os
import sys

import pytest
from folder_states import raises
from interrupted_changes import contents, interrupted, listening

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes import write_ahead
from ipuaro_jupyter.workspace.changes.forgotten import forget_journals, has_journals, put_right
from ipuaro_jupyter.workspace.changes.transactions import Transactions
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry, UndoneStep
from ipuaro_jupyter.workspace.files import disk

ONE = ("a.ts", b"1", b"2")
THREE = (ONE, ("b.ts", b"1", b"2"), ("c.ts", b"1", b"2"))


@pytest.fixture
def opened(open_workspace, room_store, tmp_path):
    opened = listening(open_workspace, room_store, tmp_path / "project")
    for path in ("a.ts", "b.ts", "c.ts"):
        opened.write(path, "1")
    return opened


class Stopped(Transactions):
    """Ctrl-C comes when the files are written, and the journal is still there."""

    def _remove_folders(self, intent):
        del intent
        raise KeyboardInterrupt


def test_a_change_that_is_stopped_once_it_is_written_leaves_its_journal_to_the_next(opened):
    change = Change(path="a.ts", before=b"1", after=b"2")
    step = UndoneStep(entries=(UndoEntry(change=change, id="one"),))
    found = {"a.ts": disk.read(opened.root, "a.ts")}
    with pytest.raises(KeyboardInterrupt):
        Stopped(opened.root, opened.stack).carry_out("apply", step, [change], found)
    opened.workspace.apply(Change(path="a.ts", before=b"2", after=b"3"), tool="t", title="x")
    assert write_ahead.left(opened.root) == []
    assert opened.told == ["A change of a.ts was interrupted at its end: the file is written."]
    opened.workspace.undo()
    opened.workspace.undo()
    assert contents(opened.root)["a.ts"] == b"1"


def test_an_empty_journal_is_dropped_since_nothing_was_written_after_it(opened):
    interrupted(opened, ONE)
    (journal,) = write_ahead.left(opened.root)
    journal.write_bytes(b"")
    opened.apply("b.ts", b"1", b"2")
    assert write_ahead.left(opened.root) == []
    assert contents(opened.root) == {"a.ts": b"1", "b.ts": b"2", "c.ts": b"1"}


def test_the_journal_of_a_single_file_is_on_the_disk_before_anything_is_written(opened):
    synced = []

    def note(_frame, event, function):
        if event == "c_call" and function is os.fsync:
            synced.append(function)

    sys.setprofile(note)
    try:
        interrupted(opened, ONE)
    finally:
        sys.setprofile(None)
    assert len(synced) == 2  # the journal, and the folder with its name


def test_a_file_that_has_become_a_folder_does_not_hold_up_the_others(opened):
    interrupted(opened, *THREE, written=["a.ts"])
    (opened.root / "b.ts").unlink()
    (opened.root / "b.ts").mkdir()
    opened.workspace.recover()
    assert contents(opened.root) == {"a.ts": b"1", "c.ts": b"1"}
    (told,) = opened.told
    assert told == (
        "A change of 3 files was interrupted and taken back: all but b.ts are as before. "
        "Somebody else has changed b.ts since, so that was left as it is."
    )
    assert opened.workspace.undoable() == []
    assert write_ahead.left(opened.root) == []


@pytest.mark.usefixtures("permissions_count")
def test_what_cannot_be_put_back_is_told_with_the_journal_and_the_way_out(opened):
    opened.write("sub/d.ts", "1")
    interrupted(opened, ("sub/d.ts", b"1", b"2"), ONE, written=["sub/d.ts"])
    (opened.root / "sub").chmod(0o500)
    (journal,) = write_ahead.left(opened.root)
    with raises("file", f"put the files right yourself and remove the journal '{journal}'"):
        opened.workspace.recover()
    (opened.root / "sub").chmod(0o700)
    (opened.root / "sub/d.ts").write_bytes(b"1")
    journal.unlink()
    opened.apply("b.ts", b"1", b"2")
    assert opened.told == []


@pytest.mark.parametrize("act", ["apply", "undo", "redo"])
def test_of_files_that_somebody_else_has_changed_all_nothing_is_claimed(opened, act):
    interrupted(opened, ONE, act=act)
    opened.write("a.ts", "mine")
    opened.workspace.recover()
    (told,) = opened.told
    assert told.endswith(
        "of a.ts was interrupted, and somebody else has changed a.ts since. Whether it was written "
        "is unknown, so nothing was touched."
    )
    assert contents(opened.root)["a.ts"] == b"mine"
    (one,) = opened.workspace.undoable()
    assert one.problem == "a.ts has been changed since."


def test_a_change_goes_on_beside_a_journal_that_its_writer_has_in_hand(opened):
    interrupted(opened, ONE)
    (journal,) = write_ahead.abandoned(opened.root)
    opened.apply("b.ts", b"1", b"2")
    assert write_ahead.left(opened.root) == [journal.path]
    journal.leave()
    opened.workspace.recover()
    assert write_ahead.left(opened.root) == []


def test_a_file_that_an_interrupted_change_has_created_is_removed(opened):
    interrupted(opened, ("new.ts", None, b"new"), ONE, written=["new.ts"])
    opened.workspace.recover()
    assert contents(opened.root) == {"a.ts": b"1", "b.ts": b"1", "c.ts": b"1"}


def test_what_is_forgotten_leaves_no_journal_except_one_in_hand(opened):
    interrupted(opened, ONE)
    (journal,) = write_ahead.left(opened.root)
    (in_hand,) = write_ahead.abandoned(opened.root)
    journal.with_name("broken.journal").write_bytes(b"nonsense")
    forget_journals(opened.root)
    assert write_ahead.left(opened.root) == [journal]
    assert has_journals(opened.root)
    in_hand.leave()
    forget_journals(opened.root)
    assert not journal.parent.exists()
    forget_journals(opened.root)
    assert not has_journals(opened.root)


def test_an_interrupted_change_is_put_right_before_it_is_forgotten(opened):
    interrupted(opened, *THREE, written=("b.ts",))
    assert put_right(opened.root / "gone", opened.stack) == ()
    (told,) = put_right(opened.root, opened.stack)
    assert "interrupted" in told
    assert set(contents(opened.root).values()) == {b"1"}
