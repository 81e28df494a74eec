"""The pattern of a command that "don't ask again" remembers: its beginning, if meaningful.

A pattern is made from the parsed argv, so two commands have an equal one only when a shell would
start both the same way: ``npm test && ls`` or ``npm testx`` do not share that of ``npm test``.
Options are part of it, and commands that contain other commands are remembered word by word.
"""

import re
import shlex
from collections.abc import Callable

from ipuaro_jupyter.workspace.commands.program import Program, program
from ipuaro_jupyter.workspace.commands.shell_syntax import Argv

_BEHIND = {"exec", "x", "dlx"}
_HOLDING_COMMANDS = {
    "-C", "-O", "-c", "-e", "-f", "-p", "-u", "-x", "--call", "--command", "--config", "--eval",
    "--exec", "--extcmd", "--file", "--open-files-in-pager", "--receive-pack", "--script-shell",
    "--upload-pack",
}  # fmt: skip


def command_pattern(text: str, argv: Argv | None, is_inside: Callable[[str], bool]) -> str | None:
    """The pattern to remember for a command.

    Args:
        text: The command.
        argv: Its words when it is one plain command, else None.
        is_inside: Whether a path, as the command would see it, stays in the project.

    Returns:
        The beginning, or the whole text of a command whose beginning says too little; None, and
        nothing is remembered, when the beginning would do but a path leads outside the project.
    """
    beginning = _beginning(argv) if argv else None
    if not argv or beginning is None or shlex.join(beginning) == text:
        return text
    inside = all(_stays_inside(word, is_inside) for word in argv[1:])
    return shlex.join(beginning) if inside else None


def _stays_inside(word: str, is_inside: Callable[[str], bool]) -> bool:
    """Whether no part of a word, as in ``--file=../x``, ``-f/x`` or ``a:~/x``, leads outside."""
    parts = [word, *re.split(r"[=:,]", word)]
    parts += [part[2:] for part in parts if re.match(r"-[^-]", part)]
    return not any(part.startswith("~") or not is_inside(part) for part in parts if part)


def _beginning(argv: Argv) -> Argv | None:
    """Return the words that say what sort of command it is, None when only all of them do."""
    known, first = program(argv[0]), argv[1] if len(argv) > 1 else "-"
    if known.remember == "name" and len(argv) > 1:
        return argv[:1]
    if first.startswith("-") or not known.remember:
        return None
    if known.remember == "script":
        return argv[:2]
    return _program(argv, 1) if known.remember == "program" else _subcommand(known, first, argv)


def _subcommand(known: Program, first: str, argv: Argv) -> Argv | None:
    named = first == "run-script" or (first == "run" and known.run_names)
    if first in {*_BEHIND, "run"} and not named:
        return None if known.container else _program(argv, 2)
    return _with_options(argv, 3 if named else 2)


def _program(argv: Argv, at: int) -> Argv | None:
    """Return the beginning of what starts the program that stands at ``at``."""
    if at < len(argv) and program(argv[at]).remember not in {None, "name"}:
        behind = _beginning(argv[at:])
        return behind and (*argv[:at], *behind)
    return _with_options(argv, at + 1)


def _with_options(argv: Argv, length: int) -> Argv | None:
    """The first ``length`` words with the names of the options that follow them.

    Options after ``--`` are passed on. A word like ``CC=x`` counts as an option, as a whole.
    """
    rest = argv[length:]
    own = rest[: rest.index("--")] if "--" in rest else rest
    options = {word.partition("=")[0] for word in own if re.match(r"-.", word)}
    options |= {word for word in own if re.match(r"\w+=", word)}
    if options & _HOLDING_COMMANDS or len(argv) < length or argv[length - 1].startswith("-"):
        return None
    return (*argv[:length], *sorted(options))
