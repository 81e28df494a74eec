"""A message is stored once, though the server's reply to its storing was lost."""

import socket
import threading

import pytest

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.sessions.session import Sessions
from ipuaro_jupyter.store.connection import StoreSettings, connect


class Wire:
    """Passes a client's requests on to a real server; may lose replies, or the requests too."""

    def __init__(self, place, target):
        self.losing = ""  # "replies" or "requests" that hold an RPUSH
        self._target = target
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(place))
        self._listening.listen()
        self.url = f"unix://{place}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        self._listening.close()

    def _serve(self):
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client):
        server = socket.socket(socket.AF_UNIX)
        server.connect(str(self._target))
        with client, server:
            while data := client.recv(1 << 20):
                is_lost = b"RPUSH" in data and self.losing
                if is_lost != "requests":
                    server.sendall(data)
                    reply = server.recv(1 << 20)
                if is_lost:
                    return
                client.sendall(reply)


@pytest.fixture
def wire(start_redis, tmp_path):
    url, _ = start_redis
    opened = Wire(tmp_path / "wire.sock", url.removeprefix("unix://"))
    yield opened
    opened.close()


@pytest.fixture
def sessions(wire, keys):
    store = connect(StoreSettings(url=wire.url))
    yield Sessions(store, keys)
    store.close()


@pytest.mark.parametrize("lost", ["replies", "requests"])
def test_a_message_that_is_tried_again_is_stored_once(sessions, wire, lost):
    session = sessions.create()
    session.append(Message(role="user", content="one"))
    wire.losing = lost
    said = Message(role="assistant", content="two")
    with pytest.raises(StorageError):
        session.append(said)
    wire.losing = ""
    session.append(said)
    session.append(Message(role="user", content="three"))
    contents = ["one", "two", "three"]
    assert [m.content for m in session.messages] == contents
    assert [m.content for m in sessions.open(session.id).messages][:3] == contents
    assert session.info.messages == 3


@pytest.mark.parametrize("lost", ["replies", "requests"])
def test_what_follows_a_lost_message_stands_behind_it(sessions, wire, lost):
    session = sessions.create()
    session.append(Message(role="user", content="one"))
    wire.losing = lost
    with pytest.raises(StorageError):
        session.append(Message(role="assistant", content="two"))
    wire.losing = ""
    session.append(Message(role="user", content="three"))
    kept = [m.content for m in session.messages]
    assert kept == ["one", *(["two"] if lost == "replies" else []), "three"]
    assert session.info.messages == len(kept)


def test_the_answers_of_a_call_are_kept_for_the_second_try(sessions, wire):
    session = sessions.create()
    session.append(Message(role="user", content="one"))
    call = ToolCall(id="c", name="edit_lines", arguments={})
    session.append(Message(role="assistant", content="", calls=(call,)))
    asked = Proposal(id="p", kind="edit", tool="edit_lines", title="Edit")
    session.note_decision(asked, Decision(action="reject", reason="no"), within_turn=True)
    result = Message(role="tool", content="rejected", call_id="c", tool="edit_lines")
    wire.losing = "requests"
    with pytest.raises(StorageError):
        session.append(result)
    wire.losing = ""
    session.append(result)
    (decision,) = session.messages[-1].decisions
    assert decision.reason == "no"
