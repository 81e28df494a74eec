"""The git repository of the demo's application, independent of the user's git settings."""

import os
from pathlib import Path

from ipuaro_jupyter.errors import ProjectError, ToolError
from ipuaro_jupyter.workspace.processes import subprocesses

_TIMEOUT_S = 60.0
_IDENTITY = ("-c", "user.name=ipuaro demo", "-c", "user.email=demo@ipuaro.invalid")


def create_repository(folder: Path) -> None:
    """Make ``folder`` a git repository with everything in it committed.

    Raises:
        ProjectError: git is missing, or fails.
    """
    git(folder, "-c", "init.defaultBranch=main", "init", "--quiet", "--template=")
    git(folder, "add", "--all")
    git(folder, *_IDENTITY, "commit", "--quiet", "--no-verify", "--message", "Start with parcels")


def is_repository(folder: Path) -> bool:
    """Whether ``folder`` itself is the root of a repository that has a commit."""
    if not (folder / ".git").exists():
        return False
    try:
        git(folder, "rev-parse", "--verify", "--quiet", "HEAD")
    except ProjectError:
        return False
    return True


def tree(folder: Path) -> str:
    """The tree hash of the files committed in ``folder``."""
    return git(folder, "rev-parse", "HEAD^{tree}").strip()


def changed_files(folder: Path) -> tuple[str, ...]:
    """The files that differ from the commit, new ones included, sorted."""
    told = git(folder, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
    return tuple(sorted(entry[3:] for entry in told.split("\0") if entry))


def blob(folder: Path, path: str) -> str:
    """Git's short hash of the file on disk; "none" when it is missing."""
    if not (folder / path).is_file():
        return "none"
    return git(folder, "hash-object", "--", path).strip()[:7]


def committed_blob(folder: Path, path: str) -> str:
    """Git's short hash of the committed file; "none" when it is not committed."""
    listed = git(folder, "ls-tree", "--format=%(objectname)", "HEAD", "--", path).strip()
    return listed[:7] or "none"


def git(folder: Path, *arguments: str) -> str:
    """Run git and return its output, ignoring the user's own git settings and hooks.

    Raises:
        ProjectError: git is missing, or its exit status is not zero.
    """
    argv = ["git", "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", *arguments]
    try:
        done = subprocesses.run(argv, cwd=folder, timeout_s=_TIMEOUT_S, env=_environment())
    except ToolError as error:
        raise ProjectError(f"The demo needs git: {error}") from error
    if done.exit_code != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise ProjectError(f"git {arguments[0]} failed in {str(folder)!r}: {said}")
    return done.stdout.decode(errors="replace")


def _environment() -> dict[str, str]:
    """Our environment without variables that point git to another repository or to settings."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return inherited | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
