"""Which commands are of no use without a network, and which are git's alone."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ipuaro_jupyter.workspace.sandbox.confinement import GitWrites

_ALL = frozenset({"*"})
_OF_NODE = frozenset(
    {
        *("install", "i", "ci", "add", "update", "up", "upgrade", "outdated", "view", "info"),
        *("audit", "exec", "x", "dlx", "create", "init", "search", "login", "whoami", "fetch"),
    }
)
_OF_PYTHON = frozenset(
    {"install", "download", "wheel", "index", "sync", "lock", "add", "update", "create", "pip"}
)
_PROGRAMS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "corepack", "deno"), _OF_NODE),
    **dict.fromkeys(("npx", "pnpx", "bunx", "uvx", "pipx"), _ALL),
    **dict.fromkeys(("pip", "pip3", "uv", "poetry", "pipenv", "pdm", "conda", "mamba"), _OF_PYTHON),
    "git": frozenset({"fetch", "pull", "push", "clone", "ls-remote", "submodule", "lfs"}),
    "cargo": frozenset({"install", "fetch", "update", "add", "search", "publish"}),
    "go": frozenset({"get", "install", "mod"}),
    "bundle": frozenset({"install", "update", "add"}),
    "gem": frozenset({"install", "update", "fetch"}),
    "composer": frozenset({"install", "update", "require"}),
    "dotnet": frozenset({"restore", "add"}),
    **dict.fromkeys(("curl", "wget", "http", "https", "aria2c", "nc", "ncat", "telnet"), _ALL),
    **dict.fromkeys(("ssh", "scp", "sftp", "rsync", "ping", "dig", "host", "nslookup"), _ALL),
    **dict.fromkeys(("gh", "glab", "hub", "apt", "apt-get", "brew", "ollama"), _ALL),
}
_WRAPPERS = frozenset({"env", "time", "nice", "timeout", "command", "exec", "nohup", "xargs"})
_ASSIGNMENT = re.compile(r"\w+=")
_OPERATOR = re.compile(r"[;&|()<>$]+")


def needs_network(commands: Iterable[str]) -> bool:
    """Whether one of these commands is of no use without a network.

    Args:
        commands: Commands as text, also several in one.
    """
    for name, words in _argvs(commands):
        known = _PROGRAMS.get(name, frozenset())
        asked = _subcommands(words)
        if known is _ALL or known.intersection(asked) or (name == "yarn" and not asked):
            return True
        if name.startswith("python") and "pip" in asked:  # python -m pip
            return True
    return False


def _subcommands(words: Sequence[str]) -> list[str]:
    """The words that may be a program's subcommand: the first, or one behind an option.

    Whether an option takes the word behind it as its value is not known.
    """
    found: list[str] = []
    is_behind_option = False
    for word in words:
        if word.startswith("-"):
            is_behind_option = True
            continue
        found.append(word)
        if not is_behind_option:
            break
        is_behind_option = False
    return found


def git_writes(commands: Iterable[str]) -> GitWrites:
    """What commands may write of git directories: as much as their words ask for."""
    names = {name for name, _ in _argvs(commands)}
    if "git" not in names:
        return "nothing"
    return "all" if names <= {"git", "cd"} else "commits"


def _argvs(commands: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the words of each, without what stands before it."""
    for command in commands:
        words: list[str] = []
        for token in (*_tokens(command), ";"):
            if not _OPERATOR.fullmatch(token):
                if words or not (_ASSIGNMENT.match(token) or token in _WRAPPERS):
                    words.append(token)
                continue
            if words:
                yield words[0].rpartition("/")[2], words[1:]
            words = []


def _tokens(command: str) -> list[str]:
    """The words and operators of a command; what is in quotes is one word."""
    lexer = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:  # a quote without its end
        return command.split()
