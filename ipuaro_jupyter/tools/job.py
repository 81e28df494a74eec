"""Read or stop a background job."""

from typing import ClassVar, Literal

from pydantic import Field

from ipuaro_jupyter.project.project_tests.test_results import printed
from ipuaro_jupyter.records.outputs import Output, Run
from ipuaro_jupyter.records.result_room import ENDS_SHARE
from ipuaro_jupyter.tools.tool import Project, tool


class JobOutput(Output):
    """A background job; ``duration`` is in milliseconds.

    ``exit_code`` is None while it runs. In an output that was too long, one line replaces the
    middle.
    """

    beginning: ClassVar[float] = ENDS_SHARE

    id: str
    state: Literal["running", "ended", "stopped"]
    output: str
    exit_code: int | None
    duration: int
    command: str
    reason: str = Field(default="", exclude=True)

    def text(self) -> str:
        """The state of the job and its output."""
        told = [f"{self.id}: {self._how_it_is()}", f"Command: {self.command}"]
        if self.output.strip():
            return "\n".join([*told, "", self.output.strip("\n")])
        return "\n".join([*told, "It has printed nothing."])

    def shape(self) -> Run:
        """The command with its output."""
        return Run(
            title=f"{self.id}: {self._how_it_is()}",
            command=self.command,
            stdout=self.output,
            stderr="",
            exit_code=self.exit_code or 0,
            duration_ms=self.duration,
        )

    def _how_it_is(self) -> str:
        seconds = f"{self.duration / 1000:.1f} s"
        if self.state == "running":
            return f"running for {seconds}"
        if self.state == "ended":
            return f"ended by itself after {seconds}, exit code {self.exit_code}"
        return f"stopped after {seconds}" + (f": {self.reason}" if self.reason else "")


@tool(in_order=True)
def job(project: Project, id: str, action: Literal["read", "stop"] = "read") -> JobOutput:  # noqa: A002 - the documented name
    """Read the output of a background job, or stop it.

    run_tests with watch starts such a job. They end with this assistant.

    Args:
        id: The job, such as job-1.
        action: read shows its output so far, stop ends it.
    """
    known = project.workspace.jobs.get(id)
    if action == "stop":
        known.stop()
    state = known.state()
    return JobOutput(
        id=state.id,
        state=state.state,
        output=printed(state.output),
        exit_code=state.exit_code,
        duration=state.duration_ms,
        command=state.command,
        reason=state.reason,
    )
