"""The folder of one server of ours, and the state of that server. Kept free of heavy imports.

The locks are those of the store: a process shows that it is alive by a lock that it inherits, and
clients show that they are by one that they share. However a process dies, its locks go with it.
"""

import fcntl
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.store.locks import held, is_held

_STEP_S = 0.02
_STOP_S = 5.0


class Running(NamedTuple):
    """A server that is ready.

    Attributes:
        address: Such as "http://127.0.0.1:41234".
        key: What it wants from whoever asks; it differs with each start.
        window: The tokens that prompt and reply may take together.
        pid: Its process.
    """

    address: str
    key: str
    window: int
    pid: int


class ServerFolder:
    """The files in the folder, and the server they belong to.

    Args:
        path: An existing private folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log = path / "server.log"
        self.server_lock = path / "server.lock"
        self._change_lock = path / "change.lock"
        self._clients_lock = path / "clients.lock"
        self._key = path / "key"
        self._ready = path / "ready.json"
        self._pid = path / "pid"
        self._failure = path / "failure"
        self._used = path / "used"
        self._head = path / "head"

    @contextmanager
    def changing(self, check: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Keep every other process from starting and stopping the server during the block.

        Args:
            check: Called while this waits; what it raises ends the waiting.

        Raises:
            OSError: The folder cannot be written.
        """
        with held(self._change_lock, meanwhile=check):
            yield

    @property
    def alive(self) -> bool:
        """Whether a server process is alive, ready or not."""
        return is_held(self.server_lock)

    @property
    def running(self) -> Running | None:
        """The server; None when it does not run or still loads the model."""
        try:
            ready = json.loads(self._ready.read_text("utf-8"))
            found = Running(ready["address"], self.key, ready["window"], ready["pid"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return found if self.alive else None

    @property
    def pid(self) -> int | None:
        """The process of the server, even while it loads the model; None when there is none."""
        try:
            return int(self._pid.read_text("utf-8")) if self.alive else None
        except (OSError, ValueError):
            return None

    @property
    def key(self) -> str:
        """The key of the server that was started last."""
        return self._key.read_text("utf-8")

    @property
    def failure(self) -> str:
        """Why the last server did not become ready; "" when it did not say."""
        try:
            return self._failure.read_text("utf-8")
        except OSError:
            return ""

    def begin(self, key: str) -> None:
        """Forget the last server, before the next one is started; call it inside `changing`."""
        for path in (self._ready, self._pid, self._failure, self._head):
            path.unlink(missing_ok=True)
        self._write(self._key, key)
        self.touch()

    def say_started(self, pid: int) -> None:
        """Record the process that was started."""
        self._write(self._pid, str(pid))

    def say_ready(self, address: str, window: int) -> None:
        """Record that this process is the server, and ready."""
        self._write(
            self._ready, json.dumps({"address": address, "window": window, "pid": os.getpid()})
        )

    def say_failure(self, message: str) -> None:
        """Record why this process cannot be the server."""
        self._write(self._failure, message)

    def touch(self) -> None:
        """Record that the server is used now."""
        with suppress(OSError):
            self._used.touch(mode=0o600)

    def unused_s(self) -> float:
        """The seconds since the server was last used."""
        try:
            return max(0.0, time.time() - self._used.stat().st_mtime)
        except OSError:
            return 0.0

    @property
    def head(self) -> str:
        """The name of the head that the server was asked last; "" when none."""
        try:
            return self._head.read_text("utf-8")
        except OSError:
            return ""

    @head.setter
    def head(self, name: str) -> None:
        with suppress(OSError):
            self._write(self._head, name)

    def attend(self) -> int:
        """A descriptor that shows that a client is here, for as long as it is open.

        Raises:
            OSError: The folder cannot be written.
        """
        descriptor = os.open(self._clients_lock, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        return descriptor

    @property
    def attended(self) -> bool:
        """Whether there are clients."""
        return is_held(self._clients_lock)

    def is_of(self, descriptor: int) -> bool:
        """Whether the folder is still the one in which a server's lock was claimed."""
        try:
            return os.path.samestat(os.fstat(descriptor), self.server_lock.stat())
        except OSError:
            return False

    def end(self) -> bool:
        """End the server; call it inside `changing`. Returns whether none is alive now."""
        for how in (signal.SIGTERM, signal.SIGKILL):
            pid = self.pid
            if pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(pid, how)
            deadline = time.monotonic() + _STOP_S
            while self.alive and time.monotonic() < deadline:
                time.sleep(_STEP_S)
        return not self.alive

    def _write(self, path: Path, text: str) -> None:
        staged = path.with_suffix(f".{os.getpid()}.new")
        descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        staged.replace(path)
