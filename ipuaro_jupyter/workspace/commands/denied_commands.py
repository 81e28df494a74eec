"""The commands that never run, whoever asks, in all their spellings."""

import fnmatch
import itertools
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence

from ipuaro_jupyter.workspace.commands.command_options import Options, read_options
from ipuaro_jupyter.workspace.commands.package_scripts import (
    PackageCommand,
    ReadScript,
    package_commands,
    script_texts,
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
_DEEPEST = 24  # commands inside commands; what goes deeper is asked about
_MOST_WORDS = 300_000  # of all commands that are looked at
_TEXT_COSTS = 100  # words, for parsing even a short text
_OTHER_USER = "runs with the rights of another user"
_FIND_TESTS = re.compile(
    r"-(i?(name|path|wholename|regex|lname)|empty|size|[acm](min|time)|newer.*)"
)
_COMMAND_KEYS = re.compile(
    r"^(alias|pager)\.|(pager|editor|command|program|cmd|helper|textconv|external|fsmonitor|askpass"
    r"|clean|smudge|process|driver)$"
)
_COMMAND_VARIABLES = re.compile(r"(PAGER|EDITOR|VISUAL|_COMMAND|_DIFF|_SSH|ASKPASS|BROWSER)$")


class Denier:
    """Finds the reason why a command is denied.

    Args:
        read_script: Returns the text of a script of package.json, None when there is none.
        read_alias: Returns what an alias of git stands for, None when there is none.
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
        """Return why the shell text ``text`` is denied, None when it is not.

        Raises:
            TooMuch: It would take too long to tell.
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
        """Return why a variable is denied whose value is a command, as GIT_PAGER's is."""
        return _first(
            self.text(value.removeprefix("!"))
            for name, value in variables
            if value.startswith("!") or _COMMAND_VARIABLES.search(name)
        )

    def _argv(self, argv: Argv, inputs: Sequence[str] = ()) -> str | None:
        """Return why one argv is denied; ``! {`` and the like may still stand before it."""
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
        if name == UNKNOWN:  # it may be a shell, or run the words behind it
            yield self._inner(shell_text(arguments, inputs), inputs)
            yield self._argv(tuple(itertools.dropwhile(_is_option, arguments)))
        elif name == "git" or name.startswith("git-"):
            yield self._git((*filter(None, [name[4:]]), *arguments))
        elif name in _RULES:
            yield _RULES[name](arguments)
        yield self._inner(inner_commands((name, *arguments), inputs), inputs)
        for command in package_commands((name, *arguments)):
            yield self._package(command)

    def _inner(self, inner: Inner, inputs: Sequence[str]) -> str | None:
        """Return why what a command runs is denied; it reads the same standard input."""
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
        options = read_options(
            arguments,
            short_values="Cc",
            long_values=("--git-dir", "--work-tree", "--namespace", "--config-env"),
            permute=False,
        )
        config = dict(_config(setting) for setting in options.values("c"))
        commands = (
            value.removeprefix("!")
            for key, value in config.items()
            if value.startswith("!") or (_COMMAND_KEYS.search(key) and not key.startswith("alias."))
        )
        if not options.operands:
            return _first(self.text(command) for command in commands)
        name, *rest = options.operands
        alias = config.get(f"alias.{name.lower()}", "")
        if not alias and name not in _GIT_BUILT_IN and re.fullmatch(r"[A-Za-z][\w-]*", name):
            alias = self._read_alias(name) or ""
        return (
            _first(self.text(command) for command in commands)
            or self._git_alias(alias, rest)
            or _git_rule(name, rest, config)
            or _first(self.text(text) for text in _texts_in_git(name, rest))
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
    """Return the names of the programs that the first word may mean."""
    name = program_name(argv)
    if UNKNOWN in name:
        return [UNKNOWN]
    if any(sign in name for sign in "*?["):
        return [known for known in (*_RULES, "git") if fnmatch.fnmatchcase(known, name)]
    return [name]


def _is_option(argument: str) -> bool:
    return argument.startswith("-")


def _config(setting: str) -> tuple[str, str]:
    key, _, value = setting.partition("=")
    return key.lower(), value


def _git_rule(name: str, arguments: Sequence[str], config: dict[str, str]) -> str | None:
    if name in {"push", "send-pack"}:
        return _git_push(read_options(arguments, short_values="o"))
    if name == "reset" and read_options(arguments).has_long("hard", shortest=2):
        return "git reset --hard throws changes away"
    if name == "clean":
        return _git_clean(read_options(arguments, short_values="e"), config)
    return None


def _git_push(options: Options) -> str | None:
    forced = (
        "f" in options.names
        or any(option.startswith("--force-w") for option in options.names)
        or options.has_long("force", shortest=3)
        or options.has_long("mirror", shortest=1)
        or any(operand.startswith("+") for operand in options.operands)
    )
    return "a forced git push overwrites what others have pushed" if forced else None


def _git_clean(options: Options, config: dict[str, str]) -> str | None:
    if "n" in options.names or options.has_long("dry-run", shortest=1):
        return None
    forced = "f" in options.names or options.has_long("force", shortest=1)
    if forced or config.get("clean.requireforce", "true").lower() in {"false", "no", "off", "0"}:
        return "git clean deletes files that git cannot bring back"
    return None


def _texts_in_git(name: str, arguments: Sequence[str]) -> list[str]:
    """Return the shell texts among the arguments of a git command."""
    if name == "bisect" and arguments[:1] == ["run"]:
        return [shlex.join(arguments[1:])]
    if name == "submodule" and "foreach" in arguments:
        behind = arguments[arguments.index("foreach") + 1 :]
        return [" ".join(argument for argument in behind if argument != "--recursive")]
    if name == "config":
        return [argument[1:] for argument in arguments if argument.startswith("!")]
    letters = _GIT_LETTERS.get(name, "")
    options = read_options(
        arguments,
        short_values="" if name == "grep" else letters,
        short_optional=letters if name == "grep" else "",
        long_values=_GIT_COMMANDS,
    )
    remote = [argument[5:] for argument in arguments if argument.startswith("ext::")]
    return options.values(*letters, *_GIT_COMMANDS) + remote


def _rm(arguments: Argv) -> str | None:
    options = read_options(arguments)
    deep = options.names & {"r", "R"} or options.has_long("recursive", shortest=1)
    return "rm with -r deletes whole folders" if deep else None


def _find(arguments: Argv) -> str | None:
    chooses = any(_FIND_TESTS.fullmatch(argument) for argument in arguments)
    if "-delete" in arguments and not chooses:
        return "find -delete without a test of the name deletes whole folders"
    return None


def _su(arguments: Argv) -> str | None:
    options = read_options(arguments, short_values="cgGsw")
    asked = options.values("c", "--command", "--session-command")
    return f"su -c {_OTHER_USER}" if asked else None


def _always(reason: str) -> Callable[[Argv], str | None]:
    return lambda _: reason


_GIT_BUILT_IN = {  # git takes no alias of such a name
    "add", "am", "apply", "archive", "bisect", "blame", "branch", "bundle", "checkout",
    "cherry-pick", "clean", "clone", "commit", "config", "describe", "diff", "difftool", "fetch",
    "filter-branch", "format-patch", "gc", "grep", "help", "init", "log", "ls-files", "ls-remote",
    "ls-tree", "merge", "mergetool", "mv", "notes", "pull", "push", "rebase", "reflog", "remote",
    "reset", "restore", "rev-list", "rev-parse", "revert", "rm", "shortlog", "show", "stash",
    "status", "submodule", "switch", "tag", "update-index", "update-ref", "version", "worktree",
}  # fmt: skip
_GIT_LETTERS = {"rebase": "x", "difftool": "x", "clone": "u", "grep": "O"}
_GIT_COMMANDS = (
    *("--exec", "--extcmd", "--upload-pack", "--receive-pack", "--open-files-in-pager"),
    *(f"--{kind}-filter" for kind in ("tree", "index", "env", "msg", "commit", "parent")),
    "--tag-name-filter",
)
_RULES: dict[str, Callable[[Argv], str | None]] = {
    "chmod": _always("chmod changes permissions"),
    "chown": _always("chown changes owners"),
    "doas": _always(f"doas {_OTHER_USER}"),
    "find": _find,
    "pkexec": _always(f"pkexec {_OTHER_USER}"),
    "rm": _rm,
    "run0": _always(f"run0 {_OTHER_USER}"),
    "su": _su,
    "sudo": _always(f"sudo {_OTHER_USER}"),
    "sudo-rs": _always(f"sudo {_OTHER_USER}"),
    "sudoedit": _always(f"sudoedit {_OTHER_USER}"),
}
