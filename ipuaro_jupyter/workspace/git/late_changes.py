"""What has changed lately: uncommitted changes, and those of the latest commits.

Nothing that the repository names is started for that: the commands compare what git knows of files
without converting them, and filters, which git may need for a file of the very last second, are
switched off.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.store.roots import roots_of
from ipuaro_jupyter.workspace.git.compared import on_disk
from ipuaro_jupyter.workspace.git.git_program import LARGEST_SETTINGS, Git
from ipuaro_jupyter.workspace.git.own_repository import own_repository

_MOST_COMMITS, _MOST_DAYS = 5, 30
_MOST_FILES = 200
_MOST_BYTES = 16_000_000
_COMPARED = ("--raw", "-z", "--no-abbrev", "--relative", "--no-renames", "--ignore-submodules=all")
_LOG = (
    *("log", f"--max-count={_MOST_COMMITS}", f"--since={_MOST_DAYS}.days", "--no-merges"),
    *("--no-ext-diff", "--no-textconv", "--format=%H%x00%ct"),
)
_FILTERS = (b".clean", b".process", b".required")


class Commit(NamedTuple):
    """A commit: its hash, and the committer's time, in seconds since the epoch."""

    hash: str
    seconds: int


class LateChange(NamedTuple):
    """A change of a file.

    Attributes:
        path: Relative to the project.
        before: Its content before; None where there was none.
        after: Its content after it, in a commit; for an uncommitted change, on the disk.
        commit: None for an uncommitted change.
    """

    path: str
    before: bytes | None
    after: bytes
    commit: Commit | None = None


class LateChanges(NamedTuple):
    """Changes, the uncommitted ones first, then those of the latest commit; what was left out."""

    changes: list[LateChange]
    notes: list[str]


class _ChangedBlob(NamedTuple):
    """A changed file, by the hashes of its contents; "" for none, and for that on the disk."""

    path: str
    before: str
    after: str


def late_changes(
    root: Path, wanted: Callable[[str], bool], *, cancel: CancelToken | None = None
) -> LateChanges:
    """The changes since the last commit, and those of the last few commits of a month.

    Where more than 200 wanted files differ at once, as after a change of branches, they are left
    out, and a note says so. None where there is no repository, or git does not work.

    Args:
        root: The project's folder, free of symlinks.
        wanted: Whether a path of the project counts.
        cancel: Ends git when the user stops, or the time is up.
    """
    both = LateChanges([], [])
    for prefix, place in roots_of(root).items():
        try:
            _LateHistory(place, prefix, wanted, cancel).add_to(both)
        except ToolError:
            continue
    return both


