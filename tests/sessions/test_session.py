import gc
import subprocess
import sys

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.sessions.session import Sessions
from ipuaro_jupyter.store.keys import Keys, project_id


@pytest.fixture
def keys(tmp_path):
    return Keys(project_id(tmp_path))


@pytest.fixture
def sessions(store, keys):
    return Sessions(store, keys)


def ask(text):
    return Message(role="user", content=text)


def answer(text, *calls):
    return Message(role="assistant", content=text, calls=calls)


def test_messages_are_kept_in_order_with_their_counts(sessions):
    session = sessions.create()
    session.append(ask("How does  login\nwork?"))
    session.append(answer("So."), {"prompt_tokens": 10, "completion_tokens": 2})
    again = sessions.open(session.id)
    assert [m.content for m in again.messages] == ["How does  login\nwork?", "So."]
    assert again.info.title == "How does login work?"
    assert (again.info.messages, again.info.prompt_tokens) == (2, 10)
    assert again.info.created_at <= again.info.updated_at


def test_a_session_without_messages_is_not_listed(sessions):
    sessions.create()
    assert sessions.all() == ()


def test_the_latest_used_comes_first_and_is_resumed(sessions):
    first, second = sessions.create(), sessions.create()
    first.append(ask("one"))
    second.append(ask("two"))
    first.append(answer("three"))
    assert [info.id for info in sessions.all()] == [first.id, second.id]
    assert sessions.latest().id == first.id


def test_a_turn_that_was_cut_off_loads_as_interrupted_with_every_call_answered(sessions):
    session = sessions.create()
    calls = tuple(ToolCall(id=f"c{n}", name="get_lines", arguments={}) for n in range(2))
    session.append(ask("go"))
    session.append(answer("", *calls))
    session.append(Message(role="tool", content="done", call_id="c0", tool="get_lines"))
    loaded = sessions.open(session.id)
    assert [m.role for m in loaded.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [m.call_id for m in loaded.messages if m.role == "tool"] == ["c0", "c1"]
    assert loaded.messages[-1].interrupted
    assert len(sessions.open(session.id).messages) == 5


def test_a_torn_message_is_left_out(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"))
    session.append(answer("two"))
    store.rpush(keys.messages(session.id), b'{"role": "user", "cont')
    assert [m.content for m in sessions.open(session.id).messages] == ["one", "two"]


def test_appending_after_a_torn_message_loses_nothing(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"))
    session.append(answer("two"))
    store.rpush(keys.messages(session.id), b"torn")
    loaded = sessions.open(session.id)
    loaded.append(ask("three"))
    assert [m.content for m in sessions.open(session.id).messages][:3] == ["one", "two", "three"]


def test_id_prefixes_open_and_delete(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"))
    assert sessions.open(session.id[:-2]).id == session.id
    assert sessions.delete(session.id[:-2]) == session.id
    assert sessions.all() == ()
    assert list(store.scan(keys.pattern)) == []
    with pytest.raises(SettingsError, match="is no session"):
        sessions.open(session.id)


def test_an_ambiguous_prefix_names_the_candidates(sessions):
    ids = []
    for _ in range(2):
        session = sessions.create()
        session.append(ask("one"))
        ids.append(session.id)
    with pytest.raises(SettingsError, match="ambiguous") as error:
        sessions.open(ids[0][:4])
    assert all(session_id in str(error.value) for session_id in ids)


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


def test_two_in_one_process_never_share_a_session(sessions, store, keys):
    session = sessions.create()
    session.append(ask("one"))
    other = Sessions(store, keys)
    assert other.latest() is None
    sessions.release(session)
    assert other.latest().id == session.id


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


def test_a_session_that_only_changed_a_file_is_listed_and_resumed(sessions):
    session = sessions.create()
    session.count({"tool_calls": 1, "edits_applied": 1})
    assert [info.edits_applied for info in sessions.all()] == [1]
    assert sessions.latest().id == session.id


def test_looking_things_up_leaves_nothing_behind(sessions, store, keys):
    session = sessions.create()
    session.count({"tool_calls": 1, "edits_applied": 0})
    sessions.release(session)
    assert sessions.all() == ()
    assert list(store.scan(keys.pattern)) == []


def test_clear_forgets_the_messages_but_not_the_session(sessions):
    session = sessions.create()
    session.append(ask("one"))
    session.clear()
    assert session.messages == ()
    assert sessions.open(session.id).messages == ()
    assert session.info.messages == 0
