"""Runs the model's shell commands: judged, asked about, supervised, without secrets."""

import fnmatch
import json
import os
import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.workspace.approval import refusal
from ipuaro_jupyter.workspace.commands import Verdict, judge
from ipuaro_jupyter.workspace.git_program import configured_programs, without_programs
from ipuaro_jupyter.workspace.processes import Child, Finished
from ipuaro_jupyter.workspace.programs import find_program

if TYPE_CHECKING:
    from ipuaro_jupyter.workspace.workspace import Workspace

_OUTPUT_LIMIT = 48_000  # bytes of each output
_LAST_WORDS = 2000  # characters of the output that a time-out quotes
_TITLE_LENGTH = 80
_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|APIKEY|(^|_)(KEY|PAT|PWD)(_|$)", re.IGNORECASE
)
_HARMLESS = {"PWD", "OLDPWD"}
_SECRET_VALUE = re.compile(r"://[^/\s:@]*:[^/\s@]+@")  # a URL with a password
_NOT_OURS = re.compile(
    # what makes a shell run something first, what a kernel sets for itself, another repository
    r"BASH_ENV|ENV|BASH_FUNC_.*|PROMPT_COMMAND|JPY_.*|MPLBACKEND|PYDEVD_.*|CLICOLOR.*|FORCE_COLOR"
    r"|PYTHONSTARTUP|GIT_DIR|GIT_WORK_TREE|GIT_INDEX_FILE|GIT_EDITOR|GIT_ASKPASS|SSH_ASKPASS"
    r"|GIT_EXTERNAL_DIFF|GIT_CONFIG_(COUNT|KEY_.*|VALUE_.*|PARAMETERS)"  # may hold tokens
)
_QUIET = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",  # fails at once, where an editor would wait for ever
    "GIT_TERMINAL_PROMPT": "0",
    "PIP_NO_INPUT": "1",
}


class CommandOutcome(Record):
    """What a command left; a non-zero ``exit_code`` is no error.

    ``exit_code`` is 128 + N when signal N ended it. ``truncated`` says that the middle of an
    output was left out; a line in the output tells how much. ``cwd`` is relative to the project.
    """

    stdout: str
    stderr: str
    exit_code: int
    duration_ms: int
    truncated: bool = False
    cwd: str = ""


def run_command(
    workspace: "Workspace",
    command: str,
    *,
    tool: str,
    timeout_s: float,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    cancel: CancelToken | None = None,
    kept: Collection[str] = (),
) -> CommandOutcome:
    """Run a shell command to its end, after asking where the policy wants it.

    Its standard input is empty. What it leaves running in the background ends with it.

    Args:
        workspace: The project.
        command: The text for the shell.
        tool: The tool's name.
        timeout_s: Seconds until the command and all it has started are killed.
        cwd: The folder to run in, inside the project; None is the root.
        env: Variables to set in addition.
        cancel: Kills the command when the user stops.
        kept: Names of variables to pass on though they look like secrets.

    Raises:
        ToolError: "command", not recoverable, when the command is denied; "cancelled" when the
            user rejected it; "timeout"; "validation" and "file" for wrong arguments.
        Cancelled: The user asked to stop.
    """
    _check(command, env)
    folder = _folder(workspace, cwd)
    where = workspace.root / folder
    variables = environment(where, workspace.root, kept=kept)
    verdict = _judged(command, where, workspace.root, variables, env)
    if verdict.action == "deny":
        raise ToolError(
            "command",
            f"Denied: {verdict.reason}. This never runs, whoever asks: {_short(command)}",
            suggestion="Do without it, or tell the user what to run by hand.",
            recoverable=False,
        )
    proposal = _proposal(workspace, command, verdict, tool=tool, cwd=folder, env=env)
    if proposal is None and _starts_git(command):
        proposal, variables = _watched_git(command, where, variables, tool=tool)
    _ask(workspace, proposal)
    finished = _run(command, where, variables | dict(env or {}), timeout_s, cancel)
    return CommandOutcome(
        stdout=_decoded(finished.stdout),
        stderr=_decoded(finished.stderr),
        exit_code=finished.exit_code,
        duration_ms=finished.duration_ms,
        truncated=finished.truncated,
        cwd=folder,
    )


def environment(cwd: Path, root: Path, *, kept: Collection[str] = ()) -> dict[str, str]:
    """Return the variables for a command: ours without secrets, quiet, with the project's tools.

    ``node_modules/.bin`` of ``cwd`` and of the folders up to ``root`` come last on the PATH.
    """
    variables = {
        name: value
        for name, value in os.environ.items()
        if not _NOT_OURS.fullmatch(name) and (name in kept or not _is_secret(name, value))
    }
    path = [entry for entry in os.get_exec_path(variables) if os.path.isabs(entry)]  # noqa: PTH117
    path += [_tools(folder) for folder in _upwards(cwd, root)]
    return variables | _QUIET | {"PATH": os.pathsep.join(path)}


def _tools(folder: Path) -> str:
    return str(folder / "node_modules" / ".bin")


def _judged(
    command: str,
    cwd: Path,
    root: Path,
    variables: Mapping[str, str],
    env: Mapping[str, str] | None,
) -> Verdict:
    folders = list(_upwards(cwd, root))
    path = variables["PATH"]
    in_scripts = os.pathsep.join([*map(_tools, folders), path])
    return judge(
        command,
        read_script=lambda name: _script(root, cwd, name),
        find_program=lambda name, in_script: find_program(
            name, path=in_scripts if in_script else path, root=root, folders=folders
        ),
        is_inside=lambda path: _is_inside(cwd / path, root),
        env=env,
    )


