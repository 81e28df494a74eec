"""What a command of the model's depends on, beside its own words."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.workspace.processes.jobs import Jobs


@dataclass(frozen=True)
class ExecutionContext:
    """Where commands run, who is asked about them, and what the session knows of them.

    Attributes:
        root: The project's folder.
        jobs: What runs in the background.
        pass_environment: Names or patterns of variables that are passed on though they look like
            secrets.
        decide: Answers a proposal; raises Cancelled when the user pressed stop instead.
        note_verdict: Is told of a decision that the policy made by itself.
        written: The files that the session has changed; sorted.
    """

    root: Path
    jobs: Jobs
    pass_environment: tuple[str, ...]
    decide: Callable[[Proposal], Decision]
    note_verdict: Callable[[Proposal, Decision], None]
    written: Callable[[], list[str]]
