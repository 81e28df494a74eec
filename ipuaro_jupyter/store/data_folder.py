"""A folder with the data of one embedded server, and how to reach what runs on it."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ipuaro_jupyter.store.locks import grab, is_held, locked
from ipuaro_jupyter.store.user_folders import is_private
from ipuaro_jupyter.store.wire import Refused, Wire

_STOP_S = 10.0
_STEP_S = 0.02
_LOCK_S = 150.0


class DataFolder:
    """What lies in the folder, and what is seen of its server. Kept free of heavy imports.

    Args:
        path: An existing private folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log = path / "server.log"
        self.keeper_log = path / "keeper.log"
        self.pid = path / "server.pid"
        self._change_lock = path / "change.lock"
        self._server_lock = path / "server.lock"
        self._keeper_lock = path / "keeper.lock"
        self._socket_record = path / "socket"

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Keep every other process from starting and stopping the server during the block.

        Raises:
            StorageError: Another process has been at it for minutes.
        """
        with locked(self._change_lock, wait_s=_LOCK_S):
            yield

    @property
    def socket(self) -> Path | None:
        """Where the server was last told to listen.

        None before the first start, and when others may have put a socket of theirs there.
        """
        try:
            path = Path(self._socket_record.read_text("utf-8"))
        except FileNotFoundError:
            return None
        return path if is_private(path.parent) else None

    def record_socket(self, path: Path) -> None:
        """Note where the server is about to listen."""
        staged = self._socket_record.with_suffix(".new")
        staged.write_text(str(path), "utf-8")
        staged.replace(self._socket_record)

    @property
    def alive(self) -> bool:
        """Whether a server process lives, answering or not."""
        return is_held(self._server_lock)

    def claim_server(self) -> int | None:
        """Return a descriptor for the server to inherit as its sign of life; None: one lives."""
        return grab(self._server_lock)

    def claim_keeper(self) -> int | None:
        """Return a descriptor for the keeper to inherit; None: a keeper lives."""
        return grab(self._keeper_lock)

    def is_kept_by(self, keeper: int) -> bool:
        """Return whether the folder is still the one that a keeper's descriptor was got from.

        False when it was deleted, also when there is a new one in its place.
        """
        try:
            return os.path.samestat(os.fstat(keeper), self._keeper_lock.stat())
        except OSError:
            return False

    def ping(self) -> str:
        """Return ``PONG``, or why there was no such answer."""
        path = self.socket
        if path is None:
            return "it has no socket in a private folder"
        try:
            with Wire(path) as wire:
                return wire.ask("PING")
        except (Refused, OSError) as error:
            return str(error)

    def stop_server(self, *, only_unused: bool) -> bool:
        """Stop the server cleanly; to be called inside `changing`.

        Args:
            only_unused: Leave it alone when it has clients.

        Returns:
            Whether no server lives now.
        """
        path = self.socket
        if path is not None and self.alive:
            try:
                with Wire(path) as wire:
                    if only_unused and clients(wire):
                        return False
                    wire.ask("SHUTDOWN NOSAVE")  # of the snapshot; the AOF is always completed
            except (Refused, OSError):
                pass  # hung up, as it should; or it does not answer, and then it still lives
        return _released(self._server_lock)

    def wait_for_keeper(self) -> bool:
        """Return whether the keeper has ended, as it does soon after the server.

        To be called outside `changing`, which the keeper enters at its end.
        """
        return _released(self._keeper_lock)

    @property
    def kill_hint(self) -> str:
        """What to add to a message about a server that hangs."""
        try:
            return f"; if it hangs, end it with `kill -9 {self.pid.read_text('utf-8').strip()}`"
        except OSError:
            return ""


def clients(wire: Wire) -> int:
    """Return how many clients the server has besides ``wire``."""
    own = f"id={wire.ask('CLIENT ID')}"
    lines = wire.ask("CLIENT LIST").splitlines()
    return sum(1 for line in lines if line.partition(" ")[0] != own)


def _released(lock: Path) -> bool:
    deadline = time.monotonic() + _STOP_S
    while is_held(lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(_STEP_S)
    return True
