"""What an engine does: it checks that its parser is ours, then parses a batch.

A message is MessagePack both ways, so that engine and kernel need no class in common: ``[version,
format, files]``, answered by ``[true, batches]``, or by ``[false, what is wrong]`` when the engine
would make another index. The batches are those of `parse_batch`.
"""

import socket

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
        mine = index_format()
        if mine != expected:
            told = (
                f"an engine has ipuaro-jupyter {__version__} (index format {mine[:8]}), and here "
                f"it is {version} ({expected[:8]}): install the same there, on "
                f"{socket.gethostname()}"
            )
            return msgspec.msgpack.encode([False, told])
        worker = _SPARE.take()
        try:
            batches = worker.submit(parse_batch_or_die, files).result()
        finally:
            _SPARE.give_back(worker)
            ALARMS.set(_IDLE_S, lambda _: _SPARE.close())
        return msgspec.msgpack.encode([True, batches])


def message_of(files: list[NumberedFile]) -> bytes:
    """The message that has an engine parse some files."""
    return msgspec.msgpack.encode([__version__, index_format(), files])
