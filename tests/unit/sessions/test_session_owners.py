"""Who has a session open: one process at a time."""

import gc
import subprocess
import sys
import time

import pytest
from conversations import answer, ask

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.sessions.session import Sessions

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
