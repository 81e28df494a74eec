"""The server of one model and one user: found, or started if need be."""

import hashlib
import os
import secrets
import subprocess
import sys
import threading
import time
import weakref
from contextlib import suppress
from pathlib import Path

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError, StorageError
from ipuaro_jupyter.llm.local.server_folder import Running, ServerFolder
from ipuaro_jupyter.llm.local.server_process import Orders
from ipuaro_jupyter.store.locks import grab
from ipuaro_jupyter.store.user_folders import home, private_folder

_STEP_S = 0.05
_LOG_BYTES = 1_000_000
_PATIENT = {"OMP_WAIT_POLICY": "PASSIVE"}
"""Threads that wait for others sleep: on a busy machine, spinning is ten times slower."""


class OwnServer:
    """The process that runs a file of weights, shared by all kernels of this user.

    Nothing is started before it is asked for.

    Args:
        weights: The file.
        idle_s: Seconds without clients after which it ends. Applies to a process that is started
            from here; a running one keeps its own setting.
        unused_s: Seconds without questions after which it ends, although there are clients;
            negative means never.
        load_s: How long it may take until it is ready.
    """

    def __init__(self, weights: Path, *, idle_s: float, unused_s: float, load_s: float) -> None:
        self._weights = weights
        self._idle_s = idle_s
        self._unused_s = unused_s
        self._load_s = load_s
        self._presence: list[int] = []
        weakref.finalize(self, _close, self._presence)

    @property
    def folder(self) -> ServerFolder:
        """What is known of the process; its folder is made if need be.

        Raises:
            ModelError: It cannot be made.
        """
        return ServerFolder(_private("runtime", _digest(self._weights)))

    @property
    def heads(self) -> Path:
        """The folder for what is kept of prompts, made if need be.

        Raises:
            ModelError: It cannot be made.
        """
        return _private("cache", "heads", _digest(self._weights))

    def running(self, window: int, cancel: CancelToken) -> Running:
        """The server, ready; it is started unless it runs with a window that is large enough.

        Args:
            window: The tokens that are wanted. A server with fewer goes on as long as others use
                it.
            cancel: Ends the waiting; the model is loaded all the same.

        Raises:
            Cancelled: The token was set.
            ModelError: It does not start; the message says why.
        """
        folder = self.folder
        deadline = time.monotonic() + self._load_s
        started: subprocess.Popen[bytes] | None = None
        try:
            while True:
                with folder.changing(cancel.check):
                    self._attend(folder)
                    if folder.alive:
                        if (running := folder.running) is not None:
                            if running.window >= window or self._is_shared(folder):
                                return running
                            folder.end()
                    elif started is not None:
                        raise self._not_started(folder, started.wait(_STEP_S * 20))
                    else:
                        started = self._start(folder, window)
                self._wait(cancel, deadline, folder)
        except OSError as error:
            raise ModelError(
                f"The process for {self._weights.name} could not be started: {error}. Its folder "
                f"is {str(folder.path)!r}."
            ) from error

    def smaller_window(self, window: int, cancel: CancelToken) -> int | None:
        """The window of the server if it is smaller than ``window`` and others use it; else None.

        Raises:
            Cancelled: The token was set.
            ModelError: The server's folder cannot be made.
        """
        folder = self.folder
        running = folder.running
        if running is None or running.window >= window:
            return None
        with suppress(OSError), folder.changing(cancel.check):
            was_here = bool(self._presence)
            is_shared = self._is_shared(folder)
            if not was_here:
                self.leave()
            return running.window if is_shared else None
        return None

    def leave(self) -> None:
        """Do not use it any more; it ends when nobody else does."""
        _close(self._presence)

    def ended(self) -> ModelError:
        """The error to raise when it went away in the middle of an answer."""
        return ModelError(
            f"The process that runs {self._weights.name} has ended. Ask again: it is started "
            "again. If it happens again, it may be out of memory: use a smaller model or a smaller "
            f"llm.contextWindow. Its log is {str(self.folder.log)!r}."
        )

    def _attend(self, folder: ServerFolder) -> None:
        if not self._presence:
            self._presence.append(folder.attend())

    def _is_shared(self, folder: ServerFolder) -> bool:
        """Whether others use it; call it inside `changing`."""
        self.leave()
        shared = folder.attended
        self._attend(folder)
        return shared

    def _wait(self, cancel: CancelToken, deadline: float, folder: ServerFolder) -> None:
        cancel.wait(_STEP_S)
        cancel.check()
        if time.monotonic() > deadline:
            raise ModelError(
                f"{self._weights.name} was not loaded within {self._load_s:.0f} s: ask again, "
                "use a smaller model, or raise llm.loadTimeout. The log is "
                f"{str(folder.log)!r}."
            )

    def _start(self, folder: ServerFolder, window: int) -> "subprocess.Popen[bytes] | None":
        """Start the process; None when another one is just about to end."""
        sign_of_life = grab(folder.server_lock)
        if sign_of_life is None:
            return None
        try:
            folder.begin(secrets.token_urlsafe(32))
            orders = Orders(
                folder=str(folder.path),
                weights=str(self._weights.resolve()),
                heads=str(self.heads),
                window=window,
                idle_s=self._idle_s,
                unused_s=self._unused_s,
                sign_of_life=sign_of_life,
            )
            process = _spawn(orders, folder.log)
            folder.say_started(process.pid)
            return process
        finally:
            os.close(sign_of_life)

    def _not_started(self, folder: ServerFolder, code: int) -> ModelError:
        if said := folder.failure:
            text = f"{self._weights.name} cannot be loaded: {said}"
            return ModelError(said if said.startswith(self._weights.name) else text)
        return ModelError(
            f"The process that loads {self._weights.name} ended at once ({_ending(code)}). It may "
            "be out of memory: use a smaller model or a smaller llm.contextWindow. Its log is "
            f"{str(folder.log)!r}."
        )


