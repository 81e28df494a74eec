"""The settings of the workspace."""

from pydantic import Field

from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.workspace.approval import Approve
from ipuaro_jupyter.workspace.git.git_program import COMMIT_S
from ipuaro_jupyter.workspace.sandbox.confinement import SandboxMode


class WorkspaceSettings(Record):
    """How changes are approved, and how many can be undone.

    ``approve``: "ask"; "checked" lets edits, creates and deletes through that a check has passed;
    "edits" all of them; "all" also commits and commands, except those of which it is not certain
    what they start; "never" rejects everything.
    ``pass_environment`` are names or patterns of variables that commands get even if they look like
    secrets. ``ignore_patterns`` are lines of a ``.gitignore``: files that they match do not belong
    to the project, even where git tracks them. ``sandbox``: see `Sandbox`. ``commit_s`` are the
    seconds that a commit may take with its hooks.
    """

    approve: Approve = "ask"
    undo_depth: int = Field(default=10, ge=1, le=1000)
    pass_environment: tuple[str, ...] = ()
    ignore_patterns: tuple[str, ...] = ()
    sandbox: SandboxMode = "off"
    commit_s: float = Field(default=COMMIT_S, gt=0)
