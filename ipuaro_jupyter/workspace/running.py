"""Run the model's commands: permitted, supervised, and without secrets."""

import os
import shlex
import shutil
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from uuid import uuid4

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.terminal_codes import without_codes
from ipuaro_jupyter.workspace.execution_context import ExecutionContext
from ipuaro_jupyter.workspace.permission import Permission, permit, short_text
from ipuaro_jupyter.workspace.processes.jobs import Job
from ipuaro_jupyter.workspace.processes.subprocesses import FinishedProcess, run
from ipuaro_jupyter.workspace.sandbox.failures import Failure
from ipuaro_jupyter.workspace.sandbox.sandbox import Confined
from ipuaro_jupyter.workspace.unseen_files import told_files

_OUTPUT_LIMIT = 48_000  # bytes of each output
_PROGRAM_OUTPUT_LIMIT = 4_000_000  # bytes; far less of it is reported
_LAST_WORDS = 2000  # characters of the output that a time-out error quotes


class CommandOutcome(Record):
    """The result of a command; a non-zero ``exit_code`` is not an error.

    ``exit_code`` is 128 + N when signal N ended it. ``truncated`` says that the middle of an output
    was left out; a line in the output gives the amount. ``cwd`` is relative to the project.
    ``sandbox`` says, where it failed, what the sandbox may have to do with that, and which git
    directories have come or changed meanwhile; "" for nothing. It ends ``stderr``, unless both
    outputs were combined.
    """

    stdout: str
    stderr: str
    exit_code: int
    duration_ms: int
    truncated: bool = False
    cwd: str = ""
    sandbox: str = ""


@dataclass(frozen=True)
class _Started:
    """A command as the user knows it, and as it is started.

    Attributes:
        command: The text that the user sees.
        tool: The tool's name.
        argv: The program and its arguments.
        merged: Whether both outputs are combined into one.
    """

    command: str
    tool: str
    argv: Sequence[str]
    merged: bool = False


def run_command(
    context: ExecutionContext,
    command: str,
    *,
    tool: str,
    timeout_s: float,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    cancel: CancelToken | None = None,
    kept: Collection[str] = (),
) -> CommandOutcome:
    """Run a shell command to its end, after asking where the policy requires it.

    Its standard input is empty. Its background processes end with it.

    Args:
        context: The project, and who decides.
        command: The text for the shell.
        tool: The tool's name.
        timeout_s: Seconds until the command and everything it has started are killed.
        cwd: The folder to run in, inside the project; None is the root.
        env: Variables to set in addition.
        cancel: Kills the command when the user stops.
        kept: Names of variables to pass on even if they look like secrets.

    Raises:
        ToolError: "command", not recoverable, when the command is denied; "cancelled" when the user
            rejected it; "timeout"; "validation" and "file" for wrong arguments.
        Cancelled: The user asked to stop.
    """
    permission = permit(context, command, tool=tool, cwd=cwd, env=env, kept=kept)
    shell = "/bin/bash" if os.access("/bin/bash", os.X_OK) else "/bin/sh"
    limit = _Limit(timeout_s=timeout_s, output_bytes=_OUTPUT_LIMIT, cancel=cancel)
    started = _Started(command, tool, [shell, "-c", command])
    return _run(context, permission, started, limit=limit)


def run_program(
    context: ExecutionContext,
    argv: Sequence[str],
    *,
    tool: str,
    timeout_s: float,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    quietly: Mapping[str, str] | None = None,
    first: Sequence[str] = (),
    cancel: CancelToken | None = None,
) -> CommandOutcome:
    """Run a program without a shell; the policy judges it like a command of these words.

    Args:
        context: The project, and who decides.
        argv: The program's name and its arguments.
        tool: The tool's name.
        timeout_s: Seconds until the program and everything it has started are killed.
        cwd: The folder to run in, inside the project; None is the root.
        env: Variables to set in addition; the user is asked about them.
        quietly: Harmless variables to set, without a question.
        first: Folders in which the program is looked for before those on the PATH.
        cancel: Kills the program when the user stops.

    Returns:
        Its merged outputs in ``stdout``.

    Raises:
        ToolError: As `run_command`; "command" when the program is missing.
        Cancelled: The user asked to stop.
    """
    permission = permit(context, shlex.join(argv), tool=tool, cwd=cwd, env=env, first=first)
    permission = replace(permission, variables={**permission.variables, **(quietly or {})})
    words = [_found(argv[0], permission.variables, first), *argv[1:]]
    limit = _Limit(timeout_s=timeout_s, output_bytes=_PROGRAM_OUTPUT_LIMIT, cancel=cancel)
    started = _Started(shlex.join(argv), tool, words, merged=True)
    return _run(context, permission, started, limit=limit)


