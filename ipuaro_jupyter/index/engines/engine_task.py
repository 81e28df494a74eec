"""What an engine does: it checks that its parser is ours, then parses a batch.

A message is MessagePack both ways, so that engine and kernel need no class in common: ``[version,
format, files]``, answered by ``[true, batches]``, or by ``[false, what is wrong]`` when the engine
would make another index. The batches are those of `parse_batch`.
"""

import socket
from typing import Any

import msgspec

from ipuaro_jupyter.alarms import ALARMS
from ipuaro_jupyter.index.extract.batches import NumberedFile, parse_batch_or_die
from ipuaro_jupyter.index.storage.index_format import index_format
from ipuaro_jupyter.index.storage.spare_worker import SpareWorker
from ipuaro_jupyter.version import __version__

_IDLE_S = 60.0
_SPARE = SpareWorker()


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
        version, expected, files = msgspec.msgpack.decode(message)
        if index_format() != expected:
            return msgspec.msgpack.encode([False, _difference(version, expected)])
        worker = _SPARE.take()
        try:
            batches = worker.submit(parse_batch_or_die, files).result()
        finally:
            _SPARE.give_back(worker)
            ALARMS.set(_IDLE_S, lambda _: _SPARE.close())
        return msgspec.msgpack.encode([True, batches])


def _difference(version: str, expected: str) -> str:
    told = f"ipuaro-jupyter {__version__}"
    if version != __version__:
        told += f", and here it is {version}"
    else:
        mine = f"index format {index_format()[:8]}, here {expected[:8]}"
        told = f"other code, languages or grammars of {told} ({mine})"
    return f"an engine has {told}: install the same there (on {socket.gethostname()})"


def message_of(files: list[NumberedFile]) -> bytes:
    """The message that has an engine parse some files."""
    return msgspec.msgpack.encode([__version__, index_format(), files])


class EngineRefusedError(RuntimeError):
    """An engine would make another index; the message says why."""


def batches_of(answer: Any) -> list[bytes]:
    """What an engine has parsed.

    Raises:
        EngineRefusedError: The engine has another parser, or answered something else.
    """
    try:
        is_parsed, found = msgspec.msgpack.decode(answer)
    except (TypeError, ValueError, msgspec.MsgspecError):
        raise EngineRefusedError("an engine gave an answer that cannot be read") from None
    if not is_parsed:
        raise EngineRefusedError(found)
    batches: list[bytes] = found
    return batches
