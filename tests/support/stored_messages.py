"""What the store holds of a conversation."""

from contextlib import closing

from ipuaro_jupyter.sessions.stored_session import read_message
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.keys import Keys, project_id


def messages_of(assistant):
    """The messages of an assistant's session as they are stored, with nothing mended."""
    keys = Keys(project_id(assistant.project().workspace.root))
    with closing(connect(StoreSettings())) as store:
        stored = store.lrange(keys.messages(assistant.session.id), 0, -1)
    return [read_message(data) for data in stored]