def start_job(
    context: ExecutionContext,
    argv: Sequence[str],
    *,
    judged: Sequence[str],
    tool: str,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    first: Sequence[str] = (),
    cancel: CancelToken | None = None,
) -> Job:
    """Start a program in the background, without a shell.

    It ends with the context, and when the session changes a file that its permission relies on:
    otherwise the changed file would run without a question.

    Args:
        context: The project, and who decides.
        argv: The program's name and its arguments.
        judged: The words that the policy judges: the same work, done once.
        tool: The tool's name.
        cwd: The folder to run in, inside the project; None is the root.
        env: Variables to set in addition; the user is asked about them.
        first: Folders in which the program is looked for before those on the PATH.
        cancel: Starts nothing when the user has stopped.

    Raises:
        ToolError: As `run_program`; "command" also when too many jobs run.
        Cancelled: The user asked to stop.
    """
    permission = permit(context, shlex.join(judged), tool=tool, cwd=cwd, env=env, first=first)
    if cancel is not None:
        cancel.check()
    words = [_found(argv[0], permission.variables, first), *argv[1:]]
    confined = _confined(context, permission, words)

    def start() -> Job:
        return context.jobs.start(
            words if confined is None else confined.argv,
            command=shlex.join(argv),
            cwd=permission.where,
            env=permission.variables if confined is None else confined.variables,
            relies_on=permission.relies_on,
            settle=None if confined is None or context.is_copy else confined.settle,
        )

    before = permission.before
    return start() if before is None else context.unseen.follow(before, start)


@dataclass(frozen=True)
class _Limit:
    """The time limit of a program, and how much of each output is kept."""

    timeout_s: float
    output_bytes: int
    cancel: CancelToken | None


def _run(
    context: ExecutionContext, permission: Permission, started: _Started, *, limit: _Limit
) -> CommandOutcome:
    """Run a program as permitted: in the sandbox first, where there is one.

    When it fails there, the user may let it run again with a network, or without the sandbox.
    """
    notes: list[str] = []
    while confined := _confined(context, permission, started.argv):
        outcome, done = _run_confined(context, permission, started, confined, limit=limit)
        notes += done
        failure = confined.failure((outcome.stderr, outcome.stdout), outcome.exit_code)
        if failure is None:
            return _with_notes(outcome, notes, merged=started.merged)
        told = _refused_without(context, permission, started, failure)
        if told:
            return _with_notes(outcome, [told, *notes], merged=started.merged)
        if not failure.is_network:
            break
        permission = replace(permission, network=True)
    outcome = _run_once(context, permission, started, limit=limit)
    return _with_notes(outcome, notes, merged=started.merged)


def _run_confined(
    context: ExecutionContext,
    permission: Permission,
    started: _Started,
    confined: Confined,
    *,
    limit: _Limit,
) -> tuple[CommandOutcome, list[str]]:
    """Run a program in the sandbox; return also what it, and stopped ones before, did to git.

    Where the user stops a program, that is kept for the next one.
    """
    permission = replace(permission, variables=confined.variables)
    untold = context.sandbox.folder.untold if context.sandbox else []
    try:
        outcome = _run_once(context, permission, replace(started, argv=confined.argv), limit=limit)
    except ToolError as error:
        if told := _settled(context, confined):
            error.message += f"\n[{told}]"
            error.args = (error.message,)
        raise
    except Cancelled:
        untold += filter(None, [_settled(context, confined)])
        raise
    notes = [*untold, *filter(None, [_settled(context, confined)])]
    untold.clear()
    return outcome, notes


def _settled(context: ExecutionContext, confined: Confined) -> str:
    """What a program that has ended did to git; of a copy, that does not matter."""
    return "" if context.is_copy else confined.settle()


