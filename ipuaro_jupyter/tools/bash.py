"""Run a shell command in a folder, with variables."""

import re
from typing import Annotated, ClassVar

from pydantic import Field

from ipuaro_jupyter.records.outputs import Run, TextOutput
from ipuaro_jupyter.records.result_room import ENDS_SHARE
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.running import CommandOutcome

_NOT_FOUND, _NOT_EXECUTABLE = 127, 126
_HINTS = (
    (r"[Nn]o such file or directory", "A path does not exist there; list the folder first."),
    (r"[Pp]ermission denied", "It needs rights that it does not have; tell the user."),
    (
        r"[Ss]yntax error",
        "The shell could not parse it; look at its quotes and operators.",
    ),
    (r"[Mm]issing script", "package.json has no such script; read its scripts first."),
    (r"[Nn]ot a git repository", "The folder is in no git repository."),
    (r"No module named|Cannot find module", "A package is not installed where this runs."),
)


class BashOutput(TextOutput):
    """The command and what it printed."""

    beginning: ClassVar[float] = ENDS_SHARE
    how_to_get_less: ClassVar[str] = "print less, as with grep, head or tail"


@tool(
    asks_first=True,
    judged=True,
    times_itself=True,
    foreign=("sh", "zsh", "run_bash", "bash_command", "run_in_terminal"),
    names={"cwd": "folder"},
)
def bash(
    project: Project,
    command: str,
    *,
    cwd: str | None = None,
    env: dict[str, str] | None = None,
    timeout: Annotated[int, Field(ge=1, le=300)] = 30,
    capture_output: bool = True,
) -> BashOutput:
    """Run a bash command, in a folder of the project and with variables if need be.

    Known safe commands run at once, the user is asked about others, and dangerous ones (such as rm
    -r, sudo, chmod, git push --force, git reset --hard) never run. The input is empty, and
    background processes of a command end with it. A failing command is not an error: look at the
    exit code.

    Args:
        command: The command.
        cwd: The folder to run in; the project's root when omitted.
        env: Variables to set in addition, by name.
        timeout: Seconds, at most 300; then the command is stopped.
        capture_output: Whether to return what it prints.
    """
    outcome = project.workspace.run(
        command, tool="bash", timeout_s=timeout, cwd=cwd, env=env or None, cancel=project.cancel
    )
    missing = "(no output)", "(no errors)"
    hint = _hint(outcome)
    if not capture_output:
        outcome = outcome.model_copy(update={"stdout": "", "stderr": ""})
        missing = "(not captured)", "(not captured)"
    told = [
        f"Command: {command}",
        f"Exit Code: {outcome.exit_code}",
        f"Working Directory: {outcome.cwd or '.'}",
        "",
        "STDOUT:",
        outcome.stdout.rstrip("\n") or missing[0],
        "",
        "STDERR:",
        outcome.stderr.rstrip("\n") or missing[1],
    ]
    if hint:
        told += ["", f"Hint: {hint}"]
    shown = Run(
        title=f"{command} (exit code {outcome.exit_code})",
        command=command,
        stdout=outcome.stdout,
        stderr=outcome.stderr,
        exit_code=outcome.exit_code,
        duration_ms=outcome.duration_ms,
    )
    return BashOutput(content="\n".join(told), shown=shown)


def _hint(outcome: CommandOutcome) -> str:
    """A hint after a failure; empty when there is none."""
    if outcome.exit_code == 0:
        return ""
    if outcome.exit_code == _NOT_FOUND:
        return "A program is not installed or not on the PATH; use another one, or ask the user."
    if outcome.exit_code == _NOT_EXECUTABLE:
        return "It cannot be executed; run it through its interpreter, such as: bash FILE"
    found = (hint for pattern, hint in _HINTS if re.search(pattern, outcome.stderr))
    return next(found, "")
