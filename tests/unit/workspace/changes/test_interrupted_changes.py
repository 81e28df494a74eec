"""What is said and done about a change that was interrupted at an awkward place."""

import os
import sys

import pytest
from interrupted_changes import contents, interrupted, listening

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes import write_ahead
from ipuaro_jupyter.workspace.changes.transactions import Transactions
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry, UndoneStep
from ipuaro_jupyter.workspace.files import disk

ONE = ("a.ts", b"1", b"2")


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
