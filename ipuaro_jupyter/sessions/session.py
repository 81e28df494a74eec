"""A conversation in Redis.

It is appended message by message, so that a killed kernel loses no more than the step in flight.
"""

import os
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.records.outputs import ToolFailure
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys

_TITLE_CHARS = 80
_LEASE_S = 60.0

SessionCounter = Literal[
    "prompt_tokens",
    "completion_tokens",
    "duration_ms",
    "tool_calls",
    "edits_applied",
    "edits_rejected",
    "edits_undone",
]


class SessionInfo(Record):
    """A session as the list shows it. Times are in seconds since the epoch."""

    id: str
    title: str = ""
    created_at: float = 0.0
    updated_at: float = 0.0
    messages: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    duration_ms: int = 0
    tool_calls: int = 0
    edits_applied: int = 0
    edits_rejected: int = 0
    edits_undone: int = 0


class Session:
    """An open session: its messages in memory, every new one written at once.

    While it is open, its process holds a lease on it, so that two kernels never write into one
    conversation.
    """

    def __init__(self, store: Store, keys: Keys, session_id: str) -> None:
        self._store = store
        self._keys = keys
        self.id = session_id
        self._messages = list(_read_messages(store.lrange(keys.messages(session_id), 0, -1)))
        self._hold()
        self._finish_interrupted()

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, oldest first."""
        return tuple(self._messages)

    @property
    def info(self) -> SessionInfo:
        """Title, times and counts as they are stored now."""
        return _info(self.id, self._store.hgetall(self._keys.session(self.id)))

    def append(self, message: Message, counts: Mapping[SessionCounter, int] | None = None) -> None:
        """Store a message and add ``counts`` to the session's, in one transaction.

        Raises:
            StorageError: Redis has gone; the message is then in neither place.
        """
        now = time.time()
        stamped = message if message.at else message.model_copy(update={"at": now})
        meta = self._keys.session(self.id)
        fields = {"updated_at": repr(now).encode()}
        if not self._messages:
            fields["created_at"] = repr(now).encode()
            fields["title"] = " ".join(message.content.split())[:_TITLE_CHARS].encode()
        with self._store.batch(atomic=True) as batch:
            batch.rpush(self._keys.messages(self.id), _dump(stamped))
            batch.hset(meta, fields)
            batch.hincrby(meta, "messages", 1)
            for counter, amount in (counts or {}).items():
                if amount:
                    batch.hincrby(meta, counter, amount)
            batch.zadd(self._keys.sessions, {self.id: now})
        self._messages.append(stamped)
        self._hold()

    def count(self, counts: Mapping[SessionCounter, int]) -> None:
        """Add to the session's counts."""
        for counter, amount in counts.items():
            if amount:
                self._store.hincrby(self._keys.session(self.id), counter, amount)

    def clear(self) -> None:
        """Forget the messages; the undo stack and the counts of edits stay."""
        with self._store.batch(atomic=True) as batch:
            batch.delete(self._keys.messages(self.id), self._keys.shown(self.id))
            batch.hset(self._keys.session(self.id), {"messages": b"0"})
        self._messages.clear()

    def release(self) -> None:
        """Let another kernel open this session."""
        key = self._keys.owner(self.id)
        if self._store.get(key) == _owner():
            self._store.delete(key)

    def _hold(self) -> None:
        self._store.set(self._keys.owner(self.id), _owner(), ex_s=_LEASE_S)

    def _finish_interrupted(self) -> None:
        """Complete a turn that was cut off, so that every call has its result."""
        last = self._messages[-1] if self._messages else None
        if last is None or (last.role == "assistant" and not last.calls):
            return
        for call in unanswered(self._messages):
            self.append(interruption(call))
        self.append(Message(role="assistant", content="[interrupted]", interrupted=True))


def interruption(call: ToolCall) -> Message:
    """Return the result of a call that was never run to its end."""
    failure = ToolFailure(type="cancelled", message="The turn was interrupted.")
    return Message(
        role="tool",
        content=f"Error (cancelled): {failure.message}",
        call_id=call.id,
        tool=call.name,
        result={"success": False, "error": failure.to_dict()},
        interrupted=True,
    )


