"""A key of a session that holds something else is begun anew when the session is opened."""

import pytest
from conversations import answer, ask

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.sessions.session import Sessions

PARTS = {
    "session": "title, times and counts",
    "messages": "messages",
    "head": "head of its requests",
    "undo": "changes that can be undone",
    "redo": "changes that can be redone",
    "actions": "undos and redos",
    "shown": "versions of files that its model has seen",
    "decisions": "decisions",
    "found": "earlier versions of files",
}


@pytest.fixture
def session_id(sessions):
    session = sessions.create()
    session.append(ask("How?"))
    session.append(answer("So."))
    sessions.release(session)
    return session.id


def put_something_else(store, key):
    store.delete(key)
    if key.endswith(":owner"):
        store.rpush(key, b"x")
    else:
        store.set(key, b"x")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_begins_anew_and_that_is_told(store, keys, sessions, session_id, part):
    put_something_else(store, getattr(keys, part)(session_id))
    session = sessions.open(session_id)
    session.append(ask("And now?"))
    (told,) = sessions.losses
    assert f"in the place of the {PARTS[part]} of session {session_id}: " in told
    assert session.info.messages == (1 if part == "messages" else 3)


def test_an_owner_of_another_type_is_none(store, keys, sessions, session_id):
    put_something_else(store, keys.owner(session_id))
    assert sessions.open(session_id).id == session_id
    assert sessions.losses == []


@pytest.mark.parametrize("value", [b"1.5", b" 5", b"1_0", b"05", b"", b"9223372036854775807"])
def test_counts_that_cannot_be_added_to_begin_anew(store, keys, sessions, session_id, value):
    wrong = {"messages": b"\xff", "tool_calls": value, "edits_applied": b"-1"}
    store.hset(keys.session(session_id), wrong)
    session = sessions.open(session_id)
    session.append(ask("And now?"))
    session.count({"tool_calls": 1, "edits_applied": 3})
    assert "the counts of session" in sessions.losses[0]
    info = session.info
    assert (info.messages, info.tool_calls, info.edits_applied) == (3, 1, 2)


@pytest.mark.parametrize("value", [b"nan", b"inf", b"-1", b"1e300", b"x"])
def test_a_time_that_is_none_is_left_out(store, keys, sessions, session_id, value):
    store.hset(keys.session(session_id), {"created_at": value, "updated_at": value})
    (found,) = sessions.all()
    assert (found.created_at, found.updated_at) == (0.0, 0.0)
    assert "(2 messages, not used yet)" in found.resumed()


def test_messages_that_are_lost_are_told_once(store, keys, sessions, session_id):
    store.delete(keys.messages(session_id))
    sessions.release(sessions.open(session_id))
    assert sessions.open(session_id).info.messages == 0
    assert sessions.losses == [f"The server has lost 2 messages of session {session_id}."]


def test_messages_that_cannot_be_read_are_told(store, keys, sessions, session_id):
    store.rpush(keys.messages(session_id), b'{"role": "us')
    assert len(sessions.open(session_id).messages) == 2
    (told,) = store.take_losses()
    assert told.startswith(f"Without 1 message of session {session_id}: ")


def test_a_session_that_is_open_elsewhere_is_left_as_it_is(store, keys, sessions, session_id):
    """Its kernel may be writing into it."""
    sessions.open(session_id)
    put_something_else(store, keys.undo(session_id))
    store.hset(keys.session(session_id), {"messages": b"9"})
    other = Sessions(store, keys)
    with pytest.raises(SettingsError, match="is open in another kernel"):
        other.open(session_id)
    assert other.losses == []
    assert store.hget(keys.session(session_id), "messages") == b"9"
    assert store.exists(keys.undo(session_id))


def test_a_damaged_session_is_deleted_without_a_word(store, keys, sessions, session_id):
    put_something_else(store, keys.undo(session_id))
    put_something_else(store, keys.owner(session_id))
    assert sessions.delete(session_id) == session_id
    assert sessions.losses == []
    assert [*store.scan(keys.session(session_id).replace(":meta", ":*"))] == []


def test_the_list_of_sessions_is_restored(store, keys, session_id, tmp_path):
    put_something_else(store, keys.sessions)
    put_something_else(store, keys.history)
    sessions = Sessions(store, keys)
    sessions.enter(tmp_path)
    (found,) = sessions.all()
    assert (found.id, found.messages) == (session_id, 2)
    assert sessions.inputs() == ()
    questions, listed = sessions.losses
    assert "the list of questions of this project" in questions
    assert listed.endswith("is restored.")
    sessions.leave()


def test_a_session_whose_data_cannot_be_read_is_listed(store, keys, sessions, session_id):
    put_something_else(store, keys.session(session_id))
    assert [one.title for one in sessions.all()] == ["(cannot be read)"]
    store.zadd(keys.sessions, {b"\xff garbage": 9e9})
    assert [one.id for one in sessions.all()] == [session_id]
