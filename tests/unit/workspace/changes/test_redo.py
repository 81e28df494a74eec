"""An undo can be undone, as long as nothing else was changed."""

import stat

import pytest
from folder_states import raises, snapshot

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes.undo_stack import UndoTurn
from ipuaro_jupyter.workspace.workspace import SetFile


@pytest.fixture
def edited(opened):
    """Three changes, the last two in one turn; and the states before and after each."""
    opened.write("a.ts", "1")
    states = [snapshot(opened.root)]
    for turn, path, after in (("", "a.ts", b"2"), ("t", "new/b.ts", b"b"), ("t", "a.ts", None)):
        opened.workspace.turn = UndoTurn(
            id=turn or "first", count=int(path == "a.ts" and bool(turn))
        )
        place = opened.root / path
        opened.apply(path, place.read_bytes() if place.exists() else None, after)
        states.append(snapshot(opened.root))
    opened.changes.clear()
    return opened, states


def test_redo_makes_again_what_undo_took_back(edited):
    opened, states = edited
    for state in reversed(states[:-1]):
        opened.workspace.undo()
        assert snapshot(opened.root) == state
    for state in states[1:]:
        opened.workspace.redo()
        assert snapshot(opened.root) == state
    with raises("validation", "nothing to redo"):
        opened.workspace.redo()
    opened.workspace.undo()
    assert snapshot(opened.root) == states[-2]


def test_redo_tells_of_its_changes(edited):
    opened, _ = edited
    opened.workspace.undo()
    opened.changes.clear()
    (made,) = opened.workspace.redo()
    assert (made.path, made.kind, made.before) == ("a.ts", "delete", b"2")
    assert opened.changes == [made]


def test_what_was_undone_as_one_is_redone_as_one(edited):
    opened, states = edited
    assert opened.workspace.redoable() == []
    opened.workspace.undo_turn()
    assert snapshot(opened.root) == states[1]
    assert [(one.entry.change.path, one.problem) for one in opened.workspace.redoable()] == [
        ("a.ts", ""),
        ("new/b.ts", ""),
    ]
    assert [(c.path, c.kind) for c in opened.workspace.redo()] == [
        ("new/b.ts", "create"),
        ("a.ts", "delete"),
    ]
    assert snapshot(opened.root) == states[-1]
    opened.workspace.undo()
    assert snapshot(opened.root) == states[2]


def test_a_set_is_redone_as_one(opened):
    opened.write("a.ts", "1")
    files = [
        SetFile(Change(path="a.ts", before=b"1", after=b"2")),
        SetFile(Change(path="deep/b.ts", before=None, after=b"b")),
    ]
    opened.workspace.apply_set(files, tool="a_tool", title="x")
    done = snapshot(opened.root)
    opened.workspace.undo()
    opened.workspace.redo()
    assert snapshot(opened.root) == done


def test_a_new_change_ends_what_can_be_redone(edited):
    opened, _ = edited
    opened.workspace.undo()
    opened.apply("c.ts", None, b"c")
    with raises("validation", "nothing to redo"):
        opened.workspace.redo()
    opened.workspace.undo()
    assert [change.path for change in opened.workspace.redo()] == ["c.ts"]
    with raises("validation", "nothing to redo"):
        opened.workspace.redo()


def test_redo_is_refused_when_the_file_has_changed_since(edited):
    opened, states = edited
    opened.workspace.undo()
    opened.write("a.ts", "mine")
    with raises("conflict", "Not redone: a.ts has been changed since"):
        opened.workspace.redo()
    assert (opened.root / "a.ts").read_bytes() == b"mine"
    opened.write("a.ts", "2")
    opened.workspace.redo()
    assert snapshot(opened.root) == states[-1]


def test_what_was_made_again_by_hand_can_be_undone(opened):
    opened.write("a.ts", "1")
    opened.apply("a.ts", b"1", b"2")
    opened.workspace.undo()
    opened.write("a.ts", "2")
    with raises("conflict", "a.ts is as after the change already"):
        opened.workspace.redo()
    opened.workspace.undo()
    assert (opened.root / "a.ts").read_bytes() == b"1"


def test_redo_survives_a_restart(open_workspace, tmp_path):
    first = open_workspace(tmp_path, session="again-redo")
    first.apply("new/a.ts", None, b"x")
    first.workspace.undo()
    again = open_workspace(tmp_path, session="again-redo")
    again.workspace.redo()
    assert (tmp_path / "new/a.ts").read_bytes() == b"x"
    again.workspace.undo()


def test_permissions_come_back(opened):
    opened.write("run.sh", "1").chmod(0o750)
    opened.apply("run.sh", b"1", b"2")
    opened.workspace.undo()
    opened.workspace.redo()
    assert stat.S_IMODE((opened.root / "run.sh").stat().st_mode) == 0o750


def test_what_stands_in_the_way_can_be_forgotten_between(opened):
    """The change below what was undone goes; what was undone can still be redone."""
    opened.write("a.ts", "1")
    opened.apply("b.ts", None, b"b")
    opened.apply("a.ts", b"1", b"2")
    opened.apply("c.ts", None, b"c")
    opened.workspace.undo()
    opened.write("a.ts", "mine")
    opened.workspace.skip_undo()
    assert [change.path for change in opened.workspace.redo()] == ["c.ts"]
    assert [change.path for _ in range(2) for change in opened.workspace.undo()] == [
        "c.ts",
        "b.ts",
    ]


def test_redo_goes_as_deep_as_undo(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, undo_depth=2)
    for number in range(3):
        opened.apply(f"{number}.ts", None, b"x")
    opened.workspace.undo()
    opened.workspace.undo()
    opened.workspace.redo()
    opened.workspace.redo()
    assert sorted(snapshot(tmp_path)) == ["0.ts", "1.ts", "2.ts"]


def test_what_can_be_undone_is_listed_with_what_prevents_it(edited):
    opened, _ = edited
    listed = opened.workspace.undoable()
    assert [(one.entry.change.path, one.problem) for one in listed] == [
        ("a.ts", ""),
        ("new/b.ts", ""),
        ("a.ts", ""),
    ]
    opened.write("new/b.ts", "mine")
    assert [one.problem for one in opened.workspace.undoable()] == [
        "",
        "new/b.ts has been changed since.",
        "",
    ]
