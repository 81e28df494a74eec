"""The user's consent that the model sees the notebook: asked for once in a session."""

import threading
from collections.abc import Callable, MutableMapping
from uuid import uuid4

from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.cancellation import checkpoint, deciding
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.sessions.session import Session
from ipuaro_jupyter.stopwatch import thinking
from ipuaro_jupyter.workspace.approval import refusal
from ipuaro_jupyter.workspace.workspace import Workspace

_TITLE = "Let the model see this notebook"
_REASON = (
    "It is given the last error, the values that a question names, and the cells and outputs that "
    "it asks for, without what looks like a key or a password. Nothing of your code is run for it. "
    'You are asked once in a session; "context": {"notebook": "always"} or "never" in your own '
    "settings answers for good."
)


class KernelConsent:
    """Asks before the model is given anything of the notebook.

    Args:
        settings: Whether it asks at all.
        workspace: Gives the open workspace, with the setting ``approve``.
        session: Gives the open session.
        decide: Asks the user.
        is_approve_own: Whether ``approve`` is the user's own setting; that of a project's file only
            rejects.
        said: What the user has said so far in this kernel, by session; more is added.
    """

    def __init__(
        self,
        settings: AgentSettings,
        *,
        workspace: Callable[[], Workspace],
        session: Callable[[], Session],
        decide: Callable[[Proposal], Decision],
        is_approve_own: bool,
        said: MutableMapping[str, Decision],
    ) -> None:
        self._setting = settings.notebook
        self._workspace = workspace
        self._session = session
        self._decide = decide
        self._is_approve_own = is_approve_own
        self._said = said
        self._one_at_a_time = threading.Lock()

    def allow(self, wanted: str) -> None:
        """Return when the model may be given what is ``wanted``; a person's own call always may.

        Raises:
            ToolError: "cancelled", when the user or a setting does not allow it.
            Cancelled: The user pressed stop instead.
            StorageError: The decision cannot be logged.
        """
        turn = self._workspace().turn
        if self._setting == "always" or (turn is not None and turn.by_user):
            return
        proposal = Proposal(
            id=uuid4().hex,
            kind="notebook",
            tool="notebook",
            title=_TITLE,
            message=f"First: {wanted}.",
            reason=_REASON,
        )
        with self._one_at_a_time:
            decision = self._decision(proposal)
        if decision.action != "apply":
            raise refusal(proposal, decision)

    def _decision(self, proposal: Proposal) -> Decision:
        session = self._session()
        approve = self._workspace().settings.approve
        for name, setting in (("context.notebook", self._setting), ("approve", approve)):
            if setting == "never":
                reason = f'the setting "{name}" is "never"'
                return Decision(action="reject", by="setting", reason=reason)
        if session.id in self._said:
            return self._said[session.id]
        if approve == "all" and self._is_approve_own:
            reason = 'the setting "approve" is "all"'
            return Decision(action="apply", by="setting", reason=reason)
        with deciding(), thinking():
            decision = self._decide(proposal)
        checkpoint()
        session.note_decision(proposal, decision)
        if decision.by != "nobody":
            self._said[session.id] = decision
        return decision
