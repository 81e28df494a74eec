"""Watch a project's files: the only door to watchfiles.

The folders are watched one by one: `watchfiles` would also watch ignored ones, and follow symlinks.
Events are collected immediately and can be taken at any time; the callback is only called once no
more events come.
"""

import os
import stat
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.workspace.files.atomic_writes import TEMPORARY
from ipuaro_jupyter.workspace.files.watched_folders import watched_folders

_STEP_MS = 10
_IDLE_MS = 1000
_LONGEST_BURST_S = 2.0
_MANY_PATHS = 2000
_TRIES = 3
_RETRY_S = 0.5
_JOIN_S = 5.0


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
    """The changes seen, relative to the root; ``everything``: unknown others are possible."""

    paths: frozenset[str] = frozenset()
    everything: bool = False

    def __bool__(self) -> bool:
        return self.everything or bool(self.paths)


class Watch:
    """Watches in a thread of its own.

    Attributes:
        is_ready: Whether changes are seen; only once all folders are watched.
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
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self._everything = False
        self._folders: dict[str, int] = {}  # with their inode numbers
        self._others: set[str] = set()
        self._is_outdated = False
        self._began_s = self._last_s = 0.0
        self._thread = threading.Thread(target=self._run, name="ipuaro-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(_JOIN_S)

    @property
    def folders(self) -> frozenset[str]:
        """The watched folders, relative to the project; "" is the project's own."""
        return frozenset(self._folders)

    def take(self) -> WatchedChanges:
        """The changes seen since the last call."""
        with self._lock:
            seen = WatchedChanges(frozenset(self._paths), self._everything)
            self._paths, self._everything = set(), False
            return seen

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

    def _watch_on(self) -> None:
        """Watch until that is no longer possible; record the reason."""
        for _ in range(_TRIES):
            try:
                while self._watch():
                    pass
            except (OSError, RuntimeError, StorageError) as error:  # the second is the library's
                self.is_ready = False
                self.problem = f"The files are compared now and then, not watched: {error}"
                if self._stop.wait(_RETRY_S):
                    return
            else:
                return

    def _watch(self) -> bool:
        """Watch the existing folders; return whether there are others by now."""
        from watchfiles._rust_notify import RustNotify  # noqa: PLC0415 - watchfiles loads asyncio

        self._is_outdated = False
        found = watched_folders(Path(self._root), self._files())
        known = {folder: self._inode(folder) for folder in found}
        self._folders = {folder: inode for folder, inode in known.items() if inode is not None}
        if "" not in self._folders:
            raise FileNotFoundError(f"{self._root!r} has gone")
        paths = [f"{self._root}/{folder}" if folder else self._root for folder in self._folders]
        how = self._settings
        with RustNotify(paths, False, False, how.poll_ms, False, True) as notify:  # noqa: FBT003 - its signature
            with self._lock:
                self._everything = True  # whatever was seen before
            self.is_ready, self.problem = True, ""
            while not self._stop.is_set():
                raw = notify.watch(how.debounce_ms, _STEP_MS, self._patience_ms, self._stop)
                if isinstance(raw, set):
                    self._note(raw)
                elif raw != "timeout":
                    return False
                if self._is_outdated:
                    return True
                if self._is_quiet():
                    self._began_s = 0.0
                    if not self._changed():
                        self._last_s = time.monotonic() + _IDLE_MS / 1000
        return False

    def _poll(self) -> None:
        """Request a comparison of everything now and then, while the folder exists.

        The library's own polling would miss a second change within one second.
        """
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

    def _note(self, raw: set[tuple[int, str]]) -> None:
        start = len(self._root) + 1
        paths = {path[start:] for _, path in raw}
        if "" in paths and self._inode("") is None:
            self._is_outdated = True
        named = {path for path in paths if not _is_ours(path)}
        if not named:
            return
        self._last_s = time.monotonic()
        self._began_s = self._began_s or self._last_s
        for path in named:
            self._note_folder(path)
        with self._lock:
            self._paths |= named
            if len(self._paths) > _MANY_PATHS:  # events may have been lost
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
