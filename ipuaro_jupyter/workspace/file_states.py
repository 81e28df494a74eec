"""The states of a project's files on the disk, to find those that a program has written."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint

# What packages consist of, and what tools keep for themselves.
_NOT_WALKED = frozenset(
    {
        *(".git", "node_modules", ".ipynb_checkpoints", "__pycache__", "site-packages", ".cache"),
        *(".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".nox", ".next", ".nuxt"),
        *(".turbo", ".parcel-cache", ".hypothesis", ".gradle", ".terraform"),
    }
)


class FileState(NamedTuple):
    """What differs once a file has been written, replaced or renamed."""

    size: int
    mtime_ns: int
    changed_ns: int
    number: int
    mode: int


States = Mapping[str, FileState]
"""The states of files by their paths."""


def file_states(root: Path, *, check: Callable[[], None] = checkpoint) -> dict[str, FileState]:
    """The states of all files of a project, ignored ones too; links are not followed.

    Left out are installed packages, caches and git's own files.

    Args:
        root: The project's folder.
        check: Called for each folder; by default it raises Cancelled when the user asked to stop.
    """
    return {path: state for path, state, _ in _walk(root, check)}


def files_changed_since(
    root: Path, since_ns: int, *, check: Callable[[], None] = checkpoint
) -> list[str]:
    """Those of these files that have been written or moved after a time, sorted.

    No program can set that time of a file. A file that was moved with its folder keeps it, so all
    files count that are below a folder which was moved since. Not found are those of a folder in
    which something was made or removed after it was moved.

    Args:
        root: The project's folder, which is not moved itself.
        since_ns: The time of change, exclusive, as in `FileState`.
        check: As for `file_states`.
    """
    walked = _walk(root, check)
    return sorted(path for path, state, above in walked if max(state.changed_ns, above) > since_ns)


def changed_files(before: States, after: States) -> list[str]:
    """The files that have been written, made or removed between two states, sorted."""
    paths = before.keys() | after.keys()
    return sorted(path for path in paths if before.get(path) != after.get(path))


def _walk(root: Path, check: Callable[[], None]) -> Iterator[tuple[str, FileState, int]]:
    """Yield files with their states, and when a folder above was last moved, as far as is known."""
    pending = [("", 0)]
    while pending:
        check()
        folder, above = pending.pop()
        try:
            with os.scandir(root / folder) as scanned:
                entries = list(scanned)
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            with suppress(OSError):  # it may have gone since
                if not entry.is_dir(follow_symlinks=False):
                    yield path, _state(entry.stat(follow_symlinks=False)), above
                elif entry.name not in _NOT_WALKED:
                    state = entry.stat(follow_symlinks=False)
                    # What is made or removed in it sets both times.
                    is_moved = state.st_ctime_ns > state.st_mtime_ns
                    pending.append((path, max(above, state.st_ctime_ns if is_moved else 0)))


def _state(state: os.stat_result) -> FileState:
    times = (state.st_mtime_ns, state.st_ctime_ns)
    return FileState(state.st_size, *times, state.st_ino, state.st_mode)