def computing_lock() -> Path:
    """The file that is locked while a model of this user reads or writes.

    Raises:
        ModelError: Its folder cannot be made.
    """
    return _private("runtime").with_name("computing.lock")


def stop() -> None:
    """End this user's model processes, even if they are in use. Does nothing without any.

    Raises:
        ModelError: One of them does not end.
    """
    for path in sorted((home() / "runtime").glob("*/")):
        folder = ServerFolder(path)
        with folder.changing():
            if not folder.end():
                raise ModelError(f"Process {folder.pid} does not end: end it with `kill -9`.")


def _spawn(orders: Orders, log: Path) -> "subprocess.Popen[bytes]":
    if log.exists() and log.stat().st_size > _LOG_BYTES:
        log.replace(log.with_suffix(".log.1"))
    # -P: a json.py in the current folder must not take the place of Python's
    program = [sys.executable, "-P", "-m", "ipuaro_jupyter.llm.local.server_process"]
    with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as output:
        process = subprocess.Popen(  # noqa: S603 - our own program, no shell
            [*program, *orders.arguments()],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=orders.folder,
            env={**_PATIENT, **os.environ},
            start_new_session=True,
            pass_fds=(orders.sign_of_life,),
            umask=0o077,
        )
    threading.Thread(target=process.wait, daemon=True, name="ipuaro-reaper").start()
    return process


def _digest(weights: Path) -> str:
    return hashlib.sha256(os.fsencode(os.path.realpath(weights))).hexdigest()[:16]


def _private(*names: str) -> Path:
    folder = home()
    try:
        for name in names:
            folder = private_folder(folder / name)
    except StorageError as error:
        raise ModelError(
            f"{str(folder / names[-1])!r} has to be a folder that only you can enter: remove what "
            "is there, or set IPUARO_HOME to a folder that you can write."
        ) from error
    return folder


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"code {code}"


def _close(descriptors: list[int]) -> None:
    while descriptors:
        os.close(descriptors.pop())
