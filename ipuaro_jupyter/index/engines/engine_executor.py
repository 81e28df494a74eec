"""An executor that has engines parse, and processes of our own what these do not."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any

from ipuaro_jupyter.alarms import ALARMS, Alarm
from ipuaro_jupyter.index.engines.cluster import ConnectedEngines
from ipuaro_jupyter.index.engines.engine_task import (
    EngineRefusedError,
    EngineTask,
    answer_of,
    message_of,
)
from ipuaro_jupyter.index.extract.batches import NumberedFile, parse_batch

_MOST_BYTES = 8_000_000
_TASK = EngineTask()


class _GivenBatch:
    """Files that an engine, or else a process of our own, is to parse.

    Attributes:
        future: Gets the first result that comes.
        engine: The engine's own future.
        alarm: Rings when the engine is late.
        is_here: A process of our own has been asked, too.
    """

    def __init__(self, files: list[NumberedFile]) -> None:
        self.files = files
        self.future: Future[list[bytes]] = Future()
        self.future.set_running_or_notify_cancel()
        self.engine: Future[bytes] | None = None
        self.alarm: Alarm | None = None
        self.is_here = False


class EngineExecutor(Executor):
    """Runs `parse_batch` on the engines of a cluster.

    A batch that an engine refuses, loses, or does not return in time is parsed by a process of our
    own; of two results the first counts. When several are lost in a row and none comes back, the
    cluster gets no more.

    Args:
        cluster: Closed when this is shut down.
        names: The engines to use.
        here: Our own processes; shut down with this.
        patience_s: The time after which a batch is parsed here as well.

    Attributes:
        seconds: The CPU time that the engines took.
        hosts: Where they run.
        batches: How many they have parsed.
        lost: How many were parsed here, by the reason.
    """

    def __init__(
        self, cluster: ConnectedEngines, names: list[str], *, here: Executor, patience_s: float
    ) -> None:
        self._cluster = cluster
        self._engines = cluster.on(names)
        self._here = here
        self._patience_s = patience_s
        self._most_lost = 1 + sum(cluster.engines[name] for name in names)
        self._lost_in_a_row = 0
        self._is_ended = False
        self._lock = threading.Lock()
        self._waiting: set[_GivenBatch] = set()
        self.seconds = 0.0
        self.hosts: set[str] = set()
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
        if self._is_ended:
            raise RuntimeError("cannot submit: the EngineExecutor has been shut down")
        (files,) = args
        if self._is_given_up() or sum(len(data) for _, _, data in files) > _MOST_BYTES:
            return self._here.submit(parse_batch, files)
        batch = _GivenBatch(files)
        with self._lock:
            self._waiting.add(batch)
        try:
            batch.engine = self._engines.submit(_TASK, message_of(files))
        except Exception as error:  # noqa: BLE001 - a library's, whose connection has broken
            self._parse_here(batch, reason(error))
            return batch.future
        batch.alarm = ALARMS.set(self._patience_s, partial(self._be_late, batch))
        batch.engine.add_done_callback(partial(self._take, batch))
        return batch.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the signature of Executor
        """Disconnect, and end our own processes.

        Args:
            wait: Return only when our own processes have ended.
            cancel_futures: Cancel what is waiting.
        """
        with self._lock:
            self._is_ended = True
            waiting = list(self._waiting)
        for batch in waiting:
            self._forget(batch)
        self._cluster.close()
        self._here.shutdown(wait=wait, cancel_futures=cancel_futures)

    def _is_given_up(self) -> bool:
        return self._lost_in_a_row >= self._most_lost

    def _take(self, batch: _GivenBatch, engine: "Future[bytes]") -> None:
        """Take the engine's answer, in a thread of the library."""
        if engine.cancelled():
            if not self._is_ended:
                self._parse_here(batch, "the cluster has dropped it")
            return
        try:
            answer = answer_of(engine.result())
        except EngineRefusedError as error:
            self._parse_here(batch, f"its engine {error}")
        except Exception as error:  # noqa: BLE001 - whatever the engine or the library raised
            self._parse_here(batch, reason(error))
        else:
            with self._lock:
                self._lost_in_a_row = 0
                self.seconds += answer.seconds
                self.hosts.add(answer.host)
            self.batches += self._settle(batch, answer.batches)

    def _be_late(self, batch: _GivenBatch, _: Alarm) -> None:
        self._parse_here(batch, f"its engine did not answer within {self._patience_s:g} s")

    def _parse_here(self, batch: _GivenBatch, reason: str) -> None:
        """Have a process of our own parse a batch; and the others, if the cluster is given up."""
        with self._lock:
            if self._is_ended or batch.is_here or batch not in self._waiting:
                return
            batch.is_here = True
            self.lost[reason] += 1
            self._lost_in_a_row += 1
            others = list(self._waiting) if self._is_given_up() else []
        try:
            here = self._here.submit(parse_batch, batch.files)
        except RuntimeError:  # shut down since
            return
        here.add_done_callback(partial(self._take_own, batch))
        for other in others:
            self._parse_here(other, "the engines no longer answer")

    def _take_own(self, batch: _GivenBatch, here: "Future[list[bytes]]") -> None:
        if here.cancelled():
            return
        error = here.exception()
        if error is None:
            self._settle(batch, here.result())
        elif self._forget(batch):
            batch.future.set_exception(error)

    def _settle(self, batch: _GivenBatch, batches: list[bytes]) -> bool:
        """Give a batch its result; return whether it is the first."""
        is_first = self._forget(batch)
        if is_first:
            batch.future.set_result(batches)
        return is_first

    def _forget(self, batch: _GivenBatch) -> bool:
        """Wait no longer for a batch; return whether it was waited for."""
        with self._lock:
            if batch not in self._waiting:
                return False
            self._waiting.remove(batch)
        if batch.alarm is not None:
            ALARMS.cancel(batch.alarm)
        if batch.engine is not None:
            batch.engine.cancel()
        return True


def reason(error: BaseException) -> str:
    """The first line of what an error says, with its kind."""
    first = next(iter(str(error).splitlines()), "")[:200]
    kind = type(error).__name__
    return first if kind == "RemoteError" else f"{kind}: {first}" if first else kind
