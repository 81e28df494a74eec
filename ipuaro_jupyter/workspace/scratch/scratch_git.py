"""The repository of a copied project: a git folder of its own that reads the old objects."""

import os
import shutil
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.git.git_program import environment
from ipuaro_jupyter.workspace.git.own_repository import OwnRepository, share_objects
from ipuaro_jupyter.workspace.processes.subprocesses import FinishedProcess, run

_TIMEOUT_S = 120.0
_OUTPUT_LIMIT = 512 * 1024 * 1024
# Objects are read from the original; a submodule in the copy has a git folder in its own place.
_LEFT_OUT = frozenset({"objects", "worktrees", "modules", "lfs", "annex"})
_OF_A_WORKTREE = frozenset({"gitdir", "commondir", "locked"})


def tracked_files(top: Path) -> list[str]:
    """The tracked files, relative to ``top``; empty when git does not work."""
    done = _git(top, "ls-files", "-z")
    if done is None or done.exit_code:
        return []
    return [os.fsdecode(path) for path in done.stdout.split(b"\0") if path]


def copy_repository(
    own: OwnRepository, to: Path, *, unlike: Iterable[str], hidden: Iterable[str]
) -> None:
    """Make ``to`` a repository in the same state as another.

    Commits, branches and staged files are its own. Earlier commits are read from the objects of the
    original.

    Args:
        own: The other one.
        to: A folder with copied files.
        unlike: Tracked files that were deliberately not copied, or otherwise: they do not count as
            deleted or changed.
        hidden: Added but ignored files, relative to ``to``.
    """
    into = to / ".git"
    for folder in dict.fromkeys((own.common, own.folder)):
        _copy_folder(folder, into)
    (into / "objects" / "info").mkdir(parents=True, exist_ok=True)
    (into / "objects" / "pack").mkdir(exist_ok=True)
    old = os.fsencode(own.common / "objects")
    (into / "objects" / "info" / "alternates").write_bytes(old + b"\n")
    share_objects(into, own.common / "objects")
    (into / "info").mkdir(exist_ok=True)
    with (into / "info" / "exclude").open("ab") as exclude:
        exclude.writelines(b"/" + os.fsencode(path) + b"\n" for path in hidden)
    for key in ("core.worktree", "core.fsmonitor"):  # they lead elsewhere, or start a program
        _git(to.parent, "config", "-f", str(into / "config"), "--unset-all", key)
    listed = b"".join(os.fsencode(path) + b"\0" for path in unlike)
    if listed:
        _git(to, "update-index", "--skip-worktree", "-z", "--stdin", input_=listed)


def undo_commits(folder: Path, hashes: Collection[str]) -> int:
    """Reset a copied repository to before its latest commits, as far as they are among these.

    Files stay as they are, and nothing is staged. Returns the number of commits undone.
    """
    count = 0
    while (head := _commit(folder, "HEAD")) in hashes and (before := _commit(folder, "HEAD~1")):
        done = _git(folder, "reset", "-q", "--mixed", before)
        if done is None or _commit(folder, "HEAD") == head:
            break
        count += 1
    return count


def _commit(folder: Path, name: str) -> str:
    """The hash of a commit; "" when there is none."""
    done = _git(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    return "" if done is None or done.exit_code else done.stdout.decode().strip()


def _copy_folder(folder: Path, into: Path) -> None:
    """Copy a git folder without its objects, and without the locks of a running git."""
    into.mkdir(exist_ok=True)
    for entry in os.scandir(folder):
        if entry.name in _LEFT_OUT | _OF_A_WORKTREE or entry.name.endswith(".lock"):
            continue
        target = into / entry.name
        with suppress(OSError, shutil.Error):  # a socket, or deleted since it was listed
            if entry.is_dir(follow_symlinks=True):
                ignore = shutil.ignore_patterns("*.lock")
                shutil.copytree(entry.path, target, dirs_exist_ok=True, ignore=ignore)
            else:
                shutil.copyfile(entry.path, target)
                shutil.copymode(entry.path, target)


def _git(folder: Path, *arguments: str, input_: bytes = b"") -> FinishedProcess | None:
    try:
        return run(
            ["git", "-c", "core.fsmonitor=false", *arguments],
            cwd=folder,
            timeout_s=_TIMEOUT_S,
            env=environment(),
            input_=input_,
            output_limit=_OUTPUT_LIMIT,
        )
    except ToolError:
        return None
