"""Watch a project's files.

The folders are watched one by one: ignored ones are left out, and no symlink is followed. Events
are collected immediately and can be taken at any time; the callback is only called once no more
events come.
"""

import errno
import os
import re
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.workspace.files.atomic_writes import TEMPORARY
from ipuaro_jupyter.workspace.files.folder_events import FolderEvents, folder_events
from ipuaro_jupyter.workspace.files.walk import NEVER, USUALLY_NOT, walked_files
from ipuaro_jupyter.workspace.git.git_files import ignored_folders

_STEP_MS = 10
_IDLE_MS = 1000
_LONGEST_BURST_S = 2.0
_MANY_PATHS = 2000
_TRIES = 3
_LOOKS = 3
_RETRY_S = 0.5
_JOIN_S = 5.0
_ENDED = "The watcher has ended: each question compares the files."
_FOREIGN = (
    "The files are on a disk of type {}, which may change unseen: each question compares them."
)
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")
_LOCAL = frozenset(
    {
        *("ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "ramfs", "rootfs", "overlay", "zfs"),
        *("f2fs", "bcachefs", "jfs", "reiserfs", "nilfs2", "vfat", "exfat", "ntfs3", "squashfs"),
    }
)


class WatchSettings(Record):
    """How the project's files are watched."""

    enabled: bool = Field(
        default=True,
        description="Watch the files; otherwise they are compared with the index at each read.",
    )
    debounce_ms: int = Field(
        50,
        ge=0,
        le=10_000,
        description="Changes within this many milliseconds are handled together.",
    )
    force_polling: bool = Field(
        default=False,
        description="Poll the files instead of waiting for events, which network drives lack.",
    )
    poll_ms: int = Field(
        300,
        ge=10,
        le=60_000,
        description="Milliseconds between polls, or ten times as long as one takes.",
    )


@dataclass(frozen=True)
class WatchedChanges:
    """The changes seen, relative to the root.

    Attributes:
        paths: What has changed.
        everything: Unknown others are possible.
        is_complete: There are no others that were made before these were taken.
    """

    paths: frozenset[str] = frozenset()
    everything: bool = False
    is_complete: bool = False

    def __bool__(self) -> bool:
        return self.everything or bool(self.paths)


class Watch:
    """Watches in a thread of its own.

    Attributes:
        is_ready: Whether changes are seen.
        problem: Why watching deviates from the settings, for the user; else "".

    Args:
        root: The project's folder.
        settings: The settings.
        files: Returns the project's files as far as they are known.
        changed: Called in the watcher's thread when something was seen and no more events come; it
            is called again, later, when it returns False.
    """

    def __init__(
        self,
        root: Path,
        settings: WatchSettings,
        *,
        files: Callable[[], Iterable[str]],
        changed: Callable[[], bool],
    ) -> None:
        self.is_ready = False
        self.problem = ""
        self._root = os.path.realpath(root)
        self._settings = settings
        self._files = files
        self._changed = changed
        self._stop = threading.Event()
        self._has_begun = threading.Event()
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self._everything = False
        self._events: FolderEvents | None = None
        self._folders: dict[str, int] = {}  # with their inode numbers
        self._others: set[str] = set()
        self._mounts: tuple[str, ...] = ()
        self._is_outdated = self._is_covered = False
        self._began_s = self._last_s = 0.0
        self._thread = threading.Thread(target=self._run, name="ipuaro-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        with self._lock:
            if self._events is not None:
                self._events.wake()
        if threading.current_thread() is not self._thread:
            self._thread.join(_JOIN_S)

    @property
    def folders(self) -> frozenset[str]:
        """The watched folders, relative to the project; "" is the project's own."""
        return frozenset(self._folders)

    @property
    def seen(self) -> frozenset[str]:
        """The changed paths that have not been taken, as far as they were noted."""
        with self._lock:
            return frozenset(self._paths)

    def take(self) -> WatchedChanges:
        """The changes seen since the last call; where the system tells at once, all there are."""
        with self._lock:
            self._read()
            seen = WatchedChanges(frozenset(self._paths), self._everything, self._is_complete())
            self._paths, self._everything = set(), False
            return seen

    def wait_for_begin(self, wait_s: float) -> bool:
        """Wait until watching has begun, or has failed; return whether it has come to that.

        A look at all files before that is of no use to whoever wants to know of later changes.
        """
        return self._has_begun.wait(wait_s)

    def follow(self, files: Iterable[str]) -> None:
        """Watch the folders of these files from now on, ignored ones as well."""
        with self._lock:
            is_known = parents(files) <= self._folders.keys()
        if not is_known:
            self.look_again()

    def look_again(self) -> None:
        """Look for the folders to watch again: other ones may be ignored now."""
        with self._lock:
            self._others.clear()
            self._is_outdated = True
            if self._events is not None:
                self._events.wake()

    def put_back(self, seen: WatchedChanges) -> None:
        """Return changes that could not be used: they count as seen again."""
        with self._lock:
            self._paths |= seen.paths
            self._everything |= seen.everything

    def _run(self) -> None:
        try:
            if not self._settings.force_polling:
                self._watch_on()
            if not self._stop.is_set():
                self._poll()
        finally:
            self.is_ready = False
            self._has_begun.set()
            if not self._stop.is_set():  # by an error that nobody expected
                self.problem = self.problem or _ENDED

    def _watch_on(self) -> None:
        """Watch until that is no longer possible; record the reason."""
        for _ in range(_TRIES):
            try:
                self._watch()
            except (OSError, RuntimeError, StorageError) as error:  # the second is the library's
                self.is_ready = False
                self._has_begun.set()
                self.problem = f"The files are compared now and then, not watched: {_why(error)}"
                if self._stop.wait(_RETRY_S):
                    return
            else:
                return

    def _watch(self) -> None:
        events = folder_events(self._settings.poll_ms, self._settings.debounce_ms)
        with self._lock:
            self._events = events
        try:
            self._cover(events)
            self._has_begun.set()
            while not self._stop.is_set():
                events.wait(self._patience_ms)
                with self._lock:
                    self._read()
                if self._is_outdated:
                    self._cover(events)
                if self._is_quiet():
                    self._began_s = 0.0
                    if not self._changed():
                        self._last_s = time.monotonic() + _IDLE_MS / 1000
        finally:
            with self._lock:
                self._events = None
                events.close()

    def _cover(self, events: FolderEvents) -> None:
        """Watch the existing folders.

        A folder that was made while its parent was looked at, and not yet watched, causes no event.
        So this is complete only once a second look finds nothing new. At first those of the files
        that are known do for a look.

        Raises:
            FileNotFoundError: The project has gone.
            OSError: The system does not allow it.
        """
        for _ in range(_LOOKS):
            with self._lock:
                self._read()
                self._is_outdated = self._is_covered = False
            files, root = self._files(), Path(self._root)
            found = watched_folders(root, files) if self._folders else {"", *parents(files)}
            known = {folder: self._inode(folder) for folder in found}
            there = {folder: inode for folder, inode in known.items() if inode is not None}
            if "" not in there:
                raise FileNotFoundError(f"{self._root!r} has gone")
            mounts = mounts_of(self._root)
            covered = events.cover([self._absolute(folder) for folder in there])
            kind = foreign_file_system(self._root)
            with self._lock:
                self._mounts = mounts
                self._read()
                is_same, self._folders = self._folders == there, there
                others = self._others - there.keys()
                self._others = {path for path in others if self._inode(path) is not None}
                self._everything = True  # whatever was seen before
                self._is_covered = len(covered) == len(there) and not kind
                self._is_outdated = self._is_outdated or not is_same
                self.is_ready = self.is_ready or is_same
                self.problem = _FOREIGN.format(kind) if kind else ""
            if not self._is_outdated or self._stop.wait(_STEP_MS / 1000):
                return

    def _is_complete(self) -> bool:
        """Whether what is seen is all there is; the root, or a folder above, may be replaced."""
        events = self._events
        return (
            events is not None
            and events.is_complete
            and self._is_covered
            and not self._is_outdated
            and self._inode("") == self._folders.get("")
        )

    def _read(self) -> None:
        """Note the events that have come; with the lock held. A mount causes none."""
        if self._events is not None:
            self._is_outdated |= mounts_of(self._root) != self._mounts
            seen = self._events.read()
            self._note(seen.paths)
            self._everything |= seen.is_lost
            self._is_outdated |= seen.is_outdated

    def _absolute(self, folder: str) -> str:
        return f"{self._root}/{folder}" if folder else self._root

    def _poll(self) -> None:
        """Request a comparison of everything now and then, while the folder exists.

        The library's own polling would miss a second change within one second.
        """
        self._has_begun.set()
        pause_s = self._settings.poll_ms / 1000
        while not self._stop.wait(pause_s) and self._inode("") is not None:
            self.is_ready = True
            self.put_back(WatchedChanges(everything=True))
            began_s = time.monotonic()
            self._changed()
            pause_s = max(self._settings.poll_ms / 1000, 10 * (time.monotonic() - began_s))

    @property
    def _patience_ms(self) -> int:
        """How long to wait for the next event: briefly when a call is pending."""
        with self._lock:
            is_waiting = self._everything or self._paths
        return max(_STEP_MS, self._settings.debounce_ms) if is_waiting else _IDLE_MS

    def _is_quiet(self) -> bool:
        """Whether something was seen, and no more events come."""
        with self._lock:
            if not (self._everything or self._paths):
                return False
        now_s = time.monotonic()
        if self._began_s and now_s - self._began_s > _LONGEST_BURST_S:
            return True
        is_switching = os.path.lexists(f"{self._root}/.git/index.lock")
        return not is_switching and now_s - self._last_s >= self._settings.debounce_ms / 1000

    def _note(self, changed: Iterable[str]) -> None:
        """Note changed paths, absolute; with the lock held."""
        start = len(self._root) + 1
        paths = {path[start:] for path in changed}
        if "" in paths and self._inode("") != self._folders.get(""):
            self._is_outdated = True
        named = {path for path in paths if not _is_ours(path)}
        if not named:
            return
        self._last_s = time.monotonic()
        self._began_s = self._began_s or self._last_s
        for path in named:
            self._note_folder(path)
        self._paths |= named
        if len(self._paths) > _MANY_PATHS:  # looking at everything costs less
            self._everything, self._paths = True, set()

    def _note_folder(self, path: str) -> None:
        """Check whether other folders have to be watched."""
        inode = self._inode(path)
        if path.rpartition("/")[2] == ".gitignore":
            self._others.clear()
            self._is_outdated = True
        elif inode == self._folders.get(path):
            return
        elif path in self._folders:
            self._is_outdated = True
        elif path not in self._others:  # mostly ignored paths: once is enough
            self._others.add(path)
            self._is_outdated = True

    def _inode(self, folder: str) -> int | None:
        try:
            status = os.lstat(f"{self._root}/{folder}")
        except OSError:
            return None
        return status.st_ino if stat.S_ISDIR(status.st_mode) else None


def _is_ours(path: str) -> bool:
    """Whether a path is to be disregarded: our own temporary files, the root itself."""
    return not path or path.rpartition("/")[2].startswith(TEMPORARY)


def _why(error: Exception) -> str:
    """Why the system does not let us watch, and the remedy."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return "all watches are in use; raise fs.inotify.max_user_watches (sysctl)"
    if isinstance(error, OSError) and error.errno == errno.EMFILE:
        return "all watchers are in use; raise fs.inotify.max_user_instances (sysctl)"
    return str(error)


def foreign_file_system(folder: str, mounts: str | None = None) -> str:
    """The type of a file system that may change without the kernel of this machine; else "".

    Network disks are such, and folders that a virtual machine or a program provides. Those mounted
    inside ``folder`` count, too.

    Args:
        folder: An absolute path without links.
        mounts: The text of ``/proc/self/mountinfo``; None: that of this process. Where there is
            none, the result is "unknown".
    """
    own, inside = ("", "unknown"), []
    for line in mounts_of(folder, mounts):
        point, kind = _point(line), line.partition(" - ")[2].split(" ", 1)[0]
        if _is_in(point, folder) and point != folder:
            inside.append(kind)
        elif len(point) >= len(own[0]):  # the later one hides the other
            own = point, kind
    return next((kind for kind in (own[1], *inside) if kind not in _LOCAL), "")


def mounts_of(folder: str, mounts: str | None = None) -> tuple[str, ...]:
    """The lines on what is mounted at, above and inside a folder; see `foreign_file_system`."""
    if mounts is None:
        try:
            mounts = _MOUNTS.read_text("utf-8", "surrogateescape")
        except OSError:
            return ()
    placed = ((line, _point(line)) for line in mounts.splitlines())
    return tuple(line for line, point in placed if _is_in(point, folder) or _is_in(folder, point))


def _point(line: str) -> str:
    """Where something is mounted."""
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), line.split(" ", 5)[4])


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))  # noqa: PTH118 - text


def watched_folders(root: Path, files: Iterable[str]) -> set[str]:
    """The folders that are not ignored, empty ones included, "" being ``root``.

    No symlink is followed. Build folders are included only when files of the project are in them.

    Args:
        root: The project's folder.
        files: The project's files as far as they are known.
    """
    ignored, used = ignored_folders(root), parents(files)
    if ignored is None:
        entered: list[str] = []
        for _ in walked_files(str(root), {}, entered):
            pass
    else:
        entered = _walked(str(root), ignored, used)
    return {*entered, *used}


def parents(files: Iterable[str]) -> set[str]:
    """The folders that contain files, without the root."""
    found: set[str] = set()
    for path in files:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def _walked(top: str, ignored: Collection[str], used: Collection[str]) -> list[str]:
    found: list[str] = []
    pending = [""]
    while pending:
        folder = pending.pop()
        prefix = f"{folder}/" if folder else ""
        try:
            with os.scandir(f"{top}/{folder}") as entries:
                names = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        found.append(folder)
        paths = [prefix + name for name in names if name not in NEVER]
        wanted = (path for path in paths if path in used or _is_usual(path))
        pending += [path for path in wanted if path not in ignored]
    return found


def _is_usual(folder: str) -> bool:
    return folder.rpartition("/")[2] not in USUALLY_NOT
