"""Run git without prompts, in the repository that holds the project."""

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.found_programs import absolute_path
from ipuaro_jupyter.workspace.commands.program import program
from ipuaro_jupyter.workspace.processes.subprocesses import OUTPUT_LIMIT, FinishedProcess, run

_READ_TIMEOUT_S = 60.0
COMMIT_S = 600.0
"""How long a commit may take unless told otherwise: hooks may run a test suite."""
_LAST_WORDS = 4000  # characters of the output of git or a hook
_UNTOUCHED = re.compile(
    "GIT_(EXEC_PATH|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|(KEY|VALUE)_[0-9]+)"
    "|(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE))"
)
_WOULD_ASK = {"SSH_ASKPASS", "GPG_TTY"}
_NOBODY_TO_ASK = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "false",
    "GIT_PAGER": "cat",
    "GCM_INTERACTIVE": "never",
    "SSH_ASKPASS_REQUIRE": "never",
    "LC_ALL": "C.UTF-8",
}
BUSY_ADVICE = (
    "Another git is at work in this repository; try again when it has finished. If none is, the "
    "user may delete the index.lock that a git which crashed has left."
)
_ALWAYS = (
    "--no-pager",
    "--literal-pathspecs",  # a file may be called `*` or `:(top)`
    *("-c", "core.quotePath=false"),
    *("-c", "i18n.commitEncoding=UTF-8"),
    *("-c", f"diff.orderFile={os.devnull}"),
    *("-c", "core.fsmonitor=false"),  # otherwise listing starts the program that it names
    *("-c", "log.showSignature=false"),  # and this one starts gpg.program
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
    *("-c", "safe.bareRepository=explicit"),  # no folder is a repository for what it contains
)
_STAGED = (
    ("ls-files", "--stage", "-z"),
    ("symbolic-ref", "--quiet", "HEAD"),
    ("rev-parse", "--quiet", "--verify", "HEAD"),
)
_LARGEST_LISTING = 400_000_000  # bytes
LARGEST_SETTINGS = 4_000_000  # bytes; with more of them, the user is asked instead
_WITHOUT_HOOKS = ("-c", f"core.hooksPath={os.devnull}")
_QUIETLY = {
    "GIT_OPTIONAL_LOCKS": "0",  # reading does not refresh the index
    "GIT_ALLOW_PROTOCOL": "",  # a partial clone would fetch, by a program that it names
    "GIT_NO_LAZY_FETCH": "1",
}
_MOST_SUBMODULES = 200  # with more of them, the user is asked instead
_READING = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "diff.ignoreSubmodules": "dirty",  # a submodule has settings of its own
    "diff.submodule": "short",
    "log.diffMerges": "separate",  # not "remerge", which merges again and writes what comes of it
    "log.showSignature": "false",
    "safe.bareRepository": "explicit",
    "status.submoduleSummary": "false",  # this one shows the log of a submodule
}
_PROGRAM_KEYS = re.compile(
    r"(diff\.external|diff\..*\.(command|textconv)|filter\..*\.(clean|smudge|process)"
    r"|gpg\.(.*\.)?program|gpg\.ssh\.defaultkeycommand|merge\..*\.driver"
    r"|(man|browser)\..*\.(cmd|path)|core\.alternaterefscommand"  # for --help, --alternate-refs
    r"|submodule\..*\.ignore"  # a submodule that is read has settings of its own
    r"|format\.pretty|pretty\..*)",  # these may have fields that gpg is started for
    re.DOTALL,
)


