"""Which commands are of no use without a network, and which are git's alone."""

import re
from collections.abc import Iterable, Iterator, Mapping

from ipuaro_jupyter.workspace.sandbox.confinement import GitWrites

_ALL = frozenset({"*"})
_OF_NODE = frozenset(
    {
        *("install", "i", "ci", "add", "update", "up", "upgrade", "outdated", "view", "info"),
        *("audit", "exec", "x", "dlx", "create", "init", "search", "login", "whoami", "fetch"),
    }
)
_OF_PYTHON = frozenset(
    {"install", "download", "wheel", "index", "sync", "lock", "add", "update", "create"}
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
_SEPARATOR = re.compile(r"[;&|(){}\n`]+|\$\(")
_LOOKED_AT = 4  # words behind the program among which its command is


def needs_network(commands: Iterable[str]) -> bool:
    """Whether one of these commands is of no use without a network.

    Args:
        commands: Single commands, as text; what joins several takes them apart.
    """
    for name, words in _argvs(commands):
        known = _PROGRAMS.get(name, frozenset())
        if known is _ALL or known.intersection(words[:_LOOKED_AT]):
            return True
        if name == "yarn" and not words:
            return True
        if name.startswith("python") and words[:1] == ["pip"]:  # python -m pip
            return True
    return False


def git_writes(commands: Iterable[str]) -> GitWrites:
    """What commands may write of git directories: as much as their words ask for."""
    names = {name for name, _ in _argvs(commands)}
    if "git" not in names:
        return "nothing"
    return "all" if names <= {"git", "cd"} else "commits"


def _argvs(commands: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the words of each, without options and what stands before it."""
    for command in commands:
        for part in _SEPARATOR.split(command):
            words = [word.strip("\"'") for word in part.split()]
            words = [word for word in words if not word.startswith("-")]
            while words and (_ASSIGNMENT.match(words[0]) or words[0] in _WRAPPERS):
                words = words[1:]
            if words:
                yield words[0].rpartition("/")[2], words[1:]
