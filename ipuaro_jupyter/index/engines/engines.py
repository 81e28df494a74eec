"""Where large amounts are parsed, as ``project.executor`` says, and what came of it."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any

import msgspec

from ipuaro_jupyter.index.engines.clusters import RunningCluster, dask, ipyparallel
from ipuaro_jupyter.index.engines.engine_task import EngineTask, message_of
from ipuaro_jupyter.index.extract.batches import NumberedFile, parse_batch
from ipuaro_jupyter.index.storage.index_settings import IndexSettings
from ipuaro_jupyter.index.storage.workers import ParseExecutor, Workers
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.visible import visible

CLUSTERS = {"ipyparallel": ipyparallel, "dask": dask}
_PATIENCE_S = 15.0
_MOST_BYTES = 8_000_000


class Engines:
    """Opens the workers that the settings name, for one update of the index at a time."""

    def __init__(self, settings: IndexSettings, *, patience_s: float = _PATIENCE_S) -> None:
        self._place = settings.executor
        self._kind, _, self._address = self._place.partition(":")
        self._workers = settings.workers
        self._patience_s = patience_s
        self._used: EngineExecutor | None = None
        self._told = ""

    def open(self) -> Workers:
        """Workers for one update, which are to be shut down after it.

        When no engine can be used, these are processes of our own, and `take_told` says why.
        """
        here = ParseExecutor(self._workers)
        self._used, self._told = None, ""
        if self._kind not in CLUSTERS:
            return Workers(here)
        try:
            cluster = CLUSTERS[self._kind](self._address)
        except (ConnectionError, ImportError) as error:
            install = f"; pip install 'ipuaro-jupyter[{self._kind}]'"
            why = f"{error}{install * isinstance(error, ImportError)}"
            self._told = f"{self._place} cannot be used, so all was parsed here: {why}."
            return Workers(here)
        self._used = EngineExecutor(cluster, here=here, patience_s=self._patience_s)
        return Workers(self._used, self._used.most)

    def take_told(self) -> str:
        """What came of engines since this was last asked; "" when none were to be used."""
        used, told = self._used, [self._told]
        self._used, self._told = None, ""
        if used is not None:
            told = [f"{counted(used.batches, 'batch', 'batches')} parsed by {self._place}."]
            if not used.batches:
                told.append("Is the same ipuaro-jupyter installed there?")
            for why, count in used.lost.most_common(3):
                told.append(f"{counted(count, 'batch', 'batches')} parsed here: {why}.")
        return visible(" ".join(told))


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

    def submit(self, _: Callable[..., Any], /, *args: Any, **__: Any) -> "Future[Any]":
        """The future of ``parse_batch(files)``, which is all that it runs."""
        return self._threads.submit(self._parsed, *args)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the signature of Executor
        """Disconnect, and end our own processes, which ``wait`` waits for."""
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
        return self._here.submit(parse_batch, files).result()

    def _parsed_there(self, files: list[NumberedFile]) -> list[bytes]:
        engine: Future[Any] = self._cluster.executor.submit(EngineTask(), message_of(files))
        wait([engine, self._ended], timeout=self._patience_s, return_when=FIRST_COMPLETED)
        if not engine.done():
            engine.cancel()
            raise TimeoutError(f"its engine did not answer within {self._patience_s:g} s")
        _, found = msgspec.msgpack.decode(engine.result(), type=tuple[bool, list[bytes] | str])
        if isinstance(found, str):
            self._chances = 0
            raise ConnectionError(found)
        return found


def told_sending(settings: IndexSettings) -> str:
    """A sentence on where the text of the project is sent to be parsed; "" when it stays."""
    if settings.executor.partition(":")[0] not in CLUSTERS:
        return ""
    return (
        f"project.executor is {settings.executor}: when more than "
        f"{settings.inline_bytes / 1e6:g} MB of source have changed, their text is sent to the "
        "engines of that cluster, wherever they run."
    )


def _reason(error: Exception) -> str:
    """The first line of what an error says; of one that is not ours, with its kind."""
    first = next(iter(str(error).splitlines()), "")[:200]
    return first if isinstance(error, OSError) else f"{type(error).__name__}: {first}"
