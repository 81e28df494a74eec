"""What `npm`, `pnpm`, `yarn` and `bun` are asked to do, above all which script they would run."""

import itertools
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ipuaro_jupyter.workspace.commands.command_options import read_options
from ipuaro_jupyter.workspace.commands.shell_words import program_name

Argv = tuple[str, ...]
ReadScript = Callable[[str], str | None]

_MANAGERS = {"npm", "cnpm", "pnpm", "yarn", "bun"}
_RUNNERS = {"npx", "pnpx", "bunx"}
_RUN = {"run", "run-script", "rum", "urn"}
_EXECUTE = {"exec", "x", "dlx", "execute"}
_LIFECYCLE = {"t": "test", "tst": "test"} | {n: n for n in ("test", "start", "stop", "restart")}
_PASSING_ON = {"workspace", "workspaces", "recursive", "multi", "m", "npm"}
_VALUES = {
    "--access",
    "--cache",
    "--cwd",
    "--dir",
    "--filter",
    "--globalconfig",
    "--loglevel",
    "--otp",
    "--package",
    "--prefix",
    "--registry",
    "--scope",
    "--script-shell",
    "--tag",
    "--userconfig",
    "--workspace",
    "-C",
    "-F",
    "-p",
    "-w",
}
_BUILT_IN = {
    "add", "audit", "bin", "cache", "ci", "config", "create", "dedupe", "help", "i", "import",
    "info", "init", "install", "link", "list", "login", "logout", "ls", "node", "outdated", "pack",
    "patch", "prune", "rebuild", "remove", "rm", "root", "set", "store", "uninstall", "unlink",
    "up", "update", "upgrade", "version", "view", "why",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PackageCommand:
    """What a package manager would do.

    ``name`` is the script's name, ``arguments`` is what it gets; for "execute" they are the
    command, or the shell text behind ``-c`` in ``name``. ``options`` are the manager's own.
    """

    kind: Literal["script", "execute", "publish", "other"]
    name: str = ""
    arguments: Argv = ()
    options: Argv = ()


def package_commands(argv: Argv) -> list[PackageCommand]:
    """Return the ways to read ``argv``; the first is the likely one, and most often the only.

    A second one is there because only the manager knows which of its options take a value.
    """
    manager = program_name(argv)
    if manager in _RUNNERS:
        return [_execution(argv[1:], ())]
    if manager not in _MANAGERS:
        return []
    return [_read(manager, rest, options) for options, rest in _readings(argv[1:])]


def script_texts(command: PackageCommand, read_script: ReadScript) -> list[str]:
    """Return the shell texts that run for a script: what comes before it, itself, what follows."""
    texts = []
    for prefix in ("pre", "", "post"):
        text = read_script(prefix + command.name)
        if text is not None:
            arguments = () if prefix else command.arguments
            texts.append(" ".join((text, *map(shlex.quote, arguments))))
    return texts


def _readings(arguments: Argv) -> list[tuple[Argv, Argv]]:
    """Split into the manager's own options and what begins with its subcommand."""
    at, unsure = 0, None
    while at < len(arguments) and arguments[at].startswith("-"):
        long = arguments[at].startswith("--") and "=" not in arguments[at]
        takes_value = arguments[at] in _VALUES
        unsure = at + 2 if long and not takes_value else None
        at += 2 if takes_value else 1
    readings = [(arguments[:at], arguments[at:])]
    sure = at < len(arguments) and arguments[at] in {*_RUN, *_LIFECYCLE, *_EXECUTE, *_BUILT_IN}
    if unsure is not None and unsure < len(arguments) and not sure:
        readings.append((arguments[:unsure], arguments[unsure:]))
    return readings


def _read(manager: str, arguments: Argv, options: Argv) -> PackageCommand:
    name, rest = (arguments[0], arguments[1:]) if arguments else ("", ())
    if manager in {"yarn", "pnpm"} and name in _PASSING_ON:
        behind = rest[1:] if name == "workspace" else tuple(itertools.dropwhile(_passed_by, rest))
        return _read(manager, behind, (*options, name))
    if len(name) > 2 and "publish".startswith(name):  # noqa: PLR2004 - npm takes `pub` as well
        return PackageCommand("publish")
    if name in _EXECUTE:
        return _execution(rest, options)
    if name in _LIFECYCLE or name in _RUN:
        named = (_LIFECYCLE[name], *rest) if name in _LIFECYCLE else rest
        return _script(manager, named, options)
    if manager in {"yarn", "pnpm", "bun"} and name and name not in _BUILT_IN:
        return _script(manager, arguments, (*options, "implicit"))
    return PackageCommand("other", name, rest, options)


def _passed_by(argument: str) -> bool:
    return argument in {"foreach", "run"} or argument.startswith("-")


def _script(manager: str, arguments: Argv, options: Argv) -> PackageCommand:
    before = tuple(itertools.takewhile(lambda a: a.startswith("-"), arguments))
    name, *rest = arguments[len(before) :] or ("",)
    options = (*options, *before)
    if manager in {"npm", "cnpm"}:  # npm keeps the options in front of `--` for itself
        own = list(itertools.takewhile(lambda argument: argument != "--", rest))
        options = (*options, *(argument for argument in own if argument.startswith("-")))
        passed = [a for a in own if not a.startswith("-")] + rest[len(own) + 1 :]
    else:
        passed = rest[1:] if rest[:1] == ["--"] else rest
    return PackageCommand("script", name, tuple(passed), options)


def _execution(arguments: Argv, options: Argv) -> PackageCommand:
    read = read_options(
        arguments, short_values="cpw", long_values=("--call", "--package"), permute=False
    )
    for text in read.values("c", "--call"):
        return PackageCommand("execute", text, (), options)
    return PackageCommand("execute", "", read.operands, options)
