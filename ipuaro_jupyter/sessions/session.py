"""The sessions of a project: which there are, and whose each is while it is open."""

import secrets
import time
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from weakref import WeakSet

from ipuaro_jupyter.errors import SettingsError, WrongKeyType
from ipuaro_jupyter.sessions.input_history import forget_inputs, read_inputs
from ipuaro_jupyter.sessions.lost_parts import begin_lists_anew, begin_parts_anew
from ipuaro_jupyter.sessions.open_sessions import may_be_open, note_closed, note_open, note_session
from ipuaro_jupyter.sessions.owner import is_here, is_in_this_process, lives, new_owner
from ipuaro_jupyter.sessions.session_counts import SessionCounter
from ipuaro_jupyter.sessions.stored_session import (
    SessionInfo,
    find_session,
    session_ids,
    stored_info,
)
from ipuaro_jupyter.sessions.whole import interruption, pending_calls
from ipuaro_jupyter.sessions.written_session import Session
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys
from ipuaro_jupyter.store.projects import note_opened

__all__ = [
    "Session",
    "SessionCounter",
    "SessionInfo",
    "Sessions",
    "interruption",
    "pending_calls",
]

_OWNED_S = 12 * 3600.0


class Sessions:
    """The sessions of one project, of which this object has at most one open.

    An open session belongs to its owner, named in Redis by machine, process and a random part. An
    owner whose process has ended does not count, so a killed kernel's session is free at once; one
    on another machine counts for half a day after the session was last used.

    Attributes:
        losses: Sentences on what the server had lost of the sessions.
    """

    def __init__(self, store: Store, keys: Keys) -> None:
        self._store = store
        self._keys = keys
        self._owner = new_owner()
        self.losses: list[str] = []
        _living.add(self)

    @property
    def owner(self) -> str:
        """The name by which other owners know this object."""
        return self._owner

    def enter(self, root: Path) -> None:
        """Note that the project in ``root`` is open, until `leave`, before any session of it is."""
        self.losses += begin_lists_anew(self._store, self._keys)
        note_open(self._store, self._keys, self._owner)
        note_opened(self._store, root)  # in this order, see `drop_unless_opened`

    def go_on_with(self, session: Session) -> None:
        """Note which session this object uses until `leave`, also while others may open it."""
        note_session(self._store, self._keys, self._owner, session.id)

    def leave(self) -> None:
        """Note that the project is no longer open here."""
        note_closed(self._store, self._keys, self._owner)

    def all(self) -> tuple[SessionInfo, ...]:
        """Every session, the latest used first."""
        return tuple(stored_info(self._store, self._keys, i) for i in self._ids())

    def inputs(self) -> tuple[str, ...]:
        """The user's messages in the project, oldest first; the latest few hundred."""
        return read_inputs(self._store, self._keys)

    def create(self) -> Session:
        """Open a new session; it is listed once it has a message or has changed a file."""
        session_id = f"{time.strftime('%Y%m%d')}-{secrets.token_hex(4)}"
        self._store.set(self._keys.owner(session_id), self._owner.encode(), ex_s=_OWNED_S)
        return self._opened(session_id)

    def latest(self) -> Session | None:
        """Open the latest used session; None when there is none, or it is open elsewhere."""
        return self.claimed(self.latest_id)

    def claimed(self, session_id: str | None) -> Session | None:
        """Open the session of that id; None when there is none, or it is open elsewhere."""
        return self._opened(session_id) if session_id and self._claim(session_id) else None

    @property
    def latest_id(self) -> str | None:
        """The id of the latest used session, open elsewhere or not; None when there is none."""
        return next(iter(self._ids()), None)

    def open(self, part: str) -> Session:
        """Open the session that a part of its id names; see `find`.

        Raises:
            SettingsError: It names none, or more than one, or the session is open elsewhere.
        """
        session_id = self.find(part)
        if not self._claim(session_id):
            raise self._refusal(session_id)
        return self._opened(session_id)

    def release(self, session: Session) -> None:
        """Let others open the session; one that was never listed is deleted."""
        with self._changing():
            if self._store.get(self._keys.owner(session.id)) == self._owner.encode():
                self._store.delete(self._keys.owner(session.id))
                if self._store.zscore(self._keys.sessions, session.id) is None:
                    self._store.delete(*self._keys.session_keys(session.id))

    def take_back(self, session: Session) -> bool:
        """Own a session again that was released, unless another owner has it open."""
        return self._claim(session.id)

    def delete(self, part: str) -> str:
        """Delete a session with its undo stack and its messages; return its full id.

        Raises:
            SettingsError: ``part`` names none, or more than one, or the session is open elsewhere.
        """
        session_id = self.find(part)
        with self._changing():
            if not self._may_claim(session_id):
                raise self._refusal(session_id)
            self._drop(session_id)
        return session_id

    def listed(self) -> list[str]:
        """The ids of the sessions, the latest used first."""
        return self._ids()

    def drop_unused(self, session_id: str) -> SessionInfo | None:
        """Delete a session that nobody may have open, here or elsewhere; return what it was.

        None when it stays, or has gone already.
        """
        with self._changing():
            is_listed = self._store.zscore(self._keys.sessions, session_id) is not None
            if not is_listed or may_be_open(self._store, self._keys, session_id):
                return None
            info = stored_info(self._store, self._keys, session_id)
            self._drop(session_id)
        return info

    def find(self, part: str) -> str:
        """The full id of the session that a part of its id names: a beginning before others.

        Raises:
            SettingsError: It names none, or more than one; the message lists them.
        """
        return find_session(self._ids(), part)

    def _opened(self, session_id: str) -> Session:
        return Session(self._store, self._keys, session_id, owner=self._owner)

    def _ids(self) -> list[str]:
        return session_ids(self._store, self._keys)

    def _claim(self, session_id: str) -> bool:
        """Make this object the owner, unless a living one has the session open, or it has gone."""
        with self._changing():
            if not self._may_claim(session_id):
                return False
            self.losses += begin_parts_anew(self._store, self._keys, session_id)
            return self._store.set(self._keys.owner(session_id), self._owner.encode())

    def _may_claim(self, session_id: str) -> bool:
        owner = self._owner_of(session_id)
        if owner == self._owner:  # it may not be listed yet
            return True
        if self._store.zscore(self._keys.sessions, session_id) is None:
            return False
        return not owner or not self._has_open(owner, session_id)

    def _owner_of(self, session_id: str) -> str:
        """The owner of a session; "" when it has none, or something else is in its place."""
        with suppress(WrongKeyType):
            return (self._store.get(self._keys.owner(session_id)) or b"").decode(errors="replace")
        return ""

    def _drop(self, session_id: str) -> None:
        with self._store.batch(atomic=True) as batch:
            batch.delete(*self._keys.session_keys(session_id))
            batch.zrem(self._keys.sessions, session_id)
            forget_inputs(batch, self._store, self._keys, session_id)

    def _refusal(self, session_id: str) -> SettingsError:
        """Why a session cannot be claimed: that it has been deleted meanwhile, or is open."""
        try:
            self.find(session_id)
        except SettingsError as gone:
            return gone
        return SettingsError(
            f"Session {session_id} is open in another kernel. Close it there (%ipuaro stop), or "
            "begin another."
        )

    def _has_open(self, owner: str, session_id: str) -> bool:
        """Whether another owner may still write; one on another machine may."""
        if is_in_this_process(owner):
            return any(sessions.owner == owner for sessions in _living)
        if is_here(owner):
            return lives(owner)
        used_at = stored_info(self._store, self._keys, session_id).updated_at
        return time.time() - used_at < _OWNED_S

    def _changing(self) -> AbstractContextManager[bool]:
        return self._store.lock(self._keys.sessions + ":lock", timeout_s=10, wait_s=10)


_living: "WeakSet[Sessions]" = WeakSet()
