"""Run a shell command."""

from typing import Annotated, ClassVar

from pydantic import Field

from ipuaro_jupyter.records.outputs import Output, Run
from ipuaro_jupyter.records.result_room import ENDS_SHARE
from ipuaro_jupyter.tools.tool import Project, tool


class CommandOutput(Output):
    """The output of a command; ``duration`` is in milliseconds.

    In an output that was too long, one line replaces the middle.
    """

    beginning: ClassVar[float] = ENDS_SHARE
    how_to_get_less: ClassVar[str] = "print less, as with grep, head or tail"

    stdout: str
    stderr: str
    exit_code: int
    duration: int
    command: str = Field(default="", exclude=True)

    def text(self) -> str:
        """The exit code and the output."""
        told = [f"Exit code: {self.exit_code} ({self.duration} ms)"]
        for name, output in (("stdout", self.stdout), ("stderr", self.stderr)):
            if output.strip():
                told += ["", f"{name}:", output.rstrip("\n")]
        if not (self.stdout + self.stderr).strip():
            told.append("It printed nothing.")
        return "\n".join(told)

    def shape(self) -> Run:
        """The command with its outputs."""
        return Run(
            title=f"{self.command} (exit code {self.exit_code})",
            command=self.command,
            stdout=self.stdout,
            stderr=self.stderr,
            exit_code=self.exit_code,
            duration_ms=self.duration,
        )


@tool(
    asks_first=True,
    judged=True,
    times_itself=True,
    foreign=("run", "execute", "execute_command", "run_shell_command", "shell", "terminal"),
    rare=("timeout",),
)
def run_command(
    project: Project,
    command: str,
    timeout: Annotated[int, Field(ge=1, le=600_000)] = 30_000,
) -> CommandOutput:
    """Run a shell command in the project's root, with no input.

    The user is asked unless it is known to be safe. Dangerous commands never run.

    Args:
        command: As for a shell.
        timeout: Milliseconds, at most 600000. Default: 30000.
    """
    outcome = project.workspace.run(
        command, tool="run_command", timeout_s=timeout / 1000, cancel=project.cancel
    )
    return CommandOutput(
        stdout=outcome.stdout,
        stderr=outcome.stderr,
        exit_code=outcome.exit_code,
        duration=outcome.duration_ms,
        command=command,
    )
