"""What has changed lately: uncommitted changes, and those of the latest commit.

Nothing that the repository names is started for that: the commands compare what git knows of files
without converting them, and filters, which git may need for a file of the very last second, are
switched off.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import TimeUp, ToolError
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.workspace.git.git_program import LARGEST_SETTINGS, Git
from ipuaro_jupyter.workspace.git.own_repository import repository_of
from ipuaro_jupyter.workspace.processes.subprocesses import OUTPUT_LIMIT

_MOST_DAYS = 30
_MOST_FILES = 200
_MOST_BYTES = 16_000_000
_FILE = "100"  # how the modes of regular files begin
_COMPARED = ("--raw", "-z", "--no-abbrev", "--relative", "--no-renames", "--ignore-submodules=all")
_LOG = (
    *("log", "--max-count=1", f"--since={_MOST_DAYS}.days", "--no-merges"),
    *("--no-ext-diff", "--no-textconv", "--format=%H%x00%ct"),
)
_FILTERS = (b".clean", b".process", b".required")


class Commit(NamedTuple):
    """A commit: its hash, and the committer's time, in seconds since the epoch; 0 for none."""

    hash: str
    seconds: int


class LateChange(NamedTuple):
    """A change of a file.

    Attributes:
        path: As git names it; relative to the project, unless a commit names one outside of it.
        before: Its content before; None where there was none.
        commit: None for an uncommitted change.
    """

    path: str
    before: bytes | None
    commit: Commit | None = None


class LateChanges(NamedTuple):
    """The uncommitted changes, then those of the latest commit; what was left out."""

    changes: list[LateChange]
    notes: list[str]


class _ChangedBlob(NamedTuple):
    """A changed file, and the hash of its content before; "" for none."""

    path: str
    before: str


_Listed = list[tuple[Commit | None, list[_ChangedBlob]]]
"""The changed files by the commit; None for the uncommitted ones."""


def late_changes(
    root: Path,
    wanted: Callable[[str], bool],
    *,
    prefix: str = "",
    cancel: CancelToken | None = None,
) -> LateChanges:
    """The changes since the last commit, which may leave a file as it was, and those of it.

    A commit counts for a month. Where more than 200 wanted files differ at once, as after
    a change of branches, they are left out, as is what git cannot tell in time; a note says so.
    Without a repository of the project's own there are none.

    Args:
        root: The project's folder or one in it, free of symlinks.
        wanted: Whether a path of the project counts.
        prefix: The project's path of the folder, with a slash at its end; "" for the project's own.
        cancel: Ends git when the user stops, or the time is up.
    """
    try:
        own = repository_of(root, cancel=cancel)
        if own is None:
            return LateChanges([], [])
        git = Git(root, top=own.top, folder=own.folder, read_head=str, cancel=cancel)
        return _LateHistory(git, wanted, prefix).changes()
    except TimeUp:
        return LateChanges([], ["git takes too long to tell what was changed lately"])
    except (ToolError, ValueError):
        return LateChanges([], ["git cannot tell what was changed lately"])


