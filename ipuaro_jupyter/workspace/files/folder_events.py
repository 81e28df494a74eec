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
from collections.abc import Collection, Generator, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from watchfiles import Change

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
        self._told: Generator[set[tuple[Change, str]], None, None] | None = None
        self._poll_ms = poll_ms
        self._debounce_ms = debounce_ms
        self._seen: set[str] = set()
        self._woken = threading.Event()

    def cover(self, folders: Collection[str]) -> set[str]:
        """Watch these folders and no others; meanwhile, events are lost."""
        from watchfiles import watch  # noqa: PLC0415 - loads asyncio

        self.close()
        self._told = watch(
            *folders,
            watch_filter=None,
            debounce=self._debounce_ms,
            step=_STEP_MS,
            rust_timeout=_STEP_MS,
            yield_on_timeout=True,
            force_polling=False,
            poll_delay_ms=self._poll_ms,
            recursive=False,
            ignore_permission_denied=True,
        )
        self._look(self._told)  # it begins with the first look
        return set(folders)

    def wait(self, timeout_ms: int) -> None:
        """Wait until something happens, and for what comes within the debounce time."""
        until_s = time.monotonic() + timeout_ms / 1000
        while self._told is not None and not self._woken.is_set() and time.monotonic() < until_s:
            if self._look(self._told):
                return

    def _look(self, told: "Iterator[set[tuple[Change, str]]]") -> bool:
        """Look for a moment; whether something has happened."""
        paths = {path for _, path in next(told, ())}
        self._seen |= paths
        return bool(paths)

    def read(self) -> Events:
        """What was told by the last `wait`."""
        seen, self._seen = self._seen, set()
        return Events(seen)

    def wake(self) -> None:
        """End a wait, now or to come."""
        self._woken.set()

    def close(self) -> None:
        """Watch no longer."""
        if self._told is not None:
            self._told.close()
            self._told = None