class _LateHistory:
    """One repository of the project."""

    def __init__(
        self,
        root: Path,
        prefix: str,
        wanted: Callable[[str], bool],
        cancel: CancelToken | None,
    ) -> None:
        own = own_repository(root, cancel=cancel)
        self._git = Git(root, top=own.top, folder=own.folder, read_head=str, cancel=cancel)
        self._prefix = prefix
        self._wanted = wanted
        self._env = _without_filters(self._git)

    def add_to(self, found: LateChanges) -> None:
        """Add what has changed in it."""
        head = self._git.head()
        if not head:
            return
        listed: list[tuple[Commit | None, list[_ChangedBlob]]] = [(None, self._uncommitted(head))]
        listed += self._listed(self._run(*_LOG, *_COMPARED, head, "--", "."))[1:]
        kept = [(commit, blobs) for commit, blobs in listed if len(blobs) <= _MOST_FILES]
        for commit, blobs in listed:
            if len(blobs) > _MOST_FILES:
                told = f"changed in {commit.hash[:7]}" if commit else "differ from the last commit"
                found.notes.append(f"{len(blobs):,} files {told}: not looked at")
        texts = self._texts({hash_ for _, blobs in kept for one in blobs for hash_ in one[1:]})
        for commit, blobs in kept:
            for one in blobs:
                path = one.path.removeprefix(self._prefix)
                after = texts.get(one.after) if commit else self._on_disk(path)
                before = texts.get(one.before)
                is_known = after is not None and (before is not None or not one.before)
                if after is not None and is_known and before != after:
                    found.changes.append(LateChange(one.path, before, after, commit))

    def _uncommitted(self, head: str) -> list[_ChangedBlob]:
        """What differs from the last commit, and what git does not know."""
        compared = self._run("diff-index", *_COMPARED, head, "--", ".")
        found = [one._replace(after="") for _, some in self._listed(compared) for one in some]
        listed = self._run("ls-files", "--others", "--exclude-standard", "-z")
        untracked = (f"{self._prefix}{os.fsdecode(path)}" for path in listed.split(b"\0") if path)
        return [*found, *(_ChangedBlob(path, "", "") for path in untracked if self._wanted(path))]

    def _listed(self, told: bytes) -> list[tuple[Commit | None, list[_ChangedBlob]]]:
        """The wanted files of each commit, as git prints them with ``--raw -z``."""
        found: list[tuple[Commit | None, list[_ChangedBlob]]] = [(None, [])]
        fields = iter(told.split(b"\0")[:-1])
        for one, then in zip(fields, fields, strict=False):
            words = one.lstrip(b"\n").decode()
            path = f"{self._prefix}{os.fsdecode(then)}"
            if not words.startswith(":"):
                found.append((Commit(words, int(then)), []))
            elif self._wanted(path):
                _, _, before, after, _ = words.split(" ")
                found[-1][1].append(_ChangedBlob(path, _known(before), _known(after)))
        return found

    def _texts(self, hashes: set[str]) -> dict[str, bytes]:
        """The contents of files by their hashes, as far as all is not too much."""
        asked = "".join(f"{one}\n" for one in sorted(hashes - {""}))
        if not asked:
            return {}
        sent = self._git.run(
            *("cat-file", "--batch"),
            input_=asked.encode(),
            env=self._env,
            output_limit=_MOST_BYTES,
        )
        data, at, found = sent.stdout, 0, dict[str, bytes]()
        while not sent.truncated and at < len(data):
            head, _, _ = data[at : at + 200].partition(b"\n")
            hash_, _, size = head.decode().replace(" missing", " missing -").split(" ")
            at = start = at + len(head) + 1
            if size != "-":
                at += int(size) + 1
                found[hash_] = data[start : at - 1]
        return found

    def _on_disk(self, path: str) -> bytes | None:
        try:
            return on_disk(self._git.root, path)
        except ToolError:
            return None

    def _run(self, *words: str) -> bytes:
        return self._git.run(*words, env=self._env).stdout


def _known(hash_: str) -> str:
    """A hash; "" for that of nothing."""
    return hash_ if hash_.strip("0") else ""


def _without_filters(git: Git) -> Mapping[str, str]:
    """Variables that switch off the filters of git's settings.

    Raises:
        ToolError: "command" when not all settings are known.
    """
    listed = git.run("config", "-z", "--name-only", "--list", output_limit=LARGEST_SETTINGS)
    if listed.truncated:
        raise ToolError("command", "The settings of git are too long.")
    keys = {  # by bytes: git's own patterns pass over what is not UTF-8
        os.fsdecode(key)
        for key in listed.stdout.split(b"\0")
        if key.startswith(b"filter.") and key.endswith(_FILTERS)
    }
    count = int(os.environ.get("GIT_CONFIG_COUNT") or "0")
    added: dict[str, str] = {}
    for number, key in enumerate(sorted(keys), count):
        added[f"GIT_CONFIG_KEY_{number}"] = key
        added[f"GIT_CONFIG_VALUE_{number}"] = "false" if key.endswith(".required") else ""
    return added | {"GIT_CONFIG_COUNT": str(count + len(keys))} if keys else {}
