"""The permission to run a command: judged by the policy, asked about where that requires it."""

import glob
import json
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from uuid import uuid4

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.small_file import read_small
from ipuaro_jupyter.workspace.approval import is_by_person, refusal
from ipuaro_jupyter.workspace.command_basis import (
    Basis,
    Ground,
    ReadTexts,
    basis,
    check_unchanged,
    files_it_runs,
    unchanged,
)
from ipuaro_jupyter.workspace.commands.command_outline import command_outline
from ipuaro_jupyter.workspace.commands.command_policy import Verdict, judge
from ipuaro_jupyter.workspace.commands.program_files import find_program
from ipuaro_jupyter.workspace.commands.program_settings import deciding_settings
from ipuaro_jupyter.workspace.commands.runner_folders import odd_settings
from ipuaro_jupyter.workspace.commands.tsc_settings import writing_settings
from ipuaro_jupyter.workspace.execution_context import ExecutionContext
from ipuaro_jupyter.workspace.file_states import States
from ipuaro_jupyter.workspace.files.folders import is_inside
from ipuaro_jupyter.workspace.files.paths import relative_path
from ipuaro_jupyter.workspace.git.git_program import (
    configured_programs,
    git_alias,
    without_programs,
)
from ipuaro_jupyter.workspace.git.own_repository import own_repository
from ipuaro_jupyter.workspace.processes.environment import (
    environment,
    local_tools,
    starts_code,
    upwards,
)
from ipuaro_jupyter.workspace.processes.relied_files import relies_on
from ipuaro_jupyter.workspace.sandbox.confinement import GitWrites
from ipuaro_jupyter.workspace.sandbox.network_needs import git_writes, needs_network
from ipuaro_jupyter.workspace.unseen_files import told_files

_TITLE_LENGTH = 80
_OTHER_PACKAGES = ("package.json5", "package.yaml")


@dataclass(frozen=True, slots=True)
class Permission:
    """The permission to run a command at ``where``, in a ``folder`` of the project.

    ``relies_on`` are patterns of file names, or paths with a slash: the permission holds while the
    session does not change these files. ``before`` are the states of the files of the project just
    before it runs; None for a command that needed no question, which relies on nothing unseen. In
    a sandbox, ``network`` says whether it may use one, and ``git`` what it may write of git
    directories; see `Sandbox.confined`.
    """

    folder: str
    where: Path
    variables: Mapping[str, str]
    relies_on: tuple[str, ...]
    before: States | None = None
    network: bool = False
    git: GitWrites = "nothing"
    ground: Ground | None = None


