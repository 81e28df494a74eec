"""The commands that a shell would make of a command text, one a line, for the user to read."""

import shlex
from collections.abc import Iterator

from ipuaro_jupyter.workspace.package_scripts import ReadScript, package_commands, script_texts
from ipuaro_jupyter.workspace.shell_syntax import Argv, parse
from ipuaro_jupyter.workspace.shell_words import UNKNOWN, TooMuch
from ipuaro_jupyter.workspace.wrapped_commands import inner_commands

_MOST_COMMANDS = 50
_LONGEST = 500  # characters of one command
_LONGEST_TEXT = 20_000
_DEEPEST = 4
_INDENT = "  "


def what_runs(command: str, read_script: ReadScript) -> tuple[str, ...]:
    """Return the commands, those that another one starts indented below it.

    Nothing when the text itself is the one command, and when it cannot be taken apart in short.
    What only the run can know stands as "…".

    Args:
        command: The text as a shell would get it.
        read_script: Returns the text of a script of package.json, None when there is none.
    """
    if len(command) > _LONGEST_TEXT:
        return ()
    found: list[str] = []
    try:
        for line in _of_text(command, read_script, 0):
            if len(found) == _MOST_COMMANDS:
                return (*found, "and more")
            if line not in found:
                found.append(line)
    except (RecursionError, TooMuch):
        return ()
    return () if len(found) == 1 and found[0].split() == command.split() else tuple(found)


def _of_text(text: str, read_script: ReadScript, depth: int) -> Iterator[str]:
    if depth < _DEEPEST:
        for command in parse(text).commands:
            if command.argvs:
                unsure = (argv for argv in command.argvs if any(UNKNOWN in word for word in argv))
                yield from _of_argv(next(unsure, command.argvs[0]), read_script, depth)


def _of_argv(argv: Argv, read_script: ReadScript, depth: int) -> Iterator[str]:
    if not argv or depth >= _DEEPEST:
        return
    said = " ".join(
        word if word and not set(word) & set(" \t\n") else shlex.quote(word) for word in argv
    )
    yield _INDENT * depth + said.replace(UNKNOWN, "\u2026")[:_LONGEST]
    inner = inner_commands(argv, ())
    for one in inner.argvs:
        yield from _of_argv(one, read_script, depth + 1)
    texts = [text for text, _ in inner.texts]
    for package in package_commands(argv)[:1]:
        if package.kind == "script":
            texts += script_texts(package, read_script)
    for text in texts:
        yield from _of_text(text, read_script, depth + 1)
