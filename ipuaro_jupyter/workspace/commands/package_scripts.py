"""What `npm`, `pnpm`, `yarn` and `bun` are asked to do, above all which script they would run."""

import itertools
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from ipuaro_jupyter.workspace.commands.command_options import read_options
from ipuaro_jupyter.workspace.commands.program import Manager, program
from ipuaro_jupyter.workspace.commands.shell_words import program_name

Argv = tuple[str, ...]
ReadScript = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class PackageCommand:
    """An action of a package manager.

    ``name`` is the script's name, ``arguments`` are its arguments; for "execute" they are the
    command, or ``name`` is the shell text after ``-c``. ``options`` are the manager's own.
    """

    kind: Literal["script", "execute", "publish", "other"]
    name: str = ""
    arguments: Argv = ()
    options: Argv = ()


def package_commands(argv: Argv) -> list[PackageCommand]:
    """The possible readings of ``argv``; the first is the likely one, and mostly the only one.

    There can be a second because only the manager knows which of its options take a value.
    """
    manager = program(program_name(argv)).manager
    if manager is None:
        return []
    if manager.executes:
        return [_execution(manager, argv[1:], ())]
    return [_read(manager, rest, options) for options, rest in _readings(manager, argv[1:])]


def is_elsewhere(manager: Manager, options: Iterable[str]) -> bool:
    """Whether options, perhaps abbreviated or attached, may select another folder's scripts."""
    return any(_selects(manager, option.partition("=")[0]) for option in options)


def _selects(manager: Manager, name: str) -> bool:
    if name.startswith("--"):
        return name != "--" and any(known.startswith(name) for known in manager.elsewhere)
    return not {*manager.elsewhere}.isdisjoint((name, name[:2]))


def script_texts(command: PackageCommand, read_script: ReadScript) -> list[str]:
    """The shell texts that run for a script: its pre script, itself, its post script."""
    texts = []
    for prefix in ("pre", "", "post"):
        text = read_script(prefix + command.name)
        if text is not None:
            arguments = () if prefix else command.arguments
            texts.append(" ".join((text, *map(shlex.quote, arguments))))
    return texts


def _readings(manager: Manager, arguments: Argv) -> list[tuple[Argv, Argv]]:
    """Split into the manager's own options and the part that begins with its subcommand."""
    at, unsure = 0, None
    while at < len(arguments) and arguments[at].startswith("-"):
        long = arguments[at].startswith("--") and "=" not in arguments[at]
        takes_value = arguments[at] in manager.values
        unsure = at + 2 if long and not takes_value else None
        at += 2 if takes_value else 1
    readings = [(arguments[:at], arguments[at:])]
    if unsure is not None and unsure < len(arguments):
        subcommands = {*manager.run, *manager.lifecycle, *manager.execute, *manager.built_in}
        if arguments[at] not in subcommands:
            readings.append((arguments[:unsure], arguments[unsure:]))
    return readings


def _read(manager: Manager, arguments: Argv, options: Argv) -> PackageCommand:
    name, rest = (arguments[0], arguments[1:]) if arguments else ("", ())
    if name in manager.passing_on:
        behind = rest[1:] if name == "workspace" else tuple(itertools.dropwhile(_passed_by, rest))
        return _read(manager, behind, (*options, name))
    if len(name) > 2 and "publish".startswith(name):  # noqa: PLR2004 - npm takes `pub` as well
        return PackageCommand("publish")
    if name in manager.execute:
        return _execution(manager, rest, options)
    if name in manager.lifecycle or name in manager.run:
        named = (manager.lifecycle[name], *rest) if name in manager.lifecycle else rest
        return _script(manager, named, options)
    if manager.implicit and name and name not in manager.built_in:
        return _script(manager, arguments, (*options, "implicit"))
    return PackageCommand("other", name, rest, options)


def _passed_by(argument: str) -> bool:
    return argument in {"foreach", "run"} or argument.startswith("-")


def _script(manager: Manager, arguments: Argv, options: Argv) -> PackageCommand:
    before = tuple(itertools.takewhile(lambda a: a.startswith("-"), arguments))
    name, *rest = arguments[len(before) :] or ("",)
    options = (*options, *before)
    if manager.keeps_options:
        own = list(itertools.takewhile(lambda argument: argument != "--", rest))
        options = (*options, *(argument for argument in own if argument.startswith("-")))
        passed = [a for a in own if not a.startswith("-")] + rest[len(own) + 1 :]
    else:
        passed = rest[1:] if rest[:1] == ["--"] else rest
    return PackageCommand("script", name, tuple(passed), options)


def _execution(manager: Manager, arguments: Argv, options: Argv) -> PackageCommand:
    read = read_options(arguments, (*manager.commands, *manager.execute_values), permute=False)
    for text in read.values(*manager.commands):
        return PackageCommand("execute", text, (), options)
    return PackageCommand("execute", "", read.operands, options)
