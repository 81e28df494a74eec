"""Run a shell command."""

from typing import Annotated

from pydantic import Field

from ipuaro_jupyter.records.outputs import Output, Run
from ipuaro_jupyter.tools.tool import Project, tool


class CommandOutput(Output):
    """The output of a command; ``duration`` is in milliseconds.

    In an output that was too long, one line replaces the middle.
    """

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
    times_itself=True,
    foreign=("run", "execute", "execute_command", "run_shell_command", "shell", "terminal"),
)
def run_command(
    project: Project,
    command: str,
    timeout: Annotated[int, Field(ge=1, le=600_000)] = 30_000,
) -> CommandOutput:
    """Run a shell command in the project's root.

    Known safe commands run at once, the user is asked about others, and dangerous ones (such as rm
    -r, sudo, chmod, git push --force, git reset --hard) never run. The input is empty, and
    background processes of a command end with it. A failing command is not an error: look at the
    exit code.

    Args:
        command: The command, as for bash.
        timeout: Milliseconds, at most 600000; then the command is stopped.
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