def unanswered(messages: list[Message]) -> list[ToolCall]:
    """Return the calls of the last assistant message that have no result yet, in order."""
    answered: set[str] = set()
    for message in reversed(messages):
        if message.role == "tool":
            answered.add(message.call_id)
        elif message.role == "assistant":
            return [call for call in message.calls if call.id not in answered]
        else:
            break
    return []


class Sessions:
    """The sessions of one project."""

    def __init__(self, store: Store, keys: Keys) -> None:
        self._store = store
        self._keys = keys

    def all(self) -> tuple[SessionInfo, ...]:
        """Return every session, the latest used first."""
        ids = self._store.zrevrange(self._keys.sessions, 0, -1)
        return tuple(self._info(session_id.decode()) for session_id in ids)

    def create(self) -> Session:
        """Open a new session; it is listed once it has a message."""
        return Session(self._store, self._keys, f"{time.strftime('%Y%m%d')}-{secrets.token_hex(4)}")

    def latest(self) -> Session | None:
        """Open the latest used session that no other living kernel holds, None without one."""
        for session_id in self._store.zrevrange(self._keys.sessions, 0, -1):
            if self._is_free(session_id.decode()):
                return Session(self._store, self._keys, session_id.decode())
        return None

    def open(self, prefix: str) -> Session:
        """Open the session whose id begins with ``prefix``.

        Raises:
            SettingsError: No session, or more than one, begins so, or another kernel has it open.
        """
        session_id = self._find(prefix)
        if not self._is_free(session_id):
            raise SettingsError(f"Session {session_id} is open in another kernel.")
        return Session(self._store, self._keys, session_id)

    def delete(self, prefix: str) -> str:
        """Delete a session with its undo stack; return its whole id.

        Raises:
            SettingsError: No session, or more than one, begins so.
        """
        session_id = self._find(prefix)
        with self._store.batch(atomic=True) as batch:
            batch.delete(*self._keys.session_keys(session_id))
            batch.zrem(self._keys.sessions, session_id)
        return session_id

    def _info(self, session_id: str) -> SessionInfo:
        return _info(session_id, self._store.hgetall(self._keys.session(session_id)))

    def _find(self, prefix: str) -> str:
        ids = [i.decode() for i in self._store.zrevrange(self._keys.sessions, 0, -1)]
        found = [i for i in ids if i.startswith(prefix)]
        if prefix in found or len(found) == 1:
            return prefix if prefix in found else found[0]
        listed = ", ".join(found or ids) or "there are none yet"
        problem = "is ambiguous" if found else "is no session of this project"
        raise SettingsError(f"{prefix!r} {problem}; sessions: {listed}")

    def _is_free(self, session_id: str) -> bool:
        """Whether no other living process holds the session.

        A process of another machine counts as living until its lease runs out.
        """
        owner = self._store.get(self._keys.owner(session_id))
        if owner is None or owner == _owner():
            return True
        host, _, process = owner.decode().partition(":")
        if host != socket.gethostname():
            return False
        return not Path("/proc").is_dir() or not Path("/proc", process.partition(":")[0]).exists()


def _owner() -> bytes:
    return f"{socket.gethostname()}:{os.getpid()}".encode()


def _dump(message: Message) -> bytes:
    return message.model_dump_json(exclude_defaults=True, by_alias=True).encode()


def _read_messages(raw: list[bytes]) -> Iterator[Message]:
    """Yield the messages that can be read; one may have been torn in writing."""
    for data in raw:
        with suppress(ValidationError):
            yield Message.model_validate_json(data)


def _info(session_id: str, fields: Mapping[bytes, bytes]) -> SessionInfo:
    known = {name.encode(): name for name in SessionInfo.model_fields}
    values = {known[key]: value.decode() for key, value in fields.items() if key in known}
    return SessionInfo.model_validate({**values, "id": session_id})