def permit(
    context: ExecutionContext,
    command: str,
    *,
    tool: str,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    kept: Collection[str] = (),
    first: Sequence[str] = (),
) -> Permission:
    """The permission for a command, after asking where the policy requires it.

    Args:
        context: The project, and who decides.
        command: The text as a shell would get it.
        tool: The tool's name.
        cwd: The folder to run in, inside the project; None is the root.
        env: Variables to set in addition.
        kept: Names of variables to pass on even if they look like secrets.
        first: Folders in which the program is looked for before those on the PATH.

    Raises:
        ToolError: "command", not recoverable, when the command is denied; "cancelled" when the user
            rejected it; "validation" and "file" for wrong arguments.
        Cancelled: The user asked to stop.
    """
    _check(command, env)
    folder = _folder(context, cwd)
    root, where = context.root, context.root / folder
    passed = (*kept, *context.pass_environment)
    variables = environment(where, root, kept=passed)
    path = os.pathsep.join([*first, variables["PATH"]])
    seen = partial(_judged, command, where, root, path, env, tests=tool == "run_tests")
    verdict, scripts = judged = seen()
    if verdict.action == "deny":
        asked = _question(command, tool=tool, reason=f"Denied: {verdict.reason}.")
        context.note_verdict(asked, Decision(action="reject", by="policy", reason=verdict.reason))
        raise ToolError(
            "command",
            f"Denied: {verdict.reason}. This never runs, whoever asks: {short_text(command)}",
            suggestion="Do without it, or tell the user what to run.",
            recoverable=False,
        )
    texts, folders = (command, *filter(None, scripts.values())), [*upwards(where, root)]
    if verdict.action == "ask":
        found = map(glob.escape, files_it_runs(texts, folders, context.root))
        verdict = replace(verdict, relies_on=(*verdict.relies_on, *found))
    unseen = _unseen(context, command, verdict, folder)
    proposal = _proposal(context, command, verdict, unseen, tool=tool, folder=folder, env=env)
    if proposal is None:
        proposal = _configured(command, verdict, where, root, tool=tool)
    if proposal is None and any(argv[0] == "git" for argv in verdict.starts):
        proposal, variables = _watched_git(command, where, root, variables, tool=tool)
    before: States | None = None
    rests: Basis | None = None
    network, git = False, git_writes(())
    if proposal is None:
        unasked = _question(command, tool=tool, reason=f"Not asked, because {verdict.reason}.")
        context.note_verdict(unasked, Decision(action="apply", by="policy", reason=verdict.reason))
    else:
        commands = (command, *proposal.runs)
        needs = needs_network(commands)
        asked = _told_of_network(proposal, context) if needs else proposal
        walks = not context.is_copy and (verdict.runs_code or verdict.action == "run")
        look = partial(basis, texts, folders, context.root, walks=walks)
        rests = shown = look()
        before = shown.states
        rests_on = shown.digest(texts)
        decision = _ask(context, asked.model_copy(update={"rests_on": rests_on}))
        network, git = _granted(decision, commands, needs=needs)
        if decision.by != "setting":
            rests = now = look()
            check_unchanged(shown, now, texts)
            unchanged(judged, seen())
            before = now.states
            if before is not None and unseen and not env:
                context.unseen.allow(command, folder, unseen)
    look = partial(basis, texts, folders, context.root, walks=verdict.runs_code)
    ground = _ground(context, rests, look, texts, is_same=lambda: seen() == judged)
    passed_on = variables | dict(env or {})
    return Permission(folder, where, passed_on, verdict.relies_on, before, network, git, ground)


def _unseen(
    context: ExecutionContext, command: str, verdict: Verdict, folder: str
) -> dict[str, str]:
    """The files, with their contents, that a command may rely on and nobody has looked at."""
    if not verdict.runs_code:
        return {}
    return context.unseen.pending(command, folder) | dict.fromkeys(context.proposed, "")


def _judged(
    command: str,
    cwd: Path,
    root: Path,
    path: str,
    env: Mapping[str, str] | None,
    *,
    tests: bool,
) -> tuple[Verdict, Mapping[tuple[str, str], str | None]]:
    """The verdict, and the scripts and aliases that it rests on beside the command's words."""
    folders = list(upwards(cwd, root))
    in_scripts = os.pathsep.join([*map(local_tools, folders), path])
    read = ReadTexts()
    package = package_folder(root, cwd) or cwd
    verdict = judge(
        command,
        read_script=read.keeping("script", lambda name: script_text(root, cwd, name)),
        find_program=lambda name, in_script: find_program(
            name, path=in_scripts if in_script else path, root=root, folders=folders
        ),
        is_inside=lambda path: _is_inside(cwd / path, root),
        is_inside_there=lambda path: _is_inside(package / path, root),
        starts_code=starts_code,
        env=env,
        read_alias=read.keeping("alias", lambda name: git_alias(cwd, name)),
        scripts_of=lambda folder: read.keeping(
            f"script in {folder}", lambda name: script_text(root, (cwd / folder).resolve(), name)
        ),
        tests=tests,
    )
    command_outline(command, read.keeping("script", lambda name: script_text(root, cwd, name)))
    return verdict, read.texts


