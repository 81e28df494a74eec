"""Check single paths on the disk, and whether that is enough to update the index."""

import os
import stat
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.resolve.project_paths import is_inside
from ipuaro_jupyter.index.storage.snapshots import Snapshot, is_same
from ipuaro_jupyter.index.storage.stored_index import FileEntry
from ipuaro_jupyter.workspace.files import disk
from ipuaro_jupyter.workspace.files.listing import FileStat, file_stat, printable
from ipuaro_jupyter.workspace.files.text_file import content_hash

Memberships = Callable[[Collection[str]], Mapping[str, bool] | None]
Work = tuple[dict[str, FileStat], set[str]]
"""Files to read, with their states on disk, and paths that have gone."""


class OnDisk:
    """Checks paths of a project on the disk.

    It remembers files that turned out not to belong to the project, because they are ignored, so
    that a growing log costs nothing.

    Args:
        root: The project's folder.
        memberships: Tells which of some new files belong to the project.
    """

    def __init__(self, root: Path, memberships: Memberships) -> None:
        self._root = str(root)
        self._memberships = memberships
        self._foreign: set[str] = set()

    def stat(self, path: str) -> FileStat | None:
        """The state of a file; None when there is no regular file."""
        status = self._lstat(path)
        if status is None or not stat.S_ISREG(status.st_mode):
            return None
        return file_stat(status)

    def is_linked(self, path: str) -> bool:
        """Whether a file has several names."""
        status = self._lstat(path)
        return status is not None and stat.S_ISREG(status.st_mode) and status.st_nlink > 1

    def is_same(self, path: str, entry: FileEntry | None) -> bool:
        """Whether a file equals its entry; one that was read right after a change is read again."""
        now = self.stat(path)
        if entry is None or now is None or entry.changed_ns != -1 or not entry.hash:
            return is_same(entry, now)
        if (entry.size, entry.mtime_ns) != (now.size, now.mtime_ns):
            return False
        try:
            content = disk.read(Path(self._root), path)
        except ToolError:
            return False
        return content is not None and content_hash(content.data) == entry.hash

    def work(self, paths: Iterable[str], snapshot: Snapshot, known: dict[str, bool]) -> Work | None:
        """The files to read and to drop for some files or folders, which may have vanished.

        Args:
            paths: The files or folders.
            snapshot: The state of the index.
            known: Whether new files belong to the project; what is found out is added.

        Returns:
            None when only a full listing can tell.
        """
        stats: dict[str, FileStat] = {}
        gone: set[str] = set()
        new: dict[str, FileStat] = {}
        spare = snapshot.symlinks.keys() | snapshot.skipped.keys()
        for path in paths:
            checkpoint()
            entry, now = snapshot.files.get(path), self.stat(path)
            if path.endswith(".gitignore") and not is_same(entry, now):
                self._foreign.clear()
                return None
            if now is not None and (entry is not None or path in self._foreign):
                if entry is not None and not is_same(entry, now):
                    stats[path] = now
            elif now is not None and path not in spare:
                new[path] = now
            elif self._lstat(path) is not None:
                return None
            else:
                self._foreign.discard(path)
                if printable(path) in spare:
                    return None
                inside = (file for file in snapshot.files if is_inside(file, path))
                gone.update([path] if entry is not None else inside)
        if not self._find_out(new, known):
            return None
        stats.update((path, now) for path, now in new.items() if known[path])
        self._foreign.update(path for path in new if not known[path])
        return stats, gone

    def _find_out(self, new: Collection[str], known: dict[str, bool]) -> bool:
        """Find out which new files belong to the project; return whether that was possible."""
        unknown = [path for path in new if path not in known]
        told = self._memberships(unknown) if unknown else {}
        known.update(told or {})
        return told is not None

    def remember_ignored(self, paths: Iterable[str], snapshot: Snapshot) -> None:
        """Remember, after a listing, which of ``paths`` do not belong to the project."""
        others = (path for path in paths if path not in snapshot.files)
        self._foreign.update(path for path in others if self.stat(path) is not None)

    def forget_foreign(self) -> None:
        """Forget which files do not belong to the project."""
        self._foreign.clear()

    def _lstat(self, path: str) -> os.stat_result | None:
        try:
            return os.lstat(f"{self._root}/{path}")
        except (OSError, ValueError):
            return None
