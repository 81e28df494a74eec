"""The policy for the model's shell commands: denied, run at once, or asked about.

A command text is split into the commands that it would run, and each is judged by its argv (see
`shell_syntax`). Quoted text is data. Denied commands stay denied, whoever asks. The policy is not a
sandbox: a program that the user allows may do anything.
"""

import glob
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ipuaro_jupyter.workspace.commands.certain_commands import Certainty, certainty
from ipuaro_jupyter.workspace.commands.command_options import read_options
from ipuaro_jupyter.workspace.commands.denied_commands import Denier, ReadAlias
from ipuaro_jupyter.workspace.commands.outside_code import outside_parts
from ipuaro_jupyter.workspace.commands.package_scripts import ReadScript, package_commands
from ipuaro_jupyter.workspace.commands.program import RememberedUse, program
from ipuaro_jupyter.workspace.commands.program_files import FindProgram
from ipuaro_jupyter.workspace.commands.safe_commands import (
    known_safe,
    only_looks,
    reason_safe,
    started_commands,
)
from ipuaro_jupyter.workspace.commands.shell_syntax import Argv, Script, parse
from ipuaro_jupyter.workspace.commands.shell_words import TooComplex, program_name

_LONGEST = 100_000  # characters
_TOO_LONG, _TOO_INTRICATE = "it is too long to be judged", "it is too intricate to be judged"
# May stand for a link out of the project; for git, `:(top)x` for a path outside; behind `--`, an
# option of what the program starts, such as `--logfile` of cargo's tests.
_UNCLEAR = re.compile(r"^:|^-.|[*?\[{]")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The policy's decision on a command.

    ``reason`` completes "denied: …" or "asked about, because …", and describes a "run". ``pattern``
    is what "don't ask again" may remember: it covers every command with an equal pattern; None when
    nothing may be remembered. ``relies_on`` are patterns of file names, or paths with a slash; a
    "run", and a permission for a pattern, hold only while these files are unchanged. ``starts``
    are the commands of a "run", those of its script too. ``runs_code`` says whether code or
    settings of the project may decide what it does. ``doubt``, of an "ask", says why it is not
    certain what would run: then no setting may answer; "" when it is.
    """

    action: Literal["deny", "run", "ask"]
    reason: str
    pattern: str | None
    relies_on: tuple[str, ...] = ()
    starts: frozenset[Argv] = frozenset()
    runs_code: bool = True
    doubt: str = ""


def judge(
    command: str,
    *,
    read_script: ReadScript,
    find_program: FindProgram,
    is_inside: Callable[[str], bool],
    starts_code: Callable[[str], bool],
    env: Mapping[str, str] | None = None,
    read_alias: ReadAlias = lambda _: None,
    scripts_of: Callable[[str], ReadScript] | None = None,
    is_inside_there: Callable[[str], bool] | None = None,
    tests: bool = False,
) -> Verdict:
    """Judge a shell command.

    Args:
        command: The text as a shell would get it.
        read_script: Returns the text of a script of package.json, None when there is none.
        find_program: Returns the files of the project that a program is; see `FindProgram`.
        is_inside: Whether a path, as the command would see it, stays in the project.
        starts_code: Whether a variable decides which code other programs run.
        env: Variables that the command gets in addition.
        read_alias: Returns the text of a git alias, None when there is none.
        scripts_of: Returns the reader of scripts for a folder below, as ``read_script`` is; None
            when only those where the command runs can be read.
        is_inside_there: As ``is_inside``, for the scripts, which run in the folder of package.json;
            None when that is where the command runs.
        tests: Whether the command runs the project's tests, as detected.
    """
    text = command.strip(" \t\n")
    if len(text) > _LONGEST:
        return Verdict("ask", _TOO_LONG, text, doubt=_TOO_LONG)
    try:
        denier = Denier(read_script, read_alias)
        denied = denier.environment(list((env or {}).items())) or denier.text(text)
        if denied:
            return Verdict("deny", denied, text)
        there = is_inside_there or is_inside
        verdict = _judged(text, read_script, find_program, (is_inside, there), env, tests=tests)
        if (
            verdict.action == "run" or tests
        ):  # what runs the tests is made by the tool, word by word
            return verdict
        certain = certainty(
            text,
            find_program=find_program,
            is_inside=is_inside,
            starts_code=starts_code,
            variables=env or {},
        )
        denied = next(filter(None, (denier.text(shlex.join(argv)) for argv in certain.argvs)), None)
        scripts = _scripts(certain, read_script, scripts_of)
        denied = denied or _denied_there(scripts, read_alias)
        if denied:
            return Verdict("deny", denied, text)
        doubt = certain.doubt
        if scripts_of is None and any(folder for folder, _ in certain.scripts):
            doubt = doubt or "the script of another folder is not read"
        doubt = doubt or _missing(scripts, find_program)
        # What lies outside may change without anybody's notice.
        is_ours = not doubt or not outside_parts(text, is_inside)
        return replace(verdict, doubt=doubt, pattern=verdict.pattern if is_ours else None)
    except (RecursionError, TooComplex):
        return Verdict("ask", _TOO_INTRICATE, text, doubt=_TOO_INTRICATE)


def _scripts(
    certain: Certainty, read_script: ReadScript, scripts_of: Callable[[str], ReadScript] | None
) -> list[tuple[Argv, ReadScript]]:
    """The commands that run scripts of package.json, with the readers of those, if there is one."""
    return [
        (argv, scripts_of(folder) if folder and scripts_of else read_script)
        for folder, argv in certain.scripts
        if not folder or scripts_of
    ]


def _denied_there(scripts: list[tuple[Argv, ReadScript]], read_alias: ReadAlias) -> str | None:
    """The reason why a script is denied where it runs."""
    found = (Denier(read, read_alias).text(shlex.join(argv)) for argv, read in scripts)
    return next(filter(None, found), None)


def _missing(scripts: list[tuple[Argv, ReadScript]], find_program: FindProgram) -> str:
    """The doubt about a script that the project lacks, as one above it may run; "" for none."""
    for argv, read in scripts:
        manager, name = program(argv[0]).manager, argv[2]
        is_program = manager and manager.implicit and find_program(name, True)  # noqa: FBT003
        if name and read(name) is None and not is_program:
            return f"no package.json of the project has a script {name!r} there"
    return ""


def _judged(
    text: str,
    read_script: ReadScript,
    find_program: FindProgram,
    inside: tuple[Callable[[str], bool], Callable[[str], bool]],
    env: Mapping[str, str] | None,
    *,
    tests: bool,
) -> Verdict:
    script = parse(text)
    is_inside, is_inside_there = inside
    pattern = command_pattern(text, script.plain, is_inside)
    safe = None
    if script.plain:
        safe = known_safe(
            script.plain,
            read_script,
            find_program,
            is_inside=is_inside,
            is_inside_there=is_inside_there,
            tests=tests,
        )
    reason = _doubt(text, script, env)
    if safe is not None and script.plain and not reason:
        starts = started_commands(script.plain, read_script)
        runs_code = not only_looks(script.plain)
        return Verdict("run", reason_safe(script.plain), pattern, safe, starts, runs_code)
    relies_on = safe or (_what_it_runs(script.plain, find_program) if script.plain else ())
    why = reason or "it is not known to be safe"
    runs_code = script.plain is None or bool(env) or not only_reads(script.plain)
    return Verdict("ask", why, pattern, relies_on, runs_code=runs_code)


def _doubt(text: str, script: Script, env: Mapping[str, str] | None) -> str:
    """The reason to ask even about a command of safe words; "" when there is none."""
    if re.search(r"[^\S \t\n]|[\x00-\x08\x0e-\x1f\x7f]", text):
        return "it holds unusual blanks or control characters"
    if script.broken:
        return "it could not be parsed completely"
    if script.plain is None:
        return script.more
    if env:
        return "it sets environment variables"
    return ""


def _what_it_runs(argv: Argv, find_program: FindProgram) -> tuple[str, ...]:
    """The names of the files that contain the code a command runs."""
    if "/" in argv[0]:
        return (glob.escape(argv[0].rpartition("/")[2]),)
    found = find_program(argv[0], False) or ()  # noqa: FBT003 - no script
    known = program(program_name(argv) if package_commands(argv) else argv[0])
    scripts = argv[1:2] if known.runs_file else ()
    return (*known.files, *(glob.escape(word.rpartition("/")[2]) for word in scripts), *found)


def command_pattern(text: str, argv: Argv | None, is_inside: Callable[[str], bool]) -> str | None:
    """The pattern to remember for a command.

    Args:
        text: The command.
        argv: Its words when it is one plain command, else None.
        is_inside: Whether a path, as the command would see it, stays in the project.

    Returns:
        The whole text; of a listed use its sort; None, and nothing is remembered, when that would
        do but a path leads outside the project.
    """
    if not argv:
        return text
    sorts = (_sort(use, argv) for use in program(argv[0]).remembered)
    sort = next((found for found in sorts if found is not None), None)
    if sort is None or shlex.join(sort) == text:
        return text
    inside = all(_stays_inside(word, is_inside) for word in argv[1:])
    return shlex.join(sort) if inside else None


def only_reads(argv: Argv) -> bool:
    """Whether a plain command is a listed use of a program that only reads or prints."""
    uses = (use for use in program(argv[0]).remembered if not use.subcommands)
    return any(_sort(use, argv) is not None for use in uses)


def _sort(use: RememberedUse, argv: Argv) -> Argv | None:
    """The words that name the sort of a command; None when it is not this use."""
    rest = argv[1:]
    if use.subcommands:
        if rest[:1] == () or rest[0] not in use.subcommands:
            return None
        rest = rest[1:]
    options = read_options(rest, use.values)
    if not options.names <= {*use.flags, *use.values}:
        return None
    if any(value is None for name, value in options.given if name in use.values):
        return None
    if options.operands and (not use.operands or any(map(_UNCLEAR.search, options.operands))):
        return None
    return (*argv[: len(argv) - len(rest)], *sorted(options.names))


def _stays_inside(word: str, is_inside: Callable[[str], bool]) -> bool:
    """Whether no part of a word, as in ``--file=../x``, ``-f/x`` or ``a:~/x``, leads outside."""
    parts = [word, *re.split(r"[=:,]", word)]
    parts += [part[2:] for part in parts if re.match(r"-[^-]", part)]
    return not any(part.startswith("~") or not is_inside(part) for part in parts if part)
