"""A worker process: ``python -m ipuaro_jupyter.index.storage.worker``.

It reads calls from standard input, writes results to standard output and ends when its input ends,
so that no worker outlives its parent, however that dies. Unlike the standard library's pools, it
does not import the caller's main module, and it loads little before the first call.

A message is a little-endian u32 with its length, then MessagePack. A call is ``[module, function,
[arguments]]``; a result is ``[true, value]`` or ``[false, "what happened"]``.
"""

import gc
import importlib
import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from typing import Any, BinaryIO

import msgspec

_LENGTH = struct.Struct("<I")
_MOST_BYTES = 1024**3


def send(pipe: Any, message: bytes) -> None:
    """Send a message."""
    pipe.write(_LENGTH.pack(len(message)))
    pipe.write(message)
    pipe.flush()


def receive(pipe: Any) -> bytes | None:
    """The next message; None when the other side has closed."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    message: bytes = pipe.read(length)
    return message if len(message) == length else None


def main() -> None:
    """Serve calls until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    calls: BinaryIO = sys.stdin.buffer
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # reserved for our messages
        gc.disable()  # parsing a file makes no reference cycles
        while (message := receive(calls)) is not None:
            send(answers, msgspec.msgpack.encode(_answer(message)))
            gc.collect(0)  # but an exception may have made some


def _limit_memory() -> None:
    """Set a memory limit: some texts make a parser take gigabytes."""
    with suppress(OSError, ValueError):  # the limit is lower already, or unsupported here
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))


def _answer(message: bytes) -> list[Any]:
    module, function, arguments = msgspec.msgpack.decode(message)
    try:
        return [True, getattr(importlib.import_module(module), function)(*arguments)]
    except Exception as error:  # noqa: BLE001 - it is raised again where the call came from
        return [False, f"{type(error).__name__}: {error}"]


if __name__ == "__main__":
    main()