def _is_inside(path: Path, root: Path) -> bool:
    if ".." in path.parts:
        return False
    try:
        return path.resolve().is_relative_to(root)
    except (OSError, RuntimeError, ValueError):  # too long, a loop of symlinks, odd characters
        return False


def _starts_git(command: str) -> bool:
    """Whether a plain command is git itself."""
    return shlex.split(command)[:1] == ["git"]


def _watched_git(
    command: str, cwd: Path, variables: Mapping[str, str], *, tool: str
) -> tuple[Proposal | None, dict[str, str]]:
    """Return the question about a git that would start programs, and variables for one that not."""
    keys = configured_programs(cwd)
    if not keys:
        return None, {**variables, **without_programs()}
    reason = f"Asked, because git may start what the repository's settings name: {', '.join(keys)}."
    proposal = Proposal(
        id=uuid4().hex,
        kind="command",
        tool=tool,
        title=f"Run {_short(command)}",
        command=command,
        reason=reason,
    )
    return proposal, dict(variables)


def _is_secret(name: str, value: str) -> bool:
    named = _SECRET_NAME.search(name) is not None and name not in _HARMLESS
    return named or _SECRET_VALUE.search(value) is not None


def _check(command: str, env: Mapping[str, str] | None) -> None:
    if not command.strip():
        raise ToolError("validation", "The command is empty.")
    if "\0" in command:
        raise ToolError("validation", "The command holds a NUL character.")
    for name, value in (env or {}).items():
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or "\0" in value:
            raise ToolError("validation", f"{name!r} cannot be the name of a variable.")


def _folder(workspace: "Workspace", cwd: str | None) -> str:
    if cwd is None:
        return ""
    folder = workspace.relative(cwd)
    if not (workspace.root / folder).is_dir():
        raise ToolError("file", f"{folder} is no folder, so nothing can run in it.")
    return folder


def _upwards(cwd: Path, root: Path) -> Iterator[Path]:
    """Yield ``cwd`` and the folders above it, up to ``root``."""
    for folder in (cwd, *cwd.parents):
        yield folder
        if folder == root:
            return


def _script(root: Path, cwd: Path, name: str) -> str | None:
    """Return the text of a script of the package.json that counts in ``cwd``."""
    for folder in _upwards(cwd, root):
        try:
            package = json.loads((folder / "package.json").read_bytes())
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return None
        scripts = package.get("scripts") if isinstance(package, dict) else None
        text = scripts.get(name) if isinstance(scripts, dict) else None
        return text if isinstance(text, str) else None
    return None


def _proposal(
    workspace: "Workspace",
    command: str,
    verdict: Verdict,
    *,
    tool: str,
    cwd: str,
    env: Mapping[str, str] | None,
) -> Proposal | None:
    """Return what the user is to be asked, None when the command may run at once."""
    changed = _changed_here(workspace, cwd, verdict.relies_on)
    if verdict.action == "run" and not changed:
        return None
    reason = f"Asked, because {verdict.reason}."
    if changed:
        reason = f"Asked, because {', '.join(changed)} was changed in this session."
    if cwd:
        reason += f" It runs in {cwd}."
    if env:
        reason += " It gets " + ", ".join(f"{name}={value}" for name, value in env.items()) + "."
    return Proposal(
        id=uuid4().hex,
        kind="command",
        tool=tool,
        title=f"Run {_short(command)}",
        command=command,
        reason=reason,
        pattern=None if changed or cwd or env else verdict.pattern,
    )


def _ask(workspace: "Workspace", proposal: Proposal | None) -> None:
    if proposal is None:
        return
    decision = workspace.decide(proposal)
    if decision.action == "reject":
        raise refusal(proposal, decision)


def _changed_here(workspace: "Workspace", cwd: str, patterns: Collection[str]) -> list[str]:
    """Return the files of these names that this session has changed."""
    if not patterns:
        return []
    paths = {pattern for pattern in patterns if "/" in pattern}
    paths |= set(workspace.files().files)  # without what git ignores, so look around as well
    for folder in _upwards(workspace.root / cwd, workspace.root):
        paths |= {entry.relative_to(workspace.root).as_posix() for entry in folder.iterdir()}
    return sorted(
        path
        for path in paths
        if any(
            path == pattern or fnmatch.fnmatchcase(path.rpartition("/")[2], pattern)
            for pattern in patterns
        )
        and workspace.wrote(path)
    )


def _run(
    command: str,
    cwd: Path,
    variables: Mapping[str, str],
    timeout_s: float,
    cancel: CancelToken | None,
) -> Finished:
    shell = "/bin/bash" if os.access("/bin/bash", os.X_OK) else "/bin/sh"
    with ExitStack() as stack:
        if cancel is not None:
            cancel.check()
        child = stack.enter_context(
            Child(
                [shell, "-c", command],
                cwd=cwd,
                env=variables,
                output_limit=_OUTPUT_LIMIT,
                supervised=True,
            )
        )
        if cancel is not None:
            stack.enter_context(cancel.calling(child.stop))
        in_time = child.wait(timeout_s)
        if cancel is not None:
            cancel.check()
        if not in_time:
            raise _too_slow(child.finished(), timeout_s)
        return child.finished()


def _too_slow(so_far: Finished, timeout_s: float) -> ToolError:
    message = f"The command took longer than {timeout_s:g} s, and was stopped with all it started."
    for name, data in (("stdout", so_far.stdout), ("stderr", so_far.stderr)):
        text = _decoded(data)[-_LAST_WORDS:].strip()
        message += f"\nEnd of {name}:\n{text}" if text else ""
    return ToolError(
        "timeout", message, suggestion="Give it a longer timeout, or have it do less at once."
    )


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _short(command: str) -> str:
    line = " ".join(command.split())
    return line if len(line) <= _TITLE_LENGTH else f"{line[: _TITLE_LENGTH - 1]}…"