class Git:
    """Runs git in a repository.

    Paths in arguments are relative to the project and literal, never patterns.

    Args:
        root: The project's folder, free of symlinks.
        top: The repository's folder, which is ``root`` or above it.
        folder: The folder of this working tree's index, mostly ``.git``.
        read_head: Reads the hash of the last commit; None where only git can tell.
        cancel: Ends git when the user stops.
    """

    def __init__(
        self,
        root: Path,
        *,
        top: Path,
        folder: Path,
        read_head: Callable[[], str | None],
        cancel: CancelToken | None = None,
    ) -> None:
        self.root, self.top, self.folder = root, top, folder
        self._read_head = read_head
        self._is_accepted = False  # by git, which refuses repositories of other users
        self._cancel = cancel

    def uninterrupted(self) -> "Git":
        """The same, which goes on when the user stops."""
        return Git(self.root, top=self.top, folder=self.folder, read_head=self._read_head)

    def run(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        input_: bytes = b"",
        timeout_s: float = _READ_TIMEOUT_S,
        output_limit: int = OUTPUT_LIMIT,
        cwd: Path | None = None,
        check: bool = True,
        supervised: bool = False,
    ) -> FinishedProcess:
        """Run git in the project's folder; with ``check``, a failure is a "command" error.

        Hooks run, and the network is used, only when ``supervised``.
        """
        quietly = {} if supervised else _QUIETLY
        finished = run(
            ["git", *_ALWAYS, *(() if supervised else _WITHOUT_HOOKS), *arguments],
            cwd=cwd or self.root,
            timeout_s=timeout_s,
            cancel=self._cancel,
            env=environment() | quietly | dict(env or {}),
            input_=input_,
            output_limit=output_limit,
            supervised=supervised,
        )
        if check and finished.exit_code != 0:
            raise failed(arguments, output_text(finished))
        return finished

    def line(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        """Git's output without the blanks around it."""
        return self.run(*arguments, env=env).stdout.decode("utf-8", "replace").strip()

    def names(self, *arguments: str) -> list[str]:
        """The paths that git prints with ``-z``, sorted."""
        found = self.run(*arguments).stdout.split(b"\0")
        return sorted({self.name(name) for name in found if name})

    def unmerged(self) -> list[str]:
        """The paths with conflicts, including those outside the project, sorted."""
        found = self.run("ls-files", "--unmerged", "-z", cwd=self.top).stdout.split(b"\0")
        return sorted({self.name(entry.partition(b"\t")[2]) for entry in found if entry})

    def name(self, path: bytes) -> str:
        """A path relative to the repository, made relative to the project."""
        name = path.decode("utf-8", "replace")
        return name if self.top == self.root else os.path.relpath(self.top / name, self.root)

    def head(self) -> str:
        """The hash of the last commit; "" when there is none yet.

        Raises:
            ToolError: "command" when git does not work here.
        """
        if self._is_accepted and (found := self._read_head()):
            return found
        finished = self.run("rev-parse", "--verify", "--quiet", "HEAD", check=False)
        if finished.exit_code == 0:
            self._is_accepted = True
            return finished.stdout.decode().strip()
        self.run("rev-parse", "--git-dir")  # raises the error, unless the repository is empty
        return ""

    def base(self) -> str:
        """The base of comparisons: the last commit, or the empty tree."""
        return self.head() or self.empty_tree()

    def empty_tree(self) -> str:
        """The hash of a folder without files, which depends on the repository's format."""
        return self.line("hash-object", "-t", "tree", "--stdin")

    def check_known(self, path: str) -> None:
        """Raise ToolError unless ``path`` is on disk, in the index or in the last commit.

        Raises:
            ToolError: "file" when it is nowhere.
        """
        if os.path.lexists(self.root / path) or self.run("ls-files", "-z", "--", path).stdout:
            return
        head = self.head()
        if not head or not self.run("ls-tree", "-z", head, "--", path).stdout:
            raise ToolError("file", f"{path} does not exist, neither on the disk nor in git.")


def environment() -> dict[str, str]:
    """Our environment without what would redirect git, make it prompt, or replace it."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or _UNTOUCHED.fullmatch(name)
    }
    kept = {name: value for name, value in kept.items() if name not in _WOULD_ASK}
    return kept | _NOBODY_TO_ASK | {"PATH": absolute_path(kept)}


def failed(arguments: Sequence[str], said: str) -> ToolError:
    """The error for a git command that failed, with a remedy."""
    command = next((each for each in arguments if not each.startswith("-") and "=" not in each), "")
    lower, advice = said.lower(), None
    if "safe.directory" in lower or "dubious ownership" in lower:
        advice = (
            "git works only in repositories of its user. If this one is to be trusted, the user "
            "may run the git config command that is named here."
        )
    elif "index.lock" in lower:
        advice = BUSY_ADVICE
    return ToolError("command", f"git {command} failed: {said}", suggestion=advice)


def git_alias(folder: Path, name: str) -> str | None:
    """The text of an alias in ``folder``; None when there is none of this name."""
    finished = run(
        ["git", "config", "--includes", "--get", f"alias.{name}"],
        cwd=folder,
        timeout_s=_READ_TIMEOUT_S,
        env=environment(),
    )
    return finished.stdout.decode("utf-8", "replace").strip() or None


def staged_content(folder: Path) -> str:
    """A hash of the branch in ``folder`` and of what a commit would take from the index.

    Starts nothing that the repository names.
    """
    variables = {**environment(), **without_programs()}
    said = (
        run(
            ["git", *words],
            cwd=folder,
            timeout_s=_READ_TIMEOUT_S,
            env=variables,
            output_limit=_LARGEST_LISTING,
        )
        for words in _STAGED
    )
    return hashlib.sha256(b"\0".join(finished.stdout for finished in said)).hexdigest()


def configured_programs(folder: Path) -> list[str]:
    """The settings of the repository around ``folder`` that name programs for reading.

    These are the ones that `git diff` or `git log` would start, such as "diff.external". Settings
    that the user has made for all repositories do not count, nor does git-lfs; programs that a
    setting can switch off are not among them: see `without_programs`. Submodules count with their
    own settings.
    """
    found = set(_programs(folder, "--includes"))
    submodules = _submodule_settings(folder)
    if len(submodules) > _MOST_SUBMODULES:
        return sorted({*found, f"{len(submodules)} submodules"})
    for settings in submodules:
        found |= {f"{key} (submodule)" for key in _programs(folder, "-f", str(settings))}
    return sorted(found)


def _programs(folder: Path, *where: str) -> Iterator[str]:
    """Yield the keys that name programs in the settings selected by ``where``."""
    finished = run(
        ["git", "config", "--show-scope", *where, "-z", "--list"],
        cwd=folder,
        timeout_s=_READ_TIMEOUT_S,
        env=environment(),
        output_limit=LARGEST_SETTINGS,
    )
    if finished.truncated:
        yield "settings too long to read"
    fields = finished.stdout.decode("utf-8", "replace").split("\0")
    for scope, setting in zip(fields[::2], fields[1::2], strict=False):
        key, _, value = setting.partition("\n")
        if not _PROGRAM_KEYS.fullmatch(key):  # git's own patterns pass over what is not UTF-8
            continue
        lfs = key.startswith("filter.lfs.") and re.fullmatch(r"git-lfs [\w %-]+", value)
        left_out = key.startswith("submodule.") and value in {"all", "dirty"}
        plain = key.startswith(("format.", "pretty.")) and not _starts_gpg(value)
        if scope in {"local", "worktree", "command"} and not (lfs or left_out or plain):
            yield key


def _starts_gpg(pretty: str) -> bool:
    """Whether a format of `git log` has fields that gpg is started for."""
    known = next(use for use in program("git").safe if "log" in use.subcommands)
    return re.search(known.refused_text, pretty) is not None


def _submodule_settings(folder: Path) -> list[Path]:
    """The files with the settings of the submodules, at any depth."""
    finished = run(
        ["git", "rev-parse", "--git-common-dir", "--show-cdup"],
        cwd=folder,
        timeout_s=_READ_TIMEOUT_S,
        env=environment(),
    )
    if finished.exit_code != 0:
        return []
    common, up, *_ = [*finished.stdout.decode("utf-8", "replace").splitlines(), "", ""]
    modules = folder / up / ".gitmodules"
    inside = sorted((folder / common / "modules").rglob("config"))
    return [*([modules] if modules.is_file() else []), *inside]


def without_programs() -> dict[str, str]:
    """The variables that keep git, when reading, from starting programs of the repository."""
    added = {"GIT_CONFIG_COUNT": str(len(_READING)), **_QUIETLY}
    for number, (key, value) in enumerate(_READING.items()):
        added[f"GIT_CONFIG_KEY_{number}"] = key
        added[f"GIT_CONFIG_VALUE_{number}"] = value
    return added


def output_text(finished: FinishedProcess) -> str:
    """The output of a program; only the end of a long one."""
    text = (finished.stderr + finished.stdout).decode("utf-8", "replace").strip()
    return text if len(text) <= _LAST_WORDS else f"…{text[-_LAST_WORDS:]}"
