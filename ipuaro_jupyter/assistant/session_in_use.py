"""The session that a conversation goes on with, among those of its project."""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from ipuaro_jupyter.errors import SettingsError, StorageError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.sessions.session import SessionInfo, Sessions
from ipuaro_jupyter.sessions.session_choice import chosen_session
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys, project_id

_NAMED = 5  # of the sessions that are deleted at once


class SessionInUse:
    """The open session; the project counts as open from now on until `close`.

    Args:
        store: The server.
        root: The project's folder.
        part: A part of the id of the session to resume; None for the latest.
        new: Begin a new session instead.
        notebook: The notebook that it is of, see `chosen_session`; "" elsewhere.
        most: How many sessions the project keeps; None for all.
        decided: What was asked and decided before there was a session.

    Attributes:
        session: Its messages and counts, written as they come.
        notices: Remarks for the user about how the session was chosen, and what was deleted.
    """

    def __init__(
        self,
        store: Store,
        root: Path,
        *,
        part: str | None,
        new: bool,
        most: int | None,
        decided: Sequence[tuple[Proposal, Decision]],
        notebook: str = "",
    ) -> None:
        self._notebook = notebook
        self._sessions = Sessions(store, Keys(project_id(root)))
        self._handed_over: SessionInfo | None = None
        self._most = most
        with ExitStack() as failing:
            failing.callback(self._sessions.leave)
            self._sessions.enter(root)
            self.session, self.notices = chosen_session(
                self._sessions, part, new=new, notebook=notebook
            )
            self.session.notebook = notebook
            failing.callback(self._sessions.release, self.session)
            self._sessions.go_on_with(self.session)
            for proposal, decision in decided:
                self.session.note_decision(proposal, decision)
            failing.pop_all()

    @property
    def losses(self) -> tuple[str, ...]:
        """Sentences for the user on what the server had lost of the sessions."""
        return tuple(self._sessions.losses)

    def all(self) -> tuple[SessionInfo, ...]:
        """The project's sessions, the latest used first."""
        return self._sessions.all()

    def trim(self) -> str:
        """Delete the oldest sessions beyond those that are kept, unless they may be open.

        The open session counts, although it may not be listed yet. What the user is told of it is
        noted and returned, "" for nothing.
        """
        dropped: list[SessionInfo] = []
        with suppress(StorageError):  # which the turn tells
            for session_id in self._too_many():
                dropped += filter(None, [self._sessions.drop_unused(session_id)])
        if not dropped:
            return ""
        told = _told(dropped, self._most)
        self.notices = (*self.notices, told)
        return told

    def _too_many(self) -> list[str]:
        """The ids of the other sessions that do not fit, the oldest first."""
        if self._most is None:
            return []
        others = [one for one in self._sessions.listed() if one != self.session.id]
        return others[self._most - 1 :][::-1]

    def inputs(self) -> tuple[str, ...]:
        """The user's messages in the project, oldest first."""
        return self._sessions.inputs()

    def load(self, session_id: str) -> None:
        """Resume another session; a part of its id that no other has is enough.

        Raises:
            SettingsError: There is no such session, or another kernel has it open.
        """
        opened = self._sessions.open(session_id)
        if opened.id != self.session.id:
            self._sessions.release(self.session)
        opened.notebook = self._notebook
        self.session, self._handed_over, self.notices = opened, None, ()
        self._sessions.go_on_with(opened)

    def hand_over(self) -> None:
        """Let others open the session until `takes_back`; one without a message stays ours."""
        info = self.session.info
        if self._handed_over is None and info.updated_at:
            self._sessions.release(self.session)
            self._handed_over = info

    def takes_back(self, session_id: str) -> bool:
        """Go on with the session as it is, unless others have used it: it has to be loaded then."""
        if session_id != self.session.id or not self._sessions.take_back(self.session):
            return False
        before, self._handed_over = self._handed_over, None
        return before is None or before == self.session.info

    def delete(self, session_id: str) -> str:
        """Delete another session; return its full id.

        Raises:
            SettingsError: There is no such session, or it is open, here or elsewhere.
        """
        if self._sessions.find(session_id) == self.session.id:
            raise SettingsError(
                f"Session {self.session.id} is the open one. %ipuaro clear forgets its messages; "
                "to delete it, open another one first: %ipuaro start --new."
            )
        return self._sessions.delete(session_id)

    def close(self) -> None:
        """Let other kernels open the session."""
        with suppress(StorageError):  # it frees itself when this process has ended
            self._sessions.release(self.session)
            self._sessions.leave()


def _told(dropped: Sequence[SessionInfo], most: int | None) -> str:
    """The sentence about deleted sessions."""
    count = len(dropped)
    what, it = ("session was", "it") if count == 1 else (f"{count:,} sessions were", "them")
    names = [f'"{one.title or one.id}"' for one in dropped[:_NAMED]]
    more = [f"{count - _NAMED:,} more"] if count > _NAMED else []
    return (
        f"The oldest {what} deleted with what could be undone in {it}, because sessions.maxKept is "
        f"{most}: {', '.join([*names, *more])}."
    )
