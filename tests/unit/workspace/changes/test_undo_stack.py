"""What is remembered of a session survives its objects."""

from uuid import uuid4

import pytest

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.store.keys import Keys
from ipuaro_jupyter.workspace.changes.undo_stack import (
    ShownFiles,
    UndoEntry,
    UndoneStep,
    UndoStack,
)

KEYS = Keys("undo-test")


def entry(number, **fields):
    change = Change(path=f"{number}.ts", before=b"\x00\xff\r\n", after=None, mode=0o755)
    return UndoEntry(change=change, **fields)


def put(stack, *entries):
    for one in entries:
        stack.push(one)
        stack.tidy(one)


def take(stack, count=1):
    entries = tuple(stack.all()[:count])
    stack.move_to_redo(UndoneStep(entries=entries, onto=stack.below(count)))


@pytest.fixture
def session():
    return uuid4().hex


@pytest.fixture
def stack(room_store, session):
    return UndoStack(room_store, KEYS, session, depth=3)


def test_the_newest_entry_is_on_top_and_comes_back_byte_by_byte(stack):
    put(stack, entry(1))
    put(stack, entry(2, folders=("a", "a/b")))
    assert stack.newest() == entry(2, folders=("a", "a/b"))
    take(stack)
    assert stack.newest() == entry(1)
    take(stack)
    assert stack.newest() is None
    assert len(stack) == 0


def test_only_the_newest_entries_are_kept(stack):
    for number in range(5):
        put(stack, entry(number))
    assert len(stack) == 3
    assert stack.newest() == entry(4)


def test_the_newest_turn_is_kept_whole(stack):
    put(stack, entry(0))
    for number in range(5):
        put(stack, entry(number, turn="one", position=number))
    assert [each.position for each in stack.turn()] == [4, 3, 2, 1, 0]
    assert len(stack) == 5
    put(stack, entry(6, turn="two"))
    assert [each.turn for each in stack.turn()] == ["two"]
    assert len(stack) == 3
    take(stack, 2)
    assert [each.position for each in stack.turn()] == [3]


def test_entries_without_a_turn_stand_alone(stack):
    put(stack, entry(1))
    put(stack, entry(2))
    assert stack.turn() == [entry(2)]
    take(stack, 2)
    assert stack.turn() == []


def test_the_stack_survives_a_restart_and_belongs_to_its_session(stack, room_store, session):
    put(stack, entry(1))
    assert UndoStack(room_store, KEYS, session).newest() == entry(1)
    assert UndoStack(room_store, KEYS, uuid4().hex).newest() is None


def test_an_entry_that_cannot_be_read_is_dropped_and_told(stack, room_store, session):
    put(stack, entry(1))
    room_store.lpush(KEYS.undo(session), b"of another version")
    assert stack.newest() == entry(1)
    assert len(stack) == len(room_store.take_losses()) == 1


def test_what_was_undone_by_another_version_cannot_be_redone(stack, room_store, session):
    put(stack, entry(1, id="one"))
    take(stack)
    step = stack.undone()
    assert step.entries == (entry(1, id="one"),)
    room_store.lpush(KEYS.redo(session), b"of another version")
    assert stack.undone() is None
    assert stack.settle(step, on="undo")
    assert not stack.settle(step, on="undo")
    assert stack.all() == [entry(1, id="one")]


def test_an_entry_that_cannot_be_read_stays_below_one_that_is_removed(stack, room_store, session):
    put(stack, entry(1))
    room_store.lpush(KEYS.undo(session), b"of another version")
    put(stack, entry(2))
    assert stack.remove_first(lambda one: one == entry(1)) == entry(1)
    assert stack.all() == [entry(2)]
    assert stack.remove_first(lambda _: False) is None


def test_shown_versions_are_remembered_by_path(room_store, session):
    shown = ShownFiles(room_store, KEYS, session)
    assert shown.get("é/a.ts") is None
    shown.note("é/a.ts", "one")
    shown.note("é/a.ts", "two")
    assert ShownFiles(room_store, KEYS, session).get("é/a.ts") == "two"
    assert ShownFiles(room_store, KEYS, uuid4().hex).get("é/a.ts") is None
    shown.forget("é/a.ts")
    assert shown.get("é/a.ts") is None


def test_entries_that_the_store_has_lost_are_missed(stack, room_store, session):
    assert not stack.is_lost
    put(stack, entry(1))
    take(stack)
    assert not stack.is_lost
    put(stack, entry(2))
    room_store.delete(KEYS.undo(session))
    assert stack.is_lost


def test_entries_of_an_earlier_process_are_missed_once_they_were_seen(stack, room_store, session):
    put(stack, entry(1))
    later = UndoStack(room_store, KEYS, session)
    assert later.newest() is not None
    room_store.delete(KEYS.undo(session))
    assert later.is_lost


def test_shown_versions_in_a_key_of_another_type_begin_anew(room_store, session):
    shown = ShownFiles(room_store, KEYS, session)
    shown.note("a.ts", "one")
    room_store.delete(KEYS.shown(session))
    room_store.set(KEYS.shown(session), b"x")
    assert shown.get("a.ts") is None
    shown.note("a.ts", "two")
    assert shown.get_all(["a.ts", "b.ts"]) == ["two", None]
    assert len(room_store.take_losses()) == 1


def test_garbage_in_the_place_of_a_command_makes_all_later_changes_its_own(room_store, session):
    shown = ShownFiles(room_store, KEYS, session)
    shown.note_command("id", 5)
    (field,) = room_store.hkeys(KEYS.shown(session))
    room_store.hset(KEYS.shown(session), {field: b"\xff"})
    assert shown.commands() == {"id": 0}
