"""What an engine does: it checks that its parser is ours, then parses a batch.

A message is MessagePack both ways, so that engine and kernel need no class in common: ``[format,
files]``, answered by ``[true, seconds, batches]``, or by ``[false, version, format, host]`` when
the engine would make another index. The batches are those of `parse_batch`.
"""

import socket
import threading
import time
from typing import Any

import msgspec

from ipuaro_jupyter.alarms import ALARMS, Alarm
from ipuaro_jupyter.index.extract.batches import NumberedFile, parse_batch_or_die
from ipuaro_jupyter.index.storage.index_format import index_format
from ipuaro_jupyter.index.storage.workers import ParseExecutor
from ipuaro_jupyter.version import __version__

_TIMEOUT_S = 15.0
_IDLE_S = 60.0


class EngineTask:
    """Parses a batch in a worker process of the engine: a text may kill its parser, or hang it.

    A batch that does is not tried again here, but where it came from. An instance without state is
    sent, rather than a function: it is pickled by its name, so that the engine runs its own code.
    """

    def __call__(self, message: bytes) -> bytes:
        """The answer to a message.

        Raises:
            WorkerError: The worker died or took too long.
        """
        expected, files = msgspec.msgpack.decode(message)
        mine = index_format()
        if mine != expected:
            return msgspec.msgpack.encode([False, __version__, mine, socket.gethostname()])
        seconds, batches = _WORKERS.run(files)
        return msgspec.msgpack.encode([True, seconds, batches, socket.gethostname()])


def timed_batch(files: list[NumberedFile]) -> tuple[float, list[bytes]]:
    """The seconds of CPU time that `parse_batch` took, and its result."""
    began = time.process_time()
    batches = parse_batch_or_die(files) if files else []
    return time.process_time() - began, batches


class _KeptWorkers:
    """Worker processes that end when no batch has come for a minute."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._executor: ParseExecutor | None = None
        self._alarm: Alarm | None = None
        self._running = 0

    def run(self, files: list[NumberedFile]) -> tuple[float, list[bytes]]:
        """The result of `timed_batch`, run in a worker."""
        with self._lock:
            if self._alarm is not None:
                ALARMS.cancel(self._alarm)
                self._alarm = None
            if self._executor is None:
                self._executor = ParseExecutor(timeout_s=_TIMEOUT_S)
            executor = self._executor
            self._running += 1
        try:
            seconds, batches = executor.submit(timed_batch, files).result()
        finally:
            with self._lock:
                self._running -= 1
                if not self._running:
                    self._alarm = ALARMS.set(_IDLE_S, self._end)
        return seconds, batches

    def _end(self, alarm: Alarm) -> None:
        with self._lock:
            if alarm is not self._alarm:  # a batch has come since
                return
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=False)


_WORKERS = _KeptWorkers()


def message_of(files: list[NumberedFile]) -> bytes:
    """The message that has an engine parse some files; none: that has it check and get ready."""
    return msgspec.msgpack.encode([index_format(), files])


class Parsed(msgspec.Struct, frozen=True):
    """A batch that an engine has parsed.

    Attributes:
        seconds: The CPU time that it took.
        batches: As from `parse_batch`.
        host: The engine's machine.
    """

    seconds: float
    batches: list[bytes]
    host: str


class EngineRefusedError(RuntimeError):
    """An engine would make another index; the message says why."""


def answer_of(message: Any) -> Parsed:
    """What an engine has answered.

    Raises:
        EngineRefusedError: The engine has another parser, or answered something else.
    """
    try:
        is_parsed, *rest = msgspec.msgpack.decode(message)
        if is_parsed:
            return Parsed(*rest)
        version, found, host = rest
    except (TypeError, ValueError, msgspec.MsgspecError):
        raise EngineRefusedError("its answer cannot be read") from None
    if version != __version__:
        told = f"has ipuaro-jupyter {version}, and here it is {__version__}"
    else:
        told = (
            f"has other code, languages or grammars of ipuaro-jupyter {version} (index format "
            f"{found[:8]}, here {index_format()[:8]})"
        )
    raise EngineRefusedError(f"{told}: install the same there (on {host})")
