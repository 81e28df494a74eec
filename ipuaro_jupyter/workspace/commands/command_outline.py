"""The commands that a shell would run for a command text, one per line, for the user."""

import itertools
import re
import shlex
from collections.abc import Iterator

from ipuaro_jupyter.workspace.commands.entered_folders import enters_folder
from ipuaro_jupyter.workspace.commands.package_scripts import (
    PackageCommand,
    ReadScript,
    is_elsewhere,
    package_commands,
    script_texts,
)
from ipuaro_jupyter.workspace.commands.program import program
from ipuaro_jupyter.workspace.commands.shell_syntax import Argv, SimpleCommand, parse
from ipuaro_jupyter.workspace.commands.shell_words import (
    UNKNOWN,
    ExpansionBudget,
    TooComplex,
    program_name,
)
from ipuaro_jupyter.workspace.commands.wrapped_commands import inner_commands

_MOST_COMMANDS = 50
_MOST_FORMS = 6  # of one command, as in a loop; fewer than the possible values of a variable
_LONGEST = 500  # characters of one command
_LONGEST_TEXT = 20_000
_MOST_CHARACTERS = 100_000  # of scripts; each counts as often as it is started
_SCRIPT_COSTS = 1000
_MOST_LINES = 200  # that are examined, repeated ones included
_DEEPEST = 6
_INDENT = "  "
_MORE = "\u2026"
_LINE_END = "\u23ce"
_ACTIVE = re.compile(r"""[\s;&|<>()"'$`\\]""")  # what would mean something else without quotes


def command_outline(command: str, read_script: ReadScript) -> tuple[str, ...]:
    """The commands; those that another command starts are indented below it.

    Each is shown with its assignments and redirections. A script of package.json is shown as
    written, with its commands below it. Parts that are only known at run time, or are left out,
    appear as "…".

    Empty when the text itself is the single command, and when it cannot be parsed quickly or
    completely.

    Args:
        command: The text as a shell would get it.
        read_script: Returns the text of a script of package.json, None when there is none.
    """
    if len(command) > _LONGEST_TEXT:
        return ()
    found: list[str] = []
    try:
        script = parse(command)
        if script.broken:
            return ()
        for count, line in enumerate(_of_text(command, _bounded(read_script), 0)):
            if len(found) == _MOST_COMMANDS or count == _MOST_LINES:
                return (*found, "and more")
            if line not in found:
                found.append(line)
    except (RecursionError, TooComplex):
        return (*found, "and more") if found else ()
    alone = script.plain is not None or found[:1] == [command.strip()]
    return () if len(found) == 1 and alone else tuple(found)


def _bounded(read_script: ReadScript) -> ReadScript:
    """A reader that raises `TooComplex` when scripts keep starting each other."""
    budget = ExpansionBudget(_MOST_CHARACTERS)

    def read(name: str) -> str | None:
        text = read_script(name)
        budget.take(0 if text is None else _SCRIPT_COSTS + len(text))
        return text

    return read


def _of_text(text: str, read_script: ReadScript, depth: int) -> Iterator[str]:
    script = parse(text)
    if script.broken or (depth >= _DEEPEST and script.commands):
        yield _line(_MORE, depth)
        return
    for command in script.commands:
        yield from _of_command(command, read_script, depth)
        if any(enters_folder(argv) for argv in command.argvs):
            read_script = _unknown


def _of_command(command: SimpleCommand, read_script: ReadScript, depth: int) -> Iterator[str]:
    forms = _forms(command) or ([()] if command.before or command.behind else [])
    for argv in forms[:_MOST_FORMS]:
        yield _line(" ".join((*command.before, *map(_quoted, argv), *command.behind)), depth)
        yield from _inside(argv, read_script, depth + 1)
    if len(forms) > _MOST_FORMS:
        yield _line(_MORE, depth)


def _forms(command: SimpleCommand) -> list[Argv]:
    """The possible argvs, without those in which a part is missing that another has as unknown."""
    without = {
        tuple(known for word in argv if (known := word.replace(UNKNOWN, "")))
        for argv in command.argvs
        if any(UNKNOWN in word for word in argv)
    }
    return [
        argv
        for argv in command.argvs
        if argv and (any(UNKNOWN in word for word in argv) or argv not in without)
    ]


def _inside(argv: Argv, read_script: ReadScript, depth: int) -> Iterator[str]:
    """Yield the commands that a command starts."""
    inner = inner_commands(argv, ())
    for one in filter(None, inner.argvs):
        if depth >= _DEEPEST:
            yield _line(_MORE, depth)
            return
        yield _line(" ".join(map(_quoted, one)), depth)
        yield from _inside(one, read_script, depth + 1)
    for text, _ in inner.texts:
        yield from _of_text(text, read_script, depth)
    manager = program(program_name(argv)).manager
    for package in package_commands(argv):
        if manager and package.kind == "script":
            elsewhere = is_elsewhere(manager, package.options)
            yield from _of_script(package, _unknown if elsewhere else read_script, depth)


def _of_script(package: PackageCommand, read_script: ReadScript, depth: int) -> Iterator[str]:
    """Yield a script's text and then what it is made of."""
    for text in script_texts(package, read_script):
        whole = _line(text, depth)
        yield whole
        if len(text) > _LONGEST_TEXT:
            yield _line(_MORE, depth + 1)
        elif not text.startswith(_MORE):
            parts = _of_text(text, read_script, depth + 1)
            first = next(parts, "")
            if first == _INDENT + whole:  # a single command: its own are directly below it
                yield from (part.removeprefix(_INDENT) for part in parts)
            elif first:
                yield from itertools.chain([first], parts)


def _unknown(_name: str) -> str:
    """The stand-in for scripts of a folder that is only known at run time."""
    return _MORE


def _quoted(word: str) -> str:
    return shlex.quote(word) if not word or _ACTIVE.search(word) else word


def _line(said: str, depth: int) -> str:
    """One line, whatever ``said`` contains."""
    said = said.replace(UNKNOWN, _MORE).replace("\n", _LINE_END)
    return _INDENT * depth + (said if len(said) <= _LONGEST else f"{said[:_LONGEST]} {_MORE}")
