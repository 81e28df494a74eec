"""The session that a conversation goes on with, when it cannot be opened to the end."""

import pytest

from ipuaro_jupyter.assistant.session_in_use import SessionInUse
from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.sessions.open_sessions import opened_by
from ipuaro_jupyter.sessions.session import Sessions
from ipuaro_jupyter.store.keys import Keys, project_id


def test_what_fails_to_open_is_open_for_nobody(store, tmp_path):
    keys = Keys(project_id(tmp_path))
    sessions = Sessions(store, keys)
    session = sessions.create()
    session.append(Message(role="user", content="one"))
    sessions.release(session)
    asked = Proposal(id="p", kind="edit", tool="edit_lines", title="Edit")
    decided = [(asked, "no decision")]
    with pytest.raises(AttributeError):
        SessionInUse(store, tmp_path, part=session.id, new=False, most=None, decided=decided)
    assert opened_by(store, keys) == ()
    assert sessions.latest().id == session.id
