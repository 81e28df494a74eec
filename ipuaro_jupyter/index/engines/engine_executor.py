"""An executor that has engines parse, and processes of our own what these do not."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any

import msgspec

from ipuaro_jupyter.index.engines.clusters import RunningCluster
from ipuaro_jupyter.index.engines.engine_task import EngineTask, message_of
from ipuaro_jupyter.index.extract.batches import NumberedFile, parse_batch

_MOST_BYTES = 8_000_000


class EngineExecutor(Executor):
    """Runs `parse_batch` on the engines of a cluster.

    A batch that an engine refuses, loses, or does not return in time is parsed by a process of our
    own. When one is refused, or several are lost in a row, the cluster gets no more.

    Args:
        cluster: Closed when this is shut down.
        here: Our own processes; shut down with this.
        patience_s: The time after which a batch counts as lost.

    Attributes:
        most: How many batches it takes at a time.
        batches: How many the engines have parsed.
        lost: How many were parsed here, by the reason.
    """

    def __init__(self, cluster: RunningCluster, *, here: Executor, patience_s: float) -> None:
        self._cluster = cluster
        self._here = here
        self._patience_s = patience_s
        self._chances = 1 + cluster.slots
        self.most = 2 * self._chances
        self._threads = ThreadPoolExecutor(self.most, thread_name_prefix="ipuaro-engines")
        self._ended: Future[Any] = Future()
        self.batches = 0
        self.lost: Counter[str] = Counter()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """The future of ``parse_batch(files)``.

        Raises:
            TypeError: It is another function.
            RuntimeError: The executor has been shut down.
        """
        if fn is not parse_batch or kwargs:
            raise TypeError(f"EngineExecutor runs parse_batch only, not {fn!r}")
        return self._threads.submit(self._parsed, *args)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the signature of Executor
        """Disconnect, and end our own processes.

        Args:
            wait: Return only when our own processes have ended.
            cancel_futures: Cancel what is waiting.
        """
        if not self._ended.done():
            self._ended.set_result(None)
        self._threads.shutdown(wait=False, cancel_futures=cancel_futures)
        self._cluster.close()
        self._here.shutdown(wait=wait, cancel_futures=cancel_futures)

    def _parsed(self, files: list[NumberedFile]) -> list[bytes]:
        if self._chances > 0 and sum(len(data) for _, _, data in files) <= _MOST_BYTES:
            try:
                batches = self._parsed_there(files)
            except Exception as error:  # noqa: BLE001 - whatever the engine or the library raised
                self._chances -= 1
                self.lost[_reason(error)] += 1
            else:
                self._chances = 1 + self._cluster.slots if self._chances > 0 else 0
                self.batches += 1
                return batches
        parsed: list[bytes] = self._here.submit(parse_batch, files).result()
        return parsed

    def _parsed_there(self, files: list[NumberedFile]) -> list[bytes]:
        engine: Future[Any] = self._cluster.executor.submit(EngineTask(), message_of(files))
        wait([engine, self._ended], timeout=self._patience_s, return_when=FIRST_COMPLETED)
        if not engine.done():
            engine.cancel()
            raise TimeoutError(f"its engine did not answer within {self._patience_s:g} s")
        is_parsed, found = msgspec.msgpack.decode(engine.result())
        if not is_parsed:
            self._chances = 0
            raise ConnectionError(found)
        batches: list[bytes] = found
        return batches


def _reason(error: Exception) -> str:
    """The first line of what an error says; of one that is not ours, with its kind."""
    first = next(iter(str(error).splitlines()), "")[:200]
    return first if isinstance(error, OSError) else f"{type(error).__name__}: {first}"
