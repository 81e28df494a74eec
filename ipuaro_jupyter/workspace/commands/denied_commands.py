"""The commands that never run, whoever asks, in all their spellings."""

import fnmatch
import itertools
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from ipuaro_jupyter.workspace.commands.command_options import any_like, read_options
from ipuaro_jupyter.workspace.commands.package_scripts import (
    PackageCommand,
    ReadScript,
    package_commands,
    script_texts,
)
from ipuaro_jupyter.workspace.commands.program import (
    Denied,
    Starts,
    denied_programs,
    program,
)
from ipuaro_jupyter.workspace.commands.shell_syntax import Argv, SimpleCommand, parse
from ipuaro_jupyter.workspace.commands.shell_words import (
    UNKNOWN,
    ExpansionBudget,
    program_name,
    without_keywords,
)
from ipuaro_jupyter.workspace.commands.wrapped_commands import Inner, inner_commands, shell_text

ReadAlias = Callable[[str], str | None]
_DEEPEST = 24  # nested commands; beyond that, the user is asked
_MOST_WORDS = 300_000  # of all commands that are examined
_TEXT_COSTS = 100  # words, for parsing even a short text
_COMMAND_KEYS = re.compile(
    r"^(alias|pager)\.|(pager|editor|command|program|cmd|helper|textconv|external|fsmonitor|askpass"
    r"|clean|smudge|process|driver)$"
)
_COMMAND_VARIABLES = re.compile(r"(PAGER|EDITOR|VISUAL|_COMMAND|_DIFF|_SSH|ASKPASS|BROWSER)$")


class Denier:
    """Finds the reason why a command is denied.

    Args:
        read_script: Returns the text of a script of package.json, None when there is none.
        read_alias: Returns the text of a git alias, None when there is none.
    """

    def __init__(self, read_script: ReadScript, read_alias: ReadAlias = lambda _: None) -> None:
        self._read_script = read_script
        self._read_alias = read_alias
        self._scripts: set[tuple[str, Argv]] = set()
        self._depth = 0
        self._budget = ExpansionBudget(_MOST_WORDS)

    def text(
        self, text: str, positional: Sequence[str] = (), inputs: Sequence[str] = ()
    ) -> str | None:
        """The reason why the shell text ``text`` is denied; None when it is not.

        Raises:
            TooComplex: It would take too long to tell.
        """
        if self._depth >= _DEEPEST:
            return None
        self._depth += 1
        self._budget.take(_TEXT_COSTS)
        try:
            commands = parse(text, positional, inputs).commands
            return _first(self._command(command) for command in commands)
        finally:
            self._depth -= 1

    def _command(self, command: SimpleCommand) -> str | None:
        return self.environment(command.assignments) or _first(
            self._argv(argv, command.inputs) for argv in command.argvs
        )

    def environment(self, variables: Sequence[tuple[str, str]]) -> str | None:
        """The reason why a variable with a command as its value, such as GIT_PAGER, is denied."""
        return _first(
            self.text(value.removeprefix("!"))
            for name, value in variables
            if value.startswith("!") or _COMMAND_VARIABLES.search(name)
        )

    def _argv(self, argv: Argv, inputs: Sequence[str] = ()) -> str | None:
        """The reason why one argv is denied; ``! {`` and the like may precede it."""
        argv = without_keywords(argv)
        if not argv or self._depth >= _DEEPEST:
            return None
        self._depth += 1
        self._budget.take(len(argv))
        try:
            return _first(
                reason
                for name in _possible_names(argv)
                for reason in self._named(name, argv, inputs)
            )
        finally:
            self._depth -= 1

    def _named(self, name: str, argv: Argv, inputs: Sequence[str]) -> Iterator[str | None]:
        arguments = argv[1:]
        if name == UNKNOWN:  # it may be a shell, or run the words after it
            yield self._inner(shell_text(arguments, inputs), inputs)
            yield self._argv(tuple(itertools.dropwhile(_is_option, arguments)))
        elif name == "git" or name.startswith("git-"):
            yield self._git((*filter(None, [name[4:]]), *arguments))
        elif uses := program(name).denied:
            yield _denied(uses, arguments)
        yield self._inner(inner_commands((name, *arguments), inputs), inputs)
        for command in package_commands((name, *arguments)):
            yield self._package(command)

    def _inner(self, inner: Inner, inputs: Sequence[str]) -> str | None:
        """The reason why an inner command is denied; it reads the same standard input."""
        argvs = (self._argv(argv, inputs) for argv in inner.argvs)
        texts = (self.text(text, positional, inputs) for text, positional in inner.texts)
        return _first(itertools.chain(argvs, texts))

    def _package(self, command: PackageCommand) -> str | None:
        if command.kind == "publish":
            return "it publishes the package"
        if command.kind == "execute":
            return self.text(command.name) or self._argv(command.arguments)
        key = (command.name, command.arguments)
        if command.kind == "other" or key in self._scripts:
            return None
        self._scripts.add(key)
        reason = _first(self.text(text) for text in script_texts(command, self._read_script))
        return reason and f"the script {command.name!r} of package.json: {reason}"

    def _git(self, arguments: Argv) -> str | None:
        git = program("git")
        starts = git.starts or Starts(how="git")
        options = read_options(arguments, starts.values, permute=False)
        config = dict(_config(setting) for setting in options.values("-c"))
        commands = (
            value.removeprefix("!")
            for key, value in config.items()
            if value.startswith("!") or (_COMMAND_KEYS.search(key) and not key.startswith("alias."))
        )
        if not options.operands:
            return _first(self.text(command) for command in commands)
        name, *rest = options.operands
        alias = config.get(f"alias.{name.lower()}", "")
        if not alias and name not in git.built_in and re.fullmatch(r"[A-Za-z][\w-]*", name):
            alias = self._read_alias(name) or ""
        return (
            _first(self.text(command) for command in commands)
            or self._git_alias(alias, rest)
            or _denied(git.denied, rest, name, config)
            or _first(self.text(text) for text in _texts_in_git(starts, name, rest))
        )

    def _git_alias(self, value: str, rest: Sequence[str]) -> str | None:
        if not value:
            return None
        if value.startswith("!"):
            return self.text(" ".join((value[1:], *map(shlex.quote, rest))))
        return self.text(" ".join(("git", value, *map(shlex.quote, rest))))