def _is_inside(path: Path, root: Path) -> bool:
    if ".." in path.parts:
        return False
    try:
        return is_inside(str(path.resolve()), root)
    except (OSError, RuntimeError, ValueError):  # too long, a loop of symlinks, odd characters
        return False


def _configured(
    command: str, verdict: Verdict, cwd: Path, root: Path, *, tool: str
) -> Proposal | None:
    """The question about a program for which files of the project decide what it does."""
    folders = [*upwards(cwd, root), *_above(root)]
    found = {key for argv in verdict.starts for key in deciding_settings(argv[0], folders)}
    writes = {
        key
        for argv in verdict.starts
        if argv[0] == "tsc"
        for key in writing_settings(argv, folders, root)
    }
    doubts = [f"the project decides what it runs: {', '.join(sorted(found))}"] if found else []
    doubts += [f"it may write elsewhere: {', '.join(sorted(writes))}"] if writes else []
    is_script = len(verdict.starts) > 1  # which a package manager runs where the package is
    where = (package_folder(root, cwd) if is_script else None) or cwd
    doubts += [odd for argv in verdict.starts for odd in odd_settings(argv, where, root)]
    if not doubts:
        return None
    return _question(command, tool=tool, reason=f"Asked, because {'; '.join(doubts)}.")


def _above(root: Path) -> Sequence[Path]:
    """The folders above the project up to the top of its repository, if it is below one."""
    above = list(root.parents)
    tops = [at for at, folder in enumerate(above) if os.path.lexists(folder / ".git")]
    return above[: tops[0] + 1] if tops and not os.path.lexists(root / ".git") else []


def _watched_git(
    command: str, cwd: Path, root: Path, variables: Mapping[str, str], *, tool: str
) -> tuple[Proposal | None, dict[str, str]]:
    """The question about a git that would do more than look, or variables that prevent this."""
    doubts = []
    try:
        own_repository(root, cwd, variables=variables)
    except ToolError as error:
        doubts.append(error.message.rstrip(".").replace("This is", "it is", 1))
    if keys := configured_programs(cwd):
        doubts.append(f"git may start what the repository's settings name: {', '.join(keys)}")
    if not doubts:
        return None, {**variables, **without_programs()}
    reason = f"Asked, because {'; '.join(doubts)}."
    return _question(command, tool=tool, reason=reason), dict(variables)


def _question(
    command: str,
    *,
    tool: str,
    reason: str,
    pattern: str | None = None,
    runs: tuple[str, ...] = (),
) -> Proposal:
    return Proposal(
        id=uuid4().hex,
        kind="command",
        tool=tool,
        title=f"Run {short_text(command)}",
        command=command,
        runs=runs,
        reason=reason,
        pattern=pattern,
    )


def _check(command: str, env: Mapping[str, str] | None) -> None:
    if not command.strip():
        raise ToolError("validation", "The command is empty.")
    if "\0" in command:
        raise ToolError("validation", "The command holds a NUL character.")
    for name, value in (env or {}).items():
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or "\0" in value:
            raise ToolError("validation", f"{name!r} cannot be the name of a variable.")


def _folder(context: ExecutionContext, cwd: str | None) -> str:
    """Where a command runs, relative to the project."""
    if cwd is None:
        return ""
    folder = relative_path(context.root, cwd, kind="folder")
    if not (context.root / folder).is_dir():
        raise ToolError("file", f"{folder} is no folder, so nothing can run in it.")
    return folder


