"""The folder of one embedded server's data, and the state of that server."""

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
    """The files in the folder, and the server they belong to. Kept free of heavy imports.

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
            StorageError: Another process has held the lock for minutes.
        """
        with locked(self._change_lock, wait_s=_LOCK_S):
            yield

    @property
    def socket(self) -> Path | None:
        """The path on which the server was last told to listen.

        None before the first start, and when others could have placed a socket there.
        """
        try:
            path = Path(self._socket_record.read_text("utf-8"))
        except FileNotFoundError:
            return None
        return path if is_private(path.parent) else None

    def record_socket(self, path: Path) -> None:
        """Record the path on which the server is about to listen."""
        staged = self._socket_record.with_suffix(".new")
        staged.write_text(str(path), "utf-8")
        staged.replace(self._socket_record)

    @property
    def alive(self) -> bool:
        """Whether a server process is alive, responding or not."""
        return is_held(self._server_lock)

    def claim_server(self) -> int | None:
        """A descriptor for the server to inherit as its sign of life; None when one is alive."""
        return grab(self._server_lock)

    def claim_keeper(self) -> int | None:
        """A descriptor for the keeper to inherit; None when a keeper is alive."""
        return grab(self._keeper_lock)

    def is_kept_by(self, keeper: int) -> bool:
        """Whether the folder is still the one in which a keeper's descriptor was claimed.

        False when it was deleted, even if there is a new one in its place.
        """
        try:
            return os.path.samestat(os.fstat(keeper), self._keeper_lock.stat())
        except OSError:
            return False

    def ping(self) -> str:
        """``PONG``, or the reason why that was not the response."""
        path = self.socket
        if path is None:
            return "it has no socket in a private folder"
        try:
            with Wire(path) as wire:
                return wire.ask("PING")
        except (Refused, OSError) as error:
            return str(error)

    def stop_server(self, *, only_unused: bool) -> bool:
        """Stop the server cleanly; call it inside `changing`.

        Args:
            only_unused: Leave it alone when it has clients.

        Returns:
            Whether no server is alive now.
        """
        path = self.socket
        if path is not None and self.alive:
            try:
                with Wire(path) as wire:
                    if only_unused and clients(wire):
                        return False
                    wire.ask("SHUTDOWN NOSAVE")  # skips the snapshot; the AOF is always completed
            except (Refused, OSError):
                pass  # it hung up, as it should; or it does not respond, and then it is still alive
        return _released(self._server_lock)

    def wait_for_keeper(self) -> bool:
        """Wait for the keeper, which ends soon after the server; return whether it has ended.

        Call it outside `changing`, which the keeper enters at its end.
        """
        return _released(self._keeper_lock)

    @property
    def kill_hint(self) -> str:
        """The part of a message that says how to end a server that hangs."""
        try:
            return f"; if it hangs, end it with `kill -9 {self.pid.read_text('utf-8').strip()}`"
        except OSError:
            return ""


def clients(wire: Wire) -> int:
    """The number of the server's clients besides ``wire``."""
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