def _first(reasons: Iterable[str | None]) -> str | None:
    return next((reason for reason in reasons if reason), None)


def _possible_names(argv: Argv) -> list[str]:
    """The names of the programs that the first word may mean."""
    name = program_name(argv)
    if UNKNOWN in name:
        return [UNKNOWN]
    if any(sign in name for sign in "*?["):
        return [known for known in denied_programs() if fnmatch.fnmatchcase(known, name)]
    return [name]


def _is_option(argument: str) -> bool:
    return argument.startswith("-")


def _config(setting: str) -> tuple[str, str]:
    key, _, value = setting.partition("=")
    return key.lower(), value


def _denied(
    uses: Iterable[Denied],
    arguments: Sequence[str],
    subcommand: str = "",
    settings: Mapping[str, str] = MappingProxyType({}),
) -> str | None:
    """The reason of the first denied use that matches; None when none does."""
    of_it = (use for use in uses if not use.subcommands or subcommand in use.subcommands)
    return next((use.reason for use in of_it if _is_use(use, arguments, settings)), None)


def _is_use(use: Denied, arguments: Sequence[str], settings: Mapping[str, str]) -> bool:
    options = read_options(arguments, use.values)
    names = {name for name, value in options.given if value is not None or not use.valued}
    if use.one_dash:
        names = {*arguments}
    if any_like(names, use.unless):
        return False
    return (
        not (use.options or use.operands or use.settings)
        or any_like(names, use.options)
        or any(use.operands and operand.startswith(use.operands) for operand in options.operands)
        or any(settings.get(key, "").lower() in values for key, values in use.settings.items())
    )


def _texts_in_git(starts: Starts, name: str, arguments: Sequence[str]) -> list[str]:
    """The shell texts among the arguments of a git command."""
    if name == "bisect" and arguments[:1] == ["run"]:
        return [shlex.join(arguments[1:])]
    if name == "submodule" and "foreach" in arguments:
        behind = arguments[arguments.index("foreach") + 1 :]
        return [" ".join(argument for argument in behind if argument != "--recursive")]
    if name == "config":
        return [argument[1:] for argument in arguments if argument.startswith("!")]
    own = starts.of_subcommands.get(name, ())
    commands = (*own, *starts.commands)
    attached = {*own} & {*starts.attached}
    options = read_options(arguments, {*commands} - attached, attached=attached)
    remote = [argument[5:] for argument in arguments if argument.startswith("ext::")]
    return options.values(*commands) + remote
