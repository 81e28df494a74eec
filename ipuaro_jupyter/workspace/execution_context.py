"""The conditions of a command of the model, beside its own words."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.workspace.processes.jobs import Jobs
from ipuaro_jupyter.workspace.sandbox.sandbox import Sandbox
from ipuaro_jupyter.workspace.unseen_files import UnseenFiles


@dataclass(frozen=True)
class ExecutionContext:
    """The conditions of commands: their folder, who decides, and the session's state.

    Attributes:
        root: The project's folder.
        jobs: The background jobs.
        pass_environment: Names or patterns of variables that are passed on even if they look like
            secrets.
        decide: Decides on a proposal; raises Cancelled when the user pressed stop instead.
        note_verdict: Called with each decision that the policy made by itself.
        written: The files that the session has changed; sorted.
        unseen: Those of them that nobody has looked at.
        proposed: Files that are changed in ``root`` only, a copy of the project: they count as
            written, and as not looked at.
        sandbox: What confines them; None: nothing.
        ask_person: Decides on a proposal that no setting may decide on; None: nobody does.
    """

    root: Path
    jobs: Jobs
    pass_environment: tuple[str, ...]
    decide: Callable[[Proposal], Decision]
    note_verdict: Callable[[Proposal, Decision], None]
    written: Callable[[], list[str]]
    unseen: UnseenFiles
    proposed: tuple[str, ...] = ()
    sandbox: Sandbox | None = None
    ask_person: Callable[[Proposal], Decision] | None = None

    @property
    def is_copy(self) -> bool:
        """Whether commands run in a copy of the project."""
        return self.root != self.unseen.root
