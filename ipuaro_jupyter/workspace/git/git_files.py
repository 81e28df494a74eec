"""The files that git tracks or would track."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.git.git_program import environment
from ipuaro_jupyter.workspace.processes.subprocesses import run

_TIMEOUT_S = 60.0
_OUTPUT_LIMIT = 512 * 1024 * 1024
_UNREADABLE = re.compile(rb"could not open directory '(.*)/': (.*)")


class GitPath(NamedTuple):
    """A path relative to the listed folder; also git's name for a nested repository."""

    path: bytes
    tracked: bool


class GitFiles(NamedTuple):
    """The files that git lists; one with a merge conflict is listed more than once."""

    paths: list[GitPath]
    unreadable: dict[str, str]


def git_files(folder: Path, *, cancel: CancelToken | None = None) -> GitFiles | None:
    """The files in ``folder`` that git tracks, and those that it does not ignore.

    None when it is not a folder of a repository, is ignored as a whole, or git does not work. Files
    that are tracked but deleted are listed.

    Raises:
        Cancelled: ``cancel`` was set.
    """
    above = not os.path.lexists(folder / ".git")
    if above and not any(os.path.lexists(parent / ".git") for parent in folder.parents):
        return None
    if above and _git(folder, "check-ignore", "-q", ".") != (1, b"", b""):
        return None
    found = _git(folder, "ls-files", "-coz", "-t", "--exclude-standard", cancel=cancel)
    if found is None or found[0] != 0:
        return None
    paths = [GitPath(line[2:], line[:1] != b"?") for line in found[1].split(b"\0") if line]
    unreadable = {
        os.fsdecode(path): f"unreadable: {reason.decode(errors='replace')}"
        for path, reason in _UNREADABLE.findall(found[2])
    }
    return GitFiles(paths, unreadable)


def ignored_folders(folder: Path) -> frozenset[str] | None:
    """The folders in ``folder`` that git ignores, without those in them.

    None where `git_files` returns None.
    """
    if not os.path.lexists(folder / ".git"):
        above = any(os.path.lexists(parent / ".git") for parent in folder.parents)
        if not above or _git(folder, "check-ignore", "-q", ".") != (1, b"", b""):
            return None
    found = _git(folder, "ls-files", "-oiz", "--directory", "--exclude-standard")
    if found is None or found[0] != 0:
        return None
    names = (os.fsdecode(line) for line in found[1].split(b"\0"))
    return frozenset(name[:-1] for name in names if name.endswith("/"))


def _git(
    folder: Path, *arguments: str, cancel: CancelToken | None = None
) -> tuple[int, bytes, bytes] | None:
    """Git's exit code and outputs; None when it cannot be run.

    A repository may name a program for git to start when it lists files (core.fsmonitor), so that
    is off.
    """
    env = environment() | {"GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = run(
            ["git", "-c", "core.fsmonitor=false", *arguments],
            cwd=folder,
            timeout_s=_TIMEOUT_S,
            cancel=cancel,
            env=env,
            output_limit=_OUTPUT_LIMIT,
        )
    except ToolError:
        return None
    return None if done.truncated else (done.exit_code, done.stdout, done.stderr)
