"""Who has a session open: one process at a time."""

import gc
import socket
import subprocess
import sys
import time

import pytest
from conversations import answer, ask

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.sessions.open_sessions import note_session, opened_by
from ipuaro_jupyter.sessions.session import Sessions
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.keys import PROJECTS, Keys, project_id

HOLD = """
import sys
from pathlib import Path
from ipuaro_jupyter.sessions.session import Sessions
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.keys import Keys, project_id
session = Sessions(connect(StoreSettings()), Keys(project_id(Path(sys.argv[1])))).open(sys.argv[2])
print("open", flush=True)
input()
"""


def test_a_session_that_another_living_process_has_open_is_left_alone(sessions, tmp_path):
    session = sessions.create()
    session.append(ask("one"))
    sessions.release(session)
    argv = [sys.executable, "-c", HOLD, str(tmp_path), session.id]
    other = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "open\n"
        assert sessions.latest() is None
        for refused in (sessions.open, sessions.delete):
            with pytest.raises(SettingsError, match="open in another kernel"):
                refused(session.id)
    finally:
        other.kill()
        other.communicate(timeout=20)
    assert sessions.latest().id == session.id


def test_a_session_stays_owned_however_long_it_is_open(sessions, store, keys):
    def seconds_left():
        return store.evaluate("return redis.call('TTL', KEYS[1])", keys.owner(session.id))

    session = sessions.create()
    assert 0 < seconds_left() <= 12 * 3600, "one that is never used is not owned for ever"
    session.append(ask("one"))
    assert seconds_left() == -1
    sessions.release(session)
    sessions.open(session.id)
    assert seconds_left() == -1
    assert Sessions(store, keys).latest() is None


def test_who_has_lost_the_session_cannot_go_on(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"))
    session.append(answer("two"))
    store.set(keys.owner(session.id), b"elsewhere:1:2.0:abc")
    with pytest.raises(SettingsError, match="opened by another kernel meanwhile"):
        session.append(ask("three"))
    assert len(session.messages) == store.llen(keys.messages(session.id)) == 2


def test_an_owner_elsewhere_counts_for_half_a_day(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"))
    store.set(keys.owner(session.id), b"elsewhere:1:2.0:abc")
    assert sessions.latest() is None
    store.hset(keys.session(session.id), {"updated_at": repr(time.time() - 50_000).encode()})
    assert sessions.latest().id == session.id


def test_two_in_one_process_never_share_a_session(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"))
    other = Sessions(store, keys)
    assert other.latest() is None
    sessions.release(session)
    assert other.latest().id == session.id


def test_an_older_session_is_not_resumed_for_the_latest_that_is_open_elsewhere(
    sessions, store, keys
):
    older = sessions.create()
    older.append(ask("one"))
    sessions.release(older)
    latest = sessions.create()
    latest.append(ask("two"))
    other = Sessions(store, keys)
    assert other.latest() is None
    assert other.latest_id == latest.id
    assert other.open(older.id).id == older.id


def test_one_that_was_given_up_without_closing_is_free(store, keys):
    session = Sessions(store, keys).create()
    session.append(ask("one"))
    gc.collect()
    assert Sessions(store, keys).latest().id == session.id


def test_an_owner_on_another_machine_is_believed(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"))
    store.set(keys.owner(session.id), b"elsewhere:1:2.0:abc", ex_s=60)
    assert sessions.latest() is None


def _used(sessions):
    session = sessions.create()
    session.append(ask("one"))
    sessions.release(session)
    return session


def test_what_may_be_open_on_another_machine_is_never_dropped(sessions, store, keys):
    session = _used(sessions)
    store.set(keys.owner(session.id), b"elsewhere:1:2.0:abc")
    store.hset(keys.session(session.id), {"updated_at": repr(time.time() - 500_000).encode()})
    assert sessions.drop_unused(session.id) is None
    assert sessions.delete(session.id) == session.id, "a person may say otherwise"


def test_what_a_process_goes_on_with_is_never_dropped_though_others_may_open_it(
    sessions, store, keys, tmp_path
):
    other = Sessions(store, keys)
    other.enter(tmp_path)
    session = _used(other)
    other.go_on_with(session)
    assert sessions.drop_unused(session.id) is None
    other.go_on_with(_used(other))
    assert sessions.drop_unused(session.id).title == "one"
    assert sessions.drop_unused(session.id) is None, "it has gone"
    later = _used(other)
    other.go_on_with(later)
    other.leave()
    assert sessions.drop_unused(later.id).id == later.id


def test_what_a_killed_process_went_on_with_is_dropped(sessions, store, keys):
    session = _used(sessions)
    note_session(store, keys, f"{socket.gethostname()}:1:2.0:abc", session.id)
    assert sessions.drop_unused(session.id).id == session.id


def test_one_that_was_dropped_is_not_opened_again_as_an_empty_one(sessions, store, keys):
    session = _used(sessions)
    dropping = Sessions(store, keys)
    find = sessions.find

    def overtaken(part):
        found = find(part)
        dropping.drop_unused(found)
        return found

    sessions.find = overtaken
    with pytest.raises(SettingsError, match="no session of this project"):
        sessions.open(session.id)
    assert sessions.latest() is None
    assert not list(store.scan(keys.session(session.id).replace(":meta", ":*")))


def test_who_has_a_deleted_session_cannot_go_on(sessions, store, keys):
    session = _used(sessions)
    Sessions(store, keys).delete(session.id)
    with pytest.raises(SettingsError, match="deleted meanwhile"):
        session.append(ask("two"))
    assert sessions.all() == ()


def test_keys_of_another_type_do_not_keep_a_project_from_opening(start_redis, tmp_path):
    store = connect(StoreSettings(url=start_redis[0]))
    keys = Keys(project_id(tmp_path))
    for key in (keys.opened, keys.info, PROJECTS):
        store.delete(key)
        store.lpush(key, b"something else")
    sessions = Sessions(store, keys)
    sessions.enter(tmp_path)
    session = sessions.create()
    sessions.go_on_with(session)
    assert store.hgetall(keys.opened) == {sessions.owner.encode(): session.id.encode()}
    assert store.zscore(PROJECTS, keys.project_id) is not None
    store.delete(keys.opened)
    store.set(keys.opened, b"something else")
    sessions.leave()
    store.close()


def test_a_session_is_open_until_it_is_released(store, keys, sessions):
    session = sessions.create()
    (process,) = opened_by(store, keys)
    assert process.endswith(" on this machine")
    sessions.release(session)
    assert opened_by(store, keys) == ()


def test_a_process_elsewhere_may_have_it_open_and_one_that_has_ended_here_does_not(
    store, keys, sessions
):
    owner = keys.owner(sessions.create().id)
    store.set(owner, b"elsewhere:12:1.0:ab")
    assert opened_by(store, keys) == ("process 12 on elsewhere",)
    store.set(owner, f"{socket.gethostname()}:4194304:1.0:ab".encode())
    assert opened_by(store, keys) == ()
