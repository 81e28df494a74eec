"""What cannot be read of stored sessions is counted and told."""

import socket

import pytest
from conversations import answer, ask

from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.records.head import Head
from ipuaro_jupyter.sessions.open_sessions import opened_by
from ipuaro_jupyter.sessions.session_check import check_sessions


@pytest.fixture
def session(sessions):
    made = sessions.create()
    made.append(ask("How?"))
    made.append(answer("So."))
    made.keep_head(Head(made_of="1", system="Rules.", shown=("grep",), guides={}))
    proposal = Proposal(id="p", kind="edit", tool="edit_lines", title="t")
    made.note_decision(proposal, Decision(action="apply", by="user"))
    change = Change(path="a.ts", before=b"1", after=b"2", mode=0o644)
    made.note_change(change, within_turn=True)
    return made


def told(store, keys):
    return [(one.kind, one.what) for one in check_sessions(store, keys)]


def test_what_was_written_is_whole(store, keys, session):
    del session
    assert check_sessions(store, keys) == []


@pytest.mark.parametrize(
    ("name", "noun"),
    [("messages", "message"), ("actions", "undo or redo"), ("decisions", "decision")],
)
def test_a_value_that_cannot_be_read_is_told(store, keys, session, name, noun):
    store.rpush(getattr(keys, name)(session.id), b'{"role": "us')
    assert told(store, keys) == [("garbled", f"1 {noun} of session {session.id}")]


@pytest.mark.parametrize(
    ("place", "noun"),
    [
        ("session created_at", "title, time or count"),
        ("head head", "head of its requests"),
        ("found a.ts", "earlier file version"),
    ],
)
def test_a_field_that_cannot_be_read_is_told(store, keys, session, place, noun):
    name, field = place.split()
    store.hset(getattr(keys, name)(session.id), {field: b"\xff"})
    assert told(store, keys) == [("garbled", f"1 {noun} of session {session.id}")]


def test_messages_that_are_missing_are_told(store, keys, session):
    store.ltrim(keys.messages(session.id), 1, -1)
    (found,) = check_sessions(store, keys)
    assert (found.kind, found.what) == ("missing", f"1 message of session {session.id}")
    assert f"%ipuaro sessions delete {session.id}" in found.remedy


def test_a_key_that_holds_something_else_is_told(store, keys, session):
    store.delete(keys.messages(session.id))
    store.set(keys.messages(session.id), b"1")
    assert told(store, keys) == [("garbled", f"1 message of session {session.id}")]


def test_a_list_of_sessions_that_holds_something_else_is_told(store, keys, session):
    del session
    store.delete(keys.sessions)
    store.set(keys.sessions, b"1")
    assert told(store, keys) == [("garbled", "the list of this project's sessions")]


def test_a_version_that_cannot_be_read_is_told(store, keys, session):
    store.hset(keys.shown(session.id), {"a.ts": b"\xff"})
    what = f"1 seen file version of session {session.id}"
    assert told(store, keys) == [("garbled", what)]


def test_questions_that_cannot_be_read_are_told(store, keys, session):
    del session
    store.rpush(keys.history, b"{}", b"x")
    assert told(store, keys) == [("garbled", "2 entries of the list of questions")]


def test_a_cleared_session_is_whole(store, keys, session):
    session.clear()
    assert check_sessions(store, keys) == []


def test_a_session_is_open_until_it_is_released(store, keys, session, sessions):
    (process,) = opened_by(store, keys)
    assert process.endswith(" on this machine")
    sessions.release(session)
    assert opened_by(store, keys) == ()


def test_a_process_elsewhere_may_have_it_open_and_one_that_has_ended_here_does_not(
    store, keys, session
):
    store.set(keys.owner(session.id), b"elsewhere:12:1.0:ab")
    assert opened_by(store, keys) == ("process 12 on elsewhere",)
    store.set(keys.owner(session.id), f"{socket.gethostname()}:4194304:1.0:ab".encode())
    assert opened_by(store, keys) == ()
