"""What happens in folders, as the system tells: the only door to inotify and to watchfiles.

On Linux, the event of a change is in the queue before the call that makes the change returns. So
whoever reads the queue knows of every change that was complete by then; nothing is lost without an
event that says so. See inotify(7). Not told are changes through a memory map whose file is closed
already, and through a hard link in a folder that is not watched.
"""

import os
import select
import sys
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from typing import NamedTuple, Protocol

_STEP_MS = 10
_MODIFY, _ATTRIB, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO = 0x2, 0x4, 0x8, 0x40, 0x80
_CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0x100, 0x200, 0x400, 0x800
_UNMOUNT, _IGNORED = 0x2000, 0x8000
_ONLY_FOLDERS, _NO_LINKS = 0x1000000, 0x2000000
_CHANGES = (
    *(_MODIFY, _ATTRIB, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO),
    *(_CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF, _ONLY_FOLDERS, _NO_LINKS),
)
_MASK = sum(_CHANGES)
_REPLACED = _DELETE_SELF | _MOVE_SELF | _UNMOUNT | _IGNORED
_WAKES = 1000


class Events(NamedTuple):
    """What was seen.

    Attributes:
        paths: What has changed, absolute.
        is_lost: There were other changes that are not known.
        is_outdated: A folder has moved or gone, so that another may be in its place.
    """

    paths: set[str]
    is_lost: bool = False
    is_outdated: bool = False


class FolderEvents(Protocol):
    """The events in some folders, without those in folders inside them.

    Attributes:
        is_complete: Whether `read` tells every change that was made before it is called.
    """

    is_complete: bool

    def cover(self, folders: Collection[str]) -> set[str]:
        """Watch these folders, absolute, and no others; return those that it could.

        Raises:
            OSError: The system does not allow it.
            RuntimeError: The library does not.
        """

    def wait(self, timeout_ms: int) -> None:
        """Wait until something happens, or `wake` is called."""

    def read(self) -> Events:
        """What has happened since the last call; for one thread at a time."""

    def wake(self) -> None:
        """End a wait, now or to come."""

    def close(self) -> None:
        """Watch no longer."""


def folder_events(poll_ms: int, debounce_ms: int) -> FolderEvents:
    """The events of this system; both times are for those that watchfiles tells."""
    if sys.platform == "linux":
        return InotifyEvents()
    return NotifyEvents(poll_ms, debounce_ms)  # pragma: no cover - tested by itself


class InotifyEvents:
    """The events of Linux."""

    is_complete = True

    def __init__(self) -> None:
        from inotify_simple import INotify  # noqa: PLC0415 - on Linux only

        self._inotify = INotify(nonblocking=True)
        self._folders: dict[int, str] = {}
        self._wake_reader, self._wake_writer = os.pipe()
        self._poll = select.poll()
        self._poll.register(self._inotify.fileno(), select.POLLIN)
        self._poll.register(self._wake_reader, select.POLLIN)

    def cover(self, folders: Collection[str]) -> set[str]:
        """Watch these folders and no others; one that is watched already loses no event."""
        covered: dict[int, str] = {}
        for folder in folders:
            with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
                number = self._inotify.add_watch(folder, _MASK)
                covered[number] = self._folders[number] = folder
        for number in self._folders.keys() - covered.keys():
            del self._folders[number]
            with suppress(OSError):  # the folder has gone
                self._inotify.rm_watch(number)
        return set(covered.values())

    def wait(self, timeout_ms: int) -> None:
        """Wait until something happens, and a moment for what comes with it."""
        found = self._poll.poll(timeout_ms)
        if any(descriptor == self._wake_reader for descriptor, _ in found):
            os.read(self._wake_reader, _WAKES)
        elif found:
            time.sleep(_STEP_MS / 1000)

    def read(self) -> Events:
        """Everything that has happened since the last call."""
        paths: set[str] = set()
        is_lost = is_outdated = False
        for number, mask, _, name in self._inotify.read(0):
            folder = self._folders.get(number)
            if folder is None:  # an overflow has none; or watched only just now, or no more
                is_lost |= not mask & _IGNORED
                continue
            is_outdated |= bool(mask & _REPLACED)
            paths.add(f"{folder}/{name}" if name else folder)
        return Events(paths, is_lost, is_outdated)

    def wake(self) -> None:
        """End a wait, now or to come."""
        os.write(self._wake_writer, b"x")

    def close(self) -> None:
        """Watch no longer."""
        self._inotify.close()
        os.close(self._wake_reader)
        os.close(self._wake_writer)


class NotifyEvents:
    """The events of other systems, which come some time after the change.

    Args:
        poll_ms: The pause between looks where the library has to poll.
        debounce_ms: Changes within this time are told together.
    """

    is_complete = False

    def __init__(self, poll_ms: int, debounce_ms: int) -> None:
        from watchfiles._rust_notify import RustNotify  # noqa: PLC0415 - watchfiles loads asyncio

        self._notify: RustNotify | None = None
        self._poll_ms = poll_ms
        self._debounce_ms = debounce_ms
        self._seen: set[str] = set()
        self._woken = threading.Event()

    def cover(self, folders: Collection[str]) -> set[str]:
        """Watch these folders and no others; meanwhile, events are lost."""
        from watchfiles._rust_notify import RustNotify  # noqa: PLC0415

        self.close()
        self._notify = RustNotify([*folders], False, False, self._poll_ms, False, True)  # noqa: FBT003 - its signature
        return set(folders)

    def wait(self, timeout_ms: int) -> None:
        """Wait until something happens, and for what comes within the debounce time."""
        if self._notify is not None:
            raw = self._notify.watch(self._debounce_ms, _STEP_MS, timeout_ms, self._woken)
            if isinstance(raw, set):
                self._seen |= {path for _, path in raw}

    def read(self) -> Events:
        """What was told by the last `wait`."""
        seen, self._seen = self._seen, set()
        return Events(seen)

    def wake(self) -> None:
        """End a wait, now or to come."""
        self._woken.set()

    def close(self) -> None:
        """Watch no longer."""
        if self._notify is not None:
            self._notify.close()
            self._notify = None
