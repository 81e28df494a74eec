"""What the assistant makes again, and what it lists."""

import re
import time

import pytest
from killed_changes import state

from ipuaro_jupyter.assistant.undone import undo_list
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.undoing import UndoableChange
from ipuaro_jupyter.workspace.changes import write_ahead
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry, UndoneStep
from ipuaro_jupyter.workspace.changes.write_ahead import Intent

EDIT = """<tool_call name="edit_lines"><path>a.ts</path><start>1</start><end>1</end>
<content>A</content></tool_call>"""
READ = """<tool_call name="get_lines"><path>a.ts</path></tool_call>"""


@pytest.fixture
def asked(make_project, open_assistant):
    """Give an assistant after a message that changed a file, and a change of the user's."""
    root = make_project({"a.ts": "a\n"})
    assistant = open_assistant(root, [READ, EDIT, "Done."], auto_apply=True)
    assistant.ask("Change a")
    assistant.call("create_file", {"path": "b.ts", "content": "export const b = 1\n"})
    return assistant


def test_redo_makes_again_what_undo_took_back(asked):
    done = state(asked.root)
    asked.undo()
    asked.undo()
    assert asked.session.edits_undone == 2
    assert asked.redo().text() == "Redone: a.ts was changed again."
    result = asked.redo()
    assert result.text() == "Redone: b.ts was created again."
    assert result.output.shape().old is None
    assert state(asked.root) == done
    assert asked.session.edits_undone == 0
    assert asked.redo().error.message == "There is nothing to redo."


def test_the_index_follows_a_redo(asked):
    asked.undo()
    assert asked.call("find_definition", {"symbol": "b"}).output.definitions == ()
    asked.redo()
    assert len(asked.call("find_definition", {"symbol": "b"}).output.definitions) == 1


def test_redo_survives_a_restart(asked, open_assistant):
    asked.undo()
    asked.close()
    again = open_assistant(asked.root, [])
    assert again.redo().success
    assert (asked.root / "b.ts").exists()


def test_what_can_be_undone_is_listed(asked):
    newest, older = asked.undoable()
    assert (newest.number, newest.by_user, newest.title) == (1, True, "create_file")
    assert (older.number, older.by_user, older.title) == (2, False, "Change a")
    (file,) = older.files
    assert (file.path, file.kind, file.added, file.removed) == ("a.ts", "edit", 1, 1)
    assert abs(newest.at - time.time()) < 60
    assert re.sub(r"\d\d:\d\d", "HH:MM", asked.ask("/undo list").text).splitlines() == [
        "2 changes to undo, the newest first:",
        "- 1: create b.ts (HH:MM, +1 -0, for your call of create_file); can be undone",
        "- 2: edit a.ts (HH:MM, +1 -1, for Change a); can be undone after those before it",
    ]


def test_the_list_says_what_a_redo_makes_again(asked):
    asked.undo()
    told = asked.ask("/undo list").text.splitlines()
    assert told[0] == "1 change to undo, the newest first:"
    assert told[-1] == "Redo makes again what was undone last: create b.ts."
    (again,) = asked.undoable(redo=True)
    assert again.files[0].path == "b.ts"
    asked.redo()
    assert asked.undoable(redo=True) == ()


def test_the_list_tells_the_day_of_an_older_change_and_no_time_of_a_very_old_one():
    one = UndoableChange(number=1, files=(), at=0.0)
    assert "(+0 -0)" in undo_list([one]).text()
    older = one.model_copy(update={"at": 1e9})
    assert re.search(r"\(2\d{3}-\d\d-\d\d \d\d:\d\d, ", undo_list([older]).text())


def test_the_list_says_how_many_changes_are_kept_once_there_are_so_many():
    one, two = (UndoableChange(number=number, files=(), at=0.0) for number in (1, 2))
    assert "kept" not in undo_list([one], most=2).text()
    told = undo_list([one, two], most=2).text().splitlines()[-1]
    assert told == "Only the newest 2 are kept: `undo.stackSize` in the settings says how many."


def test_the_list_says_what_prevents_an_undo(asked):
    (asked.root / "b.ts").write_text("mine")
    first, second = asked.ask("/undo --list").text.splitlines()[1:]
    assert first.endswith("; cannot be undone: b.ts has been changed since.")
    assert second.endswith("; cannot be undone before 1, which stands in the way")


def test_redo_can_be_typed(asked):
    assert asked.ask("/undo list").text
    asked.ask("/undo")
    assert asked.ask("/redo").text == "Redone: b.ts was created again."
    assert "nothing to redo" in asked.ask("/redo").text
    asked.ask("/undo")
    asked.ask("/undo")
    told = asked.ask("/undo list").text.splitlines()
    assert told == [
        "There is nothing to undo.",
        "Redo makes again what was undone last: edit a.ts.",
    ]


def test_an_interrupted_change_is_put_right_at_the_start_and_told(asked, open_assistant):
    """Its kernel was killed when one of two files was written."""
    root, session = asked.root, asked.session.id
    asked.close()
    changes = [
        Change(path="a.ts", before=b"A\n", after=b"1\n"),
        Change(path="c.ts", before=None, after=b"c\n"),
    ]
    entry = UndoEntry(change=changes[0], others=tuple(changes[1:]), id="interrupted")
    intent = Intent(
        act="apply",
        session=session,
        step=UndoneStep(entries=(entry,)),
        modes={"a.ts": 0o644, "c.ts": None},
    )
    write_ahead.begin(root, intent).leave()
    (root / "c.ts").write_bytes(b"c\n")
    again = open_assistant(root, [])
    told = "A change of 2 files was interrupted and taken back: all of them are as before."
    assert told in again.notices
    assert told in again.status().notices
    assert not (root / "c.ts").exists()
    assert [one.title for one in again.undoable()] == ["create_file", "Change a"]
    assert "c.ts" not in again.call("get_structure").text()
