"""A conversation in Redis.

It is appended message by message, so that a killed kernel loses no more than the step in flight.
"""

import os
import secrets
import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Literal
from weakref import WeakSet

import psutil
from pydantic import ValidationError

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.change import Decision, LoggedDecision, Proposal
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.records.outputs import ToolFailure
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.sessions.decision_log import MOST_DECISIONS, log_entry, read_log
from ipuaro_jupyter.store.batch import Batch
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys

_TITLE_CHARS = 80
_OWNED_S = 12 * 3600.0

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

    Made by `Sessions`, which sees to it that no two are open on one conversation.
    """

    def __init__(self, store: Store, keys: Keys, session_id: str) -> None:
        self._store = store
        self._keys = keys
        self.id = session_id
        self._listed = store.zscore(keys.sessions, session_id) is not None
        self._messages = list(_read_messages(store.lrange(keys.messages(session_id), 0, -1)))
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
        stamped = message if message.at else message.model_copy(update={"at": time.time()})
        fields = {}
        if not self._messages:
            fields["title"] = " ".join(message.content.split())[:_TITLE_CHARS].encode()
        with self._store.batch(atomic=True) as batch:
            batch.rpush(self._keys.messages(self.id), _dump(stamped))
            self._update(batch, [("messages", 1), *(counts or {}).items()], fields)
        self._messages.append(stamped)

    def count(self, counts: Mapping[SessionCounter, int]) -> None:
        """Add to the session's counts, which lists it; looking things up alone does not."""
        if self._listed or {name for name, amount in counts.items() if amount} - {"tool_calls"}:
            with self._store.batch(atomic=True) as batch:
                self._update(batch, counts.items(), {})

    def note_decision(self, proposal: Proposal, decision: Decision) -> None:
        """Log what was asked, shown and answered; it is there after a restart.

        What somebody decided lists the session, what the policy did not ask about does not.

        Raises:
            StorageError: Redis has gone; then nothing should be done either.
        """
        key = self._keys.decisions(self.id)
        with self._store.batch(atomic=True) as batch:
            batch.rpush(key, log_entry(proposal, decision))
            batch.ltrim(key, -MOST_DECISIONS, -1)
            if decision.by != "policy" or decision.action == "reject":
                self._update(batch, [], {})

    @property
    def decisions(self) -> tuple[LoggedDecision, ...]:
        """What was decided, oldest first; the latest thousand."""
        return read_log(self._store.lrange(self._keys.decisions(self.id), 0, -1))

    def clear(self) -> None:
        """Forget the messages; the undo stack, what was changed and the counts of edits stay."""
        with self._store.batch(atomic=True) as batch:
            batch.delete(self._keys.messages(self.id))
            batch.hset(self._keys.session(self.id), {"messages": b"0"})
        self._messages.clear()

    def _update(
        self, batch: Batch, counts: Iterable[tuple[str, int]], fields: Mapping[str, bytes]
    ) -> None:
        now = time.time()
        meta = self._keys.session(self.id)
        new = {} if self._listed else {"created_at": repr(now).encode()}
        batch.hset(meta, {**new, **fields, "updated_at": repr(now).encode()})
        for counter, amount in counts:
            if amount:
                batch.hincrby(meta, counter, amount)
        batch.zadd(self._keys.sessions, {self.id: now})
        self._listed = True

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
    """The sessions of one project, of which this object has at most one open.

    A session that is open belongs to its owner, named in Redis by machine, process and a random
    part. An owner whose process has ended does not count, so a killed kernel's session is free
    at once; one on another machine counts for half a day after it was opened.
    """

    def __init__(self, store: Store, keys: Keys) -> None:
        self._store = store
        self._keys = keys
        self._owner = _new_owner()
        _living.add(self)

    @property
    def owner(self) -> str:
        """Who this object is to the others."""
        return self._owner

    def all(self) -> tuple[SessionInfo, ...]:
        """Return every session, the latest used first."""
        return tuple(self._info(session_id) for session_id in self._ids())

    def create(self) -> Session:
        """Open a new session; it is listed once it has a message or has changed a file."""
        session_id = f"{time.strftime('%Y%m%d')}-{secrets.token_hex(4)}"
        self._store.set(self._keys.owner(session_id), self._owner.encode(), ex_s=_OWNED_S)
        return Session(self._store, self._keys, session_id)

    def latest(self) -> Session | None:
        """Open the latest used session that nobody else has open, None without one."""
        session_id = next((i for i in self._ids() if self._claim(i)), None)
        return None if session_id is None else Session(self._store, self._keys, session_id)

    def open(self, prefix: str) -> Session:
        """Open the session whose id begins with ``prefix``.

        Raises:
            SettingsError: No session, or more than one, begins so, or somebody has it open.
        """
        session_id = self._find(prefix)
        if not self._claim(session_id):
            raise SettingsError(f"Session {session_id} is open in another kernel.")
        return Session(self._store, self._keys, session_id)

    def release(self, session: Session) -> None:
        """Let others open the session; one that was never listed is forgotten."""
        with self._changing():
            if self._store.get(self._keys.owner(session.id)) == self._owner.encode():
                self._store.delete(self._keys.owner(session.id))
                if self._store.zscore(self._keys.sessions, session.id) is None:
                    self._store.delete(*self._keys.session_keys(session.id))

    def delete(self, prefix: str) -> str:
        """Delete a session with its undo stack; return its whole id.

        Raises:
            SettingsError: No session, or more than one, begins so, or somebody has it open.
        """
        session_id = self._find(prefix)
        if not self._claim(session_id):
            raise SettingsError(f"Session {session_id} is open in another kernel.")
        with self._store.batch(atomic=True) as batch:
            batch.delete(*self._keys.session_keys(session_id))
            batch.zrem(self._keys.sessions, session_id)
        return session_id

    def _ids(self) -> list[str]:
        return [i.decode() for i in self._store.zrevrange(self._keys.sessions, 0, -1)]

    def _info(self, session_id: str) -> SessionInfo:
        return _info(session_id, self._store.hgetall(self._keys.session(session_id)))

    def _find(self, prefix: str) -> str:
        ids = self._ids()
        found = [i for i in ids if i.startswith(prefix)]
        if prefix in found or len(found) == 1:
            return prefix if prefix in found else found[0]
        listed = ", ".join(found or ids) or "there are none yet"
        problem = "is ambiguous" if found else "is no session of this project"
        raise SettingsError(f"{prefix!r} {problem}; sessions: {listed}.")

    def _claim(self, session_id: str) -> bool:
        """Make this object the owner, unless a living one has the session open."""
        key = self._keys.owner(session_id)
        with self._changing():
            owner = self._store.get(key)
            if owner is not None and owner.decode() != self._owner and _lives(owner.decode()):
                return False
            return self._store.set(key, self._owner.encode(), ex_s=_OWNED_S)

    def _changing(self) -> AbstractContextManager[bool]:
        return self._store.lock(self._keys.sessions + ":lock", timeout_s=10, wait_s=10)


_living: "WeakSet[Sessions]" = WeakSet()


def _new_owner() -> str:
    started = psutil.Process().create_time()
    return f"{socket.gethostname()}:{os.getpid()}:{started:.1f}:{secrets.token_hex(4)}"


def _lives(owner: str) -> bool:
    """Return whether the owner may still write; one on another machine may."""
    host, pid, started, _ = [*owner.rsplit(":", 3), "", "", ""][:4]
    if host != socket.gethostname():
        return True
    if pid == str(os.getpid()):
        return any(sessions.owner == owner for sessions in _living)
    try:
        return f"{psutil.Process(int(pid)).create_time():.1f}" == started
    except (psutil.Error, ValueError):
        return False


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
