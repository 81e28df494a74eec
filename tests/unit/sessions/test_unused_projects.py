"""Projects that nobody has used for long are dropped, and no others."""

import socket
import time

import pytest

from ipuaro_jupyter.sessions.session import Sessions
from ipuaro_jupyter.sessions.unused_projects import forget_unused
from ipuaro_jupyter.store.keys import PROJECTS, Keys, project_id
from ipuaro_jupyter.store.projects import note_opened, stored_projects

_AGO_S = 91 * 86_400
_KILLED = f"{socket.gethostname()}:4194304:1.0:ab"


@pytest.fixture
def old(store, tmp_path):
    """The keys of a project that was opened long ago and has an index."""
    return _opened_long_ago(store, tmp_path / "old")


def _opened_long_ago(store, root):
    note_opened(store, root)
    keys = Keys(project_id(root))
    store.hset(keys.files, {"x.ts": b"1"})
    store.zadd(PROJECTS, {keys.project_id: time.time() - _AGO_S})
    return keys


def _forgotten(store):
    return [one.project_id for one in forget_unused(store, days=90)]


def test_what_nobody_opened_for_long_goes_with_all_that_is_held(store, old, tmp_path):
    note_opened(store, tmp_path / "new")
    assert _forgotten(store) == [old.project_id]
    assert list(store.scan(old.pattern)) == []
    listed = [one.project_id for one in stored_projects(store)]
    assert project_id(tmp_path / "new") in listed
    assert old.project_id not in listed


def test_what_is_open_stays_without_a_session_of_its_own(store, old, tmp_path):
    sessions = Sessions(store, old)
    sessions.enter(tmp_path / "old")
    store.zadd(PROJECTS, {old.project_id: time.time() - _AGO_S})
    assert _forgotten(store) == []
    assert store.exists(old.files)
    sessions.leave()
    assert _forgotten(store) == [old.project_id]


def test_who_opens_a_project_clears_those_that_were_killed(store, old, tmp_path):
    store.hset(old.opened, {_KILLED: b"", "elsewhere:12:1.0:ab": b""})
    sessions = Sessions(store, old)
    sessions.enter(tmp_path / "old")
    noted = {name.decode() for name in store.hkeys(old.opened)}
    assert noted == {sessions.owner, "elsewhere:12:1.0:ab"}


def test_what_was_used_since_it_was_opened_stays(store, old):
    store.zadd(old.sessions, {"20260101-abc": time.time() - 5 * 86_400})
    assert _forgotten(store) == []
    store.zadd(old.sessions, {"20260101-abc": time.time() - _AGO_S})
    assert _forgotten(store) == [old.project_id]


@pytest.mark.parametrize("key", ["sessions", "opened", "info"])
def test_a_key_of_another_type_keeps_its_project_and_no_other(store, old, tmp_path, key):
    other = _opened_long_ago(store, tmp_path / "other")
    store.delete(getattr(old, key))
    store.set(getattr(old, key), b"not ours")
    assert _forgotten(store) == [other.project_id]
    assert store.exists(old.files)


def test_what_is_being_indexed_stays(store, old):
    store.set(old.lock, b"a writer", ex_s=60)
    assert _forgotten(store) == []
    assert store.exists(old.files)
