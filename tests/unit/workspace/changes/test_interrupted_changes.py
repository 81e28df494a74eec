"""What is said and done about a change that was interrupted at an awkward place."""

import pytest
from interrupted_changes import contents, listening

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