def _proposal(
    context: ExecutionContext,
    command: str,
    verdict: Verdict,
    unseen: Collection[str],
    *,
    tool: str,
    folder: str,
    env: Mapping[str, str] | None,
) -> Proposal | None:
    """The question to the user; None when the command may run at once."""
    changed = _changed_here(context, verdict.relies_on)
    if verdict.action == "run" and not changed and not unseen:
        return None
    unnamed = {*unseen} - {*changed}
    told = (
        f"it may run what this session has written and nobody has looked at: {told_files(unnamed)}"
    )
    reason = f"Asked, because {verdict.reason}."
    if changed:
        reason = f"Asked, because {', '.join(changed)} was changed in this session."
    elif unnamed and verdict.action == "run":
        reason, unnamed = f"Asked, because {told}.", set()
    if unnamed:
        reason += f" {told[0].upper()}{told[1:]}."
    if folder:
        reason += f" It runs in {folder}."
    if env:
        reason += " It gets " + ", ".join(f"{name}={value}" for name, value in env.items()) + "."
    if deciding := [name for name in env or () if starts_code(name)]:
        reason += f" {', '.join(deciding)} can make other programs run other code."
    pattern = None if changed or unseen or folder or env else verdict.pattern
    where = context.root / folder
    runs = command_outline(command, lambda name: script_text(context.root, where, name))
    question = _question(command, tool=tool, reason=reason, pattern=pattern, runs=runs)
    return question.model_copy(update={"doubt": verdict.doubt})


def _ask(context: ExecutionContext, proposal: Proposal) -> Decision:
    decision = context.decide(proposal)
    if decision.action == "reject":
        raise refusal(proposal, decision)
    return decision


def _told_of_network(proposal: Proposal, context: ExecutionContext) -> Proposal:
    """The question that says what the sandbox is opened for, where there is one."""
    if not _is_confined(context):
        return proposal
    reason = f"{proposal.reason} In its sandbox it gets the network."
    return proposal.model_copy(update={"reason": reason})


def _granted(decision: Decision, commands: Sequence[str], *, needs: bool) -> tuple[bool, GitWrites]:
    """Whether a command gets a network, and what it may write of git directories."""
    git = git_writes(commands)
    if is_by_person(decision):
        return needs, git
    return False, "commits" if git == "all" else git  # hooks and settings start programs later


def _ground(
    context: ExecutionContext,
    rests: Basis | None,
    look: Callable[[], Basis],
    texts: Sequence[str],
    *,
    is_same: Callable[[], bool],
) -> Ground | None:
    """What a command rests on, for a second run; None where no sandbox makes the first one fail."""
    if not _is_confined(context):
        return None
    if rests is None or rests.states is None:
        rests = look()
    return Ground(rests, texts, context.root, look, is_same)


def _is_confined(context: ExecutionContext) -> bool:
    return context.sandbox is not None and context.sandbox.state.program is not None


def _changed_here(context: ExecutionContext, patterns: Collection[str]) -> list[str]:
    """The files of these names that this session has changed, existing or not.

    The session's own writes are known. A listing would leave out files that the repository chooses
    to ignore.
    """
    if not patterns:
        return []
    written = sorted({*context.written(), *context.proposed})
    return [path for path in written if relies_on(path, patterns)]


def short_text(command: str) -> str:
    """A command in one line, cut where it is too long for a title."""
    line = " ".join(command.split())
    return line if len(line) <= _TITLE_LENGTH else f"{line[: _TITLE_LENGTH - 1]}…"


def script_text(root: Path, cwd: Path, name: str) -> str | None:
    """The text of a script of the package.json that applies in ``cwd``.

    None also where pnpm would take another kind of file instead of one further above.
    """
    folder = package_folder(root, cwd)
    if folder is None:
        return None
    try:
        package = json.loads(read_small(folder / "package.json"))
    except (OSError, ValueError):
        return None
    scripts = package.get("scripts") if isinstance(package, dict) else None
    text = scripts.get(name) if isinstance(scripts, dict) else None
    return text if isinstance(text, str) else None


def package_folder(root: Path, cwd: Path) -> Path | None:
    """The folder of the package that applies in ``cwd``: its scripts run there.

    None also where that is a package that only pnpm reads.
    """
    for folder in upwards(cwd, root):
        if (folder / "package.json").exists():
            return folder
        if any((folder / name).exists() for name in _OTHER_PACKAGES):
            return None
    return None