class _LateHistory:
    """One repository of the project."""

    def __init__(self, git: Git, wanted: Callable[[str], bool], prefix: str) -> None:
        self._git = git
        self._wanted = wanted
        self._prefix = prefix
        self._env = _without_filters(git)

    def changes(self) -> LateChanges:
        """What has changed in it."""
        found = LateChanges([], [])
        head = self._git.head()
        if not head:
            return found
        listed: _Listed = [(None, self._uncommitted(head))]
        listed += self._listed(self._run(*_LOG, *_COMPARED, head, "--", "."))[1:]
        kept = [(commit, blobs) for commit, blobs in listed if len(blobs) <= _MOST_FILES]
        for commit, blobs in listed:
            if len(blobs) > _MOST_FILES:
                told = f"changed in {commit.hash[:7]}" if commit else "differ from the last commit"
                found.notes.append(f"{len(blobs):,} files {told}: not looked at")
        texts = self._texts(one.before for _, blobs in kept for one in blobs)
        left_out: set[str] = set()
        for commit, blobs in kept:
            for path, before in blobs:
                if before and before not in texts:
                    left_out.add(path)
                else:
                    found.changes.append(LateChange(path, texts.get(before), commit))
        if left_out:
            told = f"{counted(len(left_out), 'file')} changed lately"
            found.notes.append(f"{told}: not looked at, being too large or lost to git")
        return found

    def _uncommitted(self, head: str) -> list[_ChangedBlob]:
        """What differs from the last commit, and what git does not know."""
        compared = self._run("diff-index", *_COMPARED, head, "--", ".")
        found = self._listed(compared)[0][1]
        listed = self._run("ls-files", "--others", "--exclude-standard", "-z")
        untracked = map(self._path, filter(None, listed.split(b"\0")))
        return [*found, *(_ChangedBlob(path, "") for path in untracked if self._wanted(path))]

    def _listed(self, told: bytes) -> _Listed:
        """The wanted files of each commit that it has left, as git prints them with ``--raw -z``.

        The first files belong to no commit.
        """
        found: _Listed = [(None, [])]
        fields = iter(told.split(b"\0")[:-1])
        for one, then in zip(fields, fields, strict=False):
            words = one.lstrip(b"\n").decode()
            path = self._path(then)
            if not words.startswith(":"):
                found.append((Commit(words, int(then or 0)), []))
            elif self._wanted(path):
                old_mode, mode, before, after, _ = words.removeprefix(":").split(" ")
                if mode.startswith(_FILE) and before != after:
                    was = before if old_mode.startswith(_FILE) else ""
                    found[-1][1].append(_ChangedBlob(path, was))
        return found

    def _path(self, told: bytes) -> str:
        return self._prefix + os.fsdecode(told)

    def _texts(self, hashes: Iterable[str]) -> dict[str, bytes]:
        """The contents of files by their hashes, the first of them where all are too much."""
        sizes: dict[str, int] = {}
        for line in self._sent("--batch-check", filter(None, dict.fromkeys(hashes))).splitlines():
            hash_, kind, *told = line.decode().split(" ")
            if kind == "blob" and sum(sizes.values()) + int(told[0]) <= _MOST_BYTES:
                sizes[hash_] = int(told[0])
        data, at, found = self._sent("--batch", sizes), 0, dict[str, bytes]()
        for hash_, size in sizes.items():
            head = f"{hash_} blob {size}\n".encode()
            start = at + len(head)
            at = start + size + 1
            if data[start - len(head) : start] != head or len(data) < at:
                break  # git has ended at one that is damaged
            found[hash_] = data[start : at - 1]
        return found

    def _sent(self, how: str, hashes: Iterable[str]) -> bytes:
        """What git knows of objects, as far as it gets."""
        asked = "".join(f"{one}\n" for one in hashes).encode()
        return self._git.run("cat-file", how, input_=asked, env=self._env, check=False).stdout

    def _run(self, *words: str) -> bytes:
        return _whole(self._git, *words, env=self._env)


def _whole(
    git: Git, *words: str, env: Mapping[str, str] | None = None, most: int = OUTPUT_LIMIT
) -> bytes:
    """What git prints.

    Raises:
        ToolError: "command" when git fails, or that is too much.
    """
    finished = git.run(*words, env=env, output_limit=most)
    if finished.truncated:
        raise ToolError("command", f"git {words[0]} prints more than {most:,} bytes.")
    return finished.stdout


def _without_filters(git: Git) -> Mapping[str, str]:
    """Variables that switch off the filters of git's settings.

    Raises:
        ToolError: "command" when not all settings are known.
    """
    listed = _whole(git, "config", "-z", "--name-only", "--list", most=LARGEST_SETTINGS)
    keys = {  # by bytes: git's own patterns pass over what is not UTF-8
        os.fsdecode(key)
        for key in listed.split(b"\0")
        if key.startswith(b"filter.") and key.endswith(_FILTERS)
    }
    count = int(os.environ.get("GIT_CONFIG_COUNT") or "0")
    added: dict[str, str] = {}
    for number, key in enumerate(sorted(keys), count):
        added[f"GIT_CONFIG_KEY_{number}"] = key
        added[f"GIT_CONFIG_VALUE_{number}"] = "false" if key.endswith(".required") else ""
    return added | {"GIT_CONFIG_COUNT": str(count + len(keys))} if keys else {}
