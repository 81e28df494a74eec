"""The embedded server: one per user, shared by all kernels, started if need be.

It listens on a unix socket in a private folder and on no TCP port, writes an append-only file that
is synced every second, and runs in a session of its own, so that neither Jupyter's interrupt nor a
kernel's end reaches it. A keeper stops it once nobody needs it.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.binary import Binary, find_binary
from ipuaro_jupyter.store.damaged_data import DamagedData, cause
from ipuaro_jupyter.store.data_folder import DataFolder
from ipuaro_jupyter.store.user_folders import home, private_folder, socket_for
from ipuaro_jupyter.store.wire import Refused, Wire

_ANSWER_S = 10.0
_LOADING_S = 120.0
_STEP_S = 0.01
_LOG_BYTES = 1_000_000


def stop() -> None:
    """Stop this user's servers and their keepers, even if they are in use.

    Does nothing when there are none. The next command of an open store starts one again.

    Raises:
        StorageError: One of them does not stop.
    """
    for path in sorted((home() / "store").glob("*/")):
        _stop(DataFolder(path))


class EmbeddedServer:
    """The server of this user.

    Attributes:
        losses: Sentences on damaged data that a server started from here left out.

    Args:
        keeper_idle_s: Seconds without clients after which the keeper stops it. Applies to a keeper
            that is started from here; a running one keeps its own setting.
        max_memory_mb: The most memory that its data may take; None is no limit. Applies to a
            running server, too.

    Raises:
        StorageError: No server program, or no private folder for its data.
    """

    def __init__(self, *, keeper_idle_s: float, max_memory_mb: int | None = None) -> None:
        self._binary: Binary = find_binary()
        in_mb = f"{max_memory_mb}m"  # 10^6 bytes each; "mb" is 2^20
        self._max_memory = "0" if max_memory_mb is None else in_mb
        self._keeper_idle_s = keeper_idle_s
        self.losses: list[str] = []
        root = private_folder(home() / "store")
        self.data = DataFolder(private_folder(root / self._binary.data_name))

    @contextmanager
    def running(self) -> Iterator[Path]:
        """Keep the server running within the block; yields its socket.

        The keeper notices a client that connects within the block.

        Raises:
            StorageError: It cannot be started or does not respond.
        """
        private_folder(self.data.path)  # again: it may have been deleted
        with self.data.changing():
            try:
                socket = self._running_socket()
                self._ensure_keeper()
            except OSError as error:
                raise self._fault(f"could not be started: {error}") from error
            yield socket

    def stop(self) -> None:
        """Stop this server and its keeper, as the function `stop` does for all.

        Raises:
            StorageError: It does not stop.
        """
        _stop(self.data)

    def _running_socket(self) -> Path:
        asked = time.monotonic()
        while True:
            answer = self.data.ping()
            socket = self.data.socket
            if answer == "PONG" and socket is not None:
                self._limit(socket)
                return socket
            sign_of_life = self.data.claim_server()
            if sign_of_life is not None:
                try:
                    self._start(sign_of_life)
                finally:
                    os.close(sign_of_life)
                asked = time.monotonic()
            waited = time.monotonic() - asked
            if waited > (_LOADING_S if answer.startswith("LOADING") else _ANSWER_S):
                raise self._fault(f"runs but does not answer ({answer}){self.data.kill_hint}")
            time.sleep(_STEP_S)

    def _limit(self, socket: Path) -> None:
        """Set the most memory, which may have been another one when the server was started."""
        try:
            with Wire(socket) as wire:
                wire.ask(f"CONFIG SET maxmemory {self._max_memory}")
        except Refused as error:
            raise self._fault(f"cannot be limited to {self._max_memory}: {error}") from error

    def _start(self, sign_of_life: int) -> None:
        """Start the process, and wait until it has loaded its data; what is damaged is set aside.

        If it does not start without that either, nothing is set aside.
        """
        socket = socket_for(self.data.path)
        if self.data.log.exists() and self.data.log.stat().st_size > _LOG_BYTES:
            self.data.log.replace(self.data.log.with_suffix(".log.1"))
        damaged = DamagedData(self.data.path, self._binary.path)
        trouble, words = "was damaged", ""
        if damaged.is_unlisted:
            trouble = "lost its list of files (the AOF manifest)"
        elif not (words := self._launch(socket, sign_of_life)):
            return
        elif not damaged.is_meant(words):
            raise self._fault(f"ended at once: {words}")
        loss = ""
        try:
            for loss in damaged.attempts(trouble):
                last_words = self._launch(socket, sign_of_life)
                if not last_words:
                    self.losses.append(loss)
                    return
                words = words or last_words
        except StorageError as error:  # a server runs on what was left
            raise StorageError(f"{error}. {loss}") from error
        except OSError:
            damaged.undo()
            raise
        damaged.undo()
        raise self._fault(f"ended at once: {words}")

    def _launch(self, socket: Path, sign_of_life: int) -> str:
        """Start the process and wait until it responds; its last words when it ended before."""
        socket.unlink(missing_ok=True)
        self.data.record_socket(socket)
        said = self.data.log.stat().st_size if self.data.log.exists() else 0
        process = self._spawn(
            [str(self._binary.path), *self._options(socket)], self.data.log, sign_of_life
        )
        began_s = time.monotonic()
        while (answer := self.data.ping()) != "PONG":
            if process.returncode is not None:
                return self._last_words(said)
            waited_s = time.monotonic() - began_s
            if waited_s > (_LOADING_S if answer.startswith("LOADING") else _ANSWER_S):
                raise self._fault(f"was started but does not answer{self.data.kill_hint}")
            time.sleep(_STEP_S)
        return ""

    def _options(self, socket: Path) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(socket),
            "unixsocketperm": "700",
            "dir": str(self.data.path),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "aof-load-truncated": "no",  # it would cut off a damaged end without a word
            "save": "",
            "daemonize": "no",
            "pidfile": str(self.data.pid),
            "logfile": str(self.data.log),
        }
        return [word for name, value in options.items() for word in (f"--{name}", value)]

    def _ensure_keeper(self) -> None:
        sign_of_life = self.data.claim_keeper()
        if sign_of_life is None:
            return
        # -P: a socket.py in the current folder must not take the place of Python's
        program = [sys.executable, "-P", "-m", "ipuaro_jupyter.store.keeper"]
        arguments = [str(self.data.path), str(self._keeper_idle_s), str(sign_of_life)]
        try:
            self._spawn([*program, *arguments], self.data.keeper_log, sign_of_life)
        finally:
            os.close(sign_of_life)

    def _spawn(self, argv: list[str], log: Path, inherited: int) -> subprocess.Popen[bytes]:
        with log.open("ab") as output:
            process = subprocess.Popen(  # noqa: S603 - our own programs, no shell
                argv,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self.data.path,
                env={**os.environ, "LC_ALL": "C"},
                start_new_session=True,
                pass_fds=(inherited,),
                umask=0o077,
            )
        threading.Thread(target=process.wait, daemon=True, name="ipuaro-reaper").start()
        return process

    def _last_words(self, start: int) -> str:
        """Why a server has ended, by its log from this place on."""
        with self.data.log.open("rb") as log:
            log.seek(start)
            return cause(log.read().decode("utf-8", "replace"))

    def _fault(self, what: str) -> StorageError:
        return StorageError(
            f"the embedded Redis server ({self._binary.flavour} {self._binary.version}) on "
            f"{str(self.data.path)!r} {what}. Its log is {str(self.data.log)!r}. Its data is "
            "kept: to begin without it, move that folder away; to use another server, set "
            "redis.url"
        )


def _stop(data: DataFolder) -> None:
    with data.changing():
        stopped = data.stop_server(only_unused=False)
    if not (stopped and data.wait_for_keeper()):
        raise StorageError(
            f"the embedded Redis server on {str(data.path)!r} does not stop{data.kill_hint}"
        )
