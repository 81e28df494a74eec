"""The stored data of a project's sessions, read without opening one."""

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError
from pydantic_core import PydanticSerializationError

from ipuaro_jupyter.errors import SettingsError, WrongKeyType
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.undoing import UndoAction
from ipuaro_jupyter.sessions.whole import whole
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys
from ipuaro_jupyter.store.projects import LATEST_S
from ipuaro_jupyter.views.markup import counted

_MOST_THOUGHT = 20_000  # characters of thinking that are stored
_ITS_TEXT = {"success": True}  # a result that is nothing but the message's text

_Time = Annotated[float, Field(ge=0, le=LATEST_S)]


class SessionInfo(Record):
    """A session as the list shows it. Times are in seconds since the epoch.

    ``notebook`` is the one that it was last asked from; "" when it was only asked elsewhere.
    """

    id: str
    title: str = ""
    created_at: _Time = 0.0
    updated_at: _Time = 0.0
    messages: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    duration_ms: int = 0
    tool_calls: int = 0
    edits_applied: int = 0
    edits_rejected: int = 0
    edits_undone: int = 0
    notebook: str = ""

    @property
    def last_used(self) -> str:
        """The time of its last use, in local time: 2026-01-31 09:05."""
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(self.updated_at))

    def offered(self) -> str:
        """The sentence that offers it to a notebook which begins another one."""
        came = f", from {Path(self.notebook).name}" if self.notebook else ""
        return (
            "This notebook begins a conversation of its own. Continue the last one "
            f"({counted(self.messages, 'message')}{came}): %ipuaro sessions load {self.id}"
        )

    def resumed(self) -> str:
        """The sentence shown on resuming it; for an unused session, that it is new."""
        last_used = f"last used {self.last_used}" if self.updated_at else "not used yet"
        messages = counted(self.messages, "message")
        return f"Session {self.id} goes on: {self.title or 'no title'} ({messages}, {last_used})."


def session_ids(store: Store, keys: Keys) -> list[str]:
    """The ids of a project's sessions, the latest used first."""
    found = (raw.decode(errors="replace") for raw in store.zrevrange(keys.sessions, 0, -1))
    return [name for name in found if "\ufffd" not in name]


def find_session(ids: list[str], part: str) -> str:
    """The id that ``part`` is, that begins with it or, if none does, that contains it.

    Raises:
        SettingsError: No id does, or more than one; the message lists them.
    """
    if part in ids:
        return part
    wanted = part.lower()
    found = [i for i in ids if i.startswith(wanted)] or [i for i in ids if wanted in i]
    if wanted and len(found) == 1:
        return found[0]
    if not ids:
        told = "It has no stored ones yet: a session is stored with its first question."
        raise SettingsError(f"{part!r} is no session of this project. {told}")
    problem = "is ambiguous" if found else "is no session of this project"
    raise SettingsError(f"{part!r} {problem}; sessions: {', '.join(found or ids)}.")


def stored_messages(store: Store, keys: Keys, session_id: str) -> list[Message]:
    """The messages of a session, even if it is open elsewhere; what cannot be read is told."""
    found = [read_message(data) for data in store.lrange(keys.messages(session_id), 0, -1)]
    if count := found.count(None):
        what = counted(count, "message")
        store.tell_loss(f"Without {what} of session {session_id}: not as written on the server.")
    return whole(found)


def stored_actions(store: Store, keys: Keys, session_id: str) -> tuple[UndoAction, ...]:
    """The undos and redos of a session, oldest first; unreadable ones are left out."""
    found = []
    for data in store.lrange(keys.actions(session_id), 0, -1):
        with suppress(ValidationError):
            found.append(UndoAction.model_validate_json(data))
    return tuple(found)


def stored_info(store: Store, keys: Keys, session_id: str) -> SessionInfo:
    """The stored data of a session other than its messages; unreadable parts are left out."""
    try:
        fields = store.hgetall(keys.session(session_id))
    except WrongKeyType:
        return SessionInfo(id=session_id, title="(cannot be read)")
    info = SessionInfo(id=session_id)
    for name in SessionInfo.model_fields:
        if name != "id" and (value := fields.get(name.encode())) is not None:
            with suppress(ValidationError):
                given = {**info.model_dump(), name: value.decode(errors="replace")}
                info = SessionInfo.model_validate(given)
    return info


def plain_message(message: Record) -> bytes:
    """A message, or another record, as JSON; half a surrogate pair becomes a question mark."""
    try:
        return message.model_dump_json(exclude_defaults=True, by_alias=True).encode()
    except PydanticSerializationError:  # half a surrogate pair
        values = message.model_dump(exclude_defaults=True, by_alias=True)
        return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace")


def dump_message(message: Message) -> bytes:
    """A message in its stored form: a result equal to the message's text is stored once.

    Of very long thinking, the end is stored.
    """
    if len(message.thinking) > _MOST_THOUGHT:
        message = message.model_copy(update={"thinking": message.thinking[-_MOST_THOUGHT:]})
    if message.result == {"success": True, "output": message.content}:
        message = message.model_copy(update={"result": _ITS_TEXT})
    return plain_message(message)


def read_message(data: bytes) -> Message | None:
    """A stored message; None when it was only partly written."""
    try:
        message = Message.model_validate_json(data)
    except ValidationError:
        return None
    if message.result == _ITS_TEXT:
        result = {"success": True, "output": message.content}
        return message.model_copy(update={"result": result})
    return message