def _with_notes(outcome: CommandOutcome, notes: Sequence[str], *, merged: bool) -> CommandOutcome:
    """An outcome with what there is to say of the sandbox."""
    if not notes:
        return outcome
    ends = "" if merged else "".join(f"[{note}]\n" for note in notes)
    return outcome.model_copy(update={"sandbox": "\n".join(notes), "stderr": outcome.stderr + ends})


def _confined(
    context: ExecutionContext, permission: Permission, argv: Sequence[str]
) -> Confined | None:
    """A program as it is started in the sandbox; None without one."""
    if context.sandbox is None:
        return None
    return context.sandbox.confined(
        argv,
        root=context.root,
        cwd=permission.where,
        variables=permission.variables,
        network=permission.network,
        git=permission.git,
    )


def _refused_without(
    context: ExecutionContext, permission: Permission, started: _Started, failure: Failure
) -> str:
    """Why a command that has failed in the sandbox does not run again; "" when it does.

    It is for a person to decide, each time. What was permitted is what runs: in the sandbox, the
    command may have written a script that it starts.
    """
    told = f"This may have failed because it ran in a sandbox: {failure.why}"
    sandbox = context.sandbox
    is_required = sandbox is None or sandbox.mode == "required"
    if is_required and not failure.is_network:
        return f'{told}. Nothing runs without one, because "commands.sandbox" is "required".'
    ground = permission.ground
    if context.ask_person is None or ground is None:
        return f"{told}."
    how, then = "without the sandbox", "Without it, it can do whatever you can do."
    if failure.is_network:
        how, then = "with the network", "It stays in the sandbox, but can send what it reads."
    other = f"{told}. It was not run {how}: it would now do something else than was permitted."
    shown = ground.now()
    if shown is None:
        return other
    changed = ground.changes(ground.first, shown)
    if changed:
        then += f" Since it was permitted, this has changed: {told_files(changed)}."
    decision = context.ask_person(
        Proposal(
            id=uuid4().hex,
            kind="command",
            tool=started.tool,
            title=f"Run {how}: {short_text(started.command)}",
            command=started.command,
            reason=f"In the sandbox it failed: {failure.why}. It runs again from its beginning. "
            + then,
        )
    )
    if decision.action == "apply":
        now = ground.now()
        return other if now is None or ground.changes(shown, now) else ""
    if decision.by == "nobody":
        return f"{told}. There is nobody to ask whether it may run {how}."
    because = f": {decision.reason}" if decision.reason else ""
    return f"{told}. The user did not let it run {how}{because}."


def _run_once(
    context: ExecutionContext, permission: Permission, started: _Started, *, limit: _Limit
) -> CommandOutcome:
    before = permission.before
    with nullcontext() if before is None else context.unseen.watched(before):
        finished = run(
            started.argv,
            cwd=permission.where,
            env=permission.variables,
            timeout_s=limit.timeout_s,
            cancel=limit.cancel,
            output_limit=limit.output_bytes,
            supervised=True,
            merged=started.merged,
            too_slow=lambda so_far: _too_slow(so_far, limit.timeout_s),
        )
    return CommandOutcome(
        stdout=_decoded(finished.stdout),
        stderr=_decoded(finished.stderr),
        exit_code=finished.exit_code,
        duration_ms=finished.duration_ms,
        truncated=finished.truncated,
        cwd=permission.folder,
    )


def _found(name: str, variables: Mapping[str, str], first: Sequence[str]) -> str:
    """The path of a program."""
    found = shutil.which(name, path=os.pathsep.join([*first, variables["PATH"]]))
    if found is None:
        raise ToolError(
            "command",
            f"The program {name!r} is neither installed in the project nor on the PATH.",
            suggestion=f"Install {name!r}, or what the project needs (for example: npm install).",
        )
    return found


def _too_slow(so_far: FinishedProcess, timeout_s: float) -> ToolError:
    message = f"The command took longer than {timeout_s:g} s, and was stopped with all it started."
    for name, data in (("stdout", so_far.stdout), ("stderr", so_far.stderr)):
        text = _decoded(data)[-_LAST_WORDS:].strip()
        message += f"\nEnd of {name}:\n{text}" if text else ""
    return ToolError(
        "timeout", message, suggestion="Give it a longer timeout, or have it do less at once."
    )


def _decoded(data: bytes) -> str:
    return without_codes(data.decode("utf-8", "replace"))
