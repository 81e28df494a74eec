"""The pattern of a command that "don't ask again" remembers: nearly always the whole command.

Only of the uses that ``programs/*.toml`` lists is less remembered: the program, its subcommand and
the names of the options. Such a pattern is made from the parsed argv, so two commands have an equal
one only when a shell would start both the same way.
"""

import re
import shlex
from collections.abc import Callable

from ipuaro_jupyter.workspace.commands.command_options import read_options
from ipuaro_jupyter.workspace.commands.program import RememberedUse, program
from ipuaro_jupyter.workspace.commands.shell_syntax import Argv

# May stand for a link out of the project; for git, `:(top)x` for a path outside; behind `--`, an
# option of what the program starts, such as `--logfile` of cargo's tests.
_UNCLEAR = re.compile(r"^:|^-.|[*?\[{]")


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
