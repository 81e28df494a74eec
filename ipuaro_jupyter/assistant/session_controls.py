"""What an assistant does with the sessions of its project."""

from pathlib import Path

from ipuaro_jupyter.assistant.conversation import Conversation
from ipuaro_jupyter.assistant.workbench import Workbench
from ipuaro_jupyter.records.change import LoggedDecision
from ipuaro_jupyter.records.transcript import Transcript
from ipuaro_jupyter.sessions.session import SessionInfo


class SessionControls:
    """The part of an open project that is about its sessions; see `Assistant`."""

    root: Path
    _conversation: Conversation
    _bench: Workbench

    @property
    def session(self) -> SessionInfo:
        """The open session as stored now."""
        return self._conversation.session.info

    def sessions(self) -> tuple[SessionInfo, ...]:
        """The project's sessions, the latest used first."""
        return self._conversation.sessions.all()

    def load(self, session_id: str) -> SessionInfo:
        """Resume another session; a part of its id that no other has is enough.

        Raises:
            SettingsError: There is none, it is open elsewhere, or a message is being answered.
        """
        self._conversation.load(session_id)
        self._bench.change_session()
        return self.session

    def transcript(self, *, turns: int = 20) -> Transcript:
        """The latest turns of the session, for display."""
        return self._conversation.transcript(turns=turns)

    def delete_session(self, session_id: str) -> str:
        """Delete a session, by a part of its id, with its undo stack; return the full id.

        Raises:
            SettingsError: There is no such session, or it is open, here or in another kernel.
        """
        return self._conversation.sessions.delete(session_id)

    def clear(self) -> None:
        """Delete the session's messages; its changes can still be undone.

        Raises:
            SettingsError: A message is being answered.
        """
        self._bench.clear()

    def inputs(self) -> tuple[str, ...]:
        """The user's messages in this project, oldest first; the latest few hundred."""
        return self._conversation.sessions.inputs()

    def decisions(self) -> tuple[LoggedDecision, ...]:
        """The decisions of the session with their questions, oldest first."""
        return self._conversation.session.decisions

    def export(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the session as a notebook, over an older export of it; return the path.

        Args:
            path: Ends in ``.ipynb``.
            force: Replace any file that is there, even one that cells were added to.

        Raises:
            SettingsError: ``path`` does not end in ``.ipynb``, cannot be written, or must not be
                overwritten.
        """
        return self._conversation.export(path, self.root, force=force)
