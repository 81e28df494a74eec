"""Where large amounts are parsed, as ``project.executor`` says, and what came of it."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from importlib.util import find_spec
from typing import Any

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.index.engines.cluster import ClusterError, ConnectedEngines
from ipuaro_jupyter.index.engines.engine_executor import EngineExecutor, reason
from ipuaro_jupyter.index.engines.engine_task import (
    EngineRefusedError,
    EngineTask,
    answer_of,
    message_of,
)
from ipuaro_jupyter.index.storage.index_settings import IndexSettings
from ipuaro_jupyter.index.storage.workers import ParseExecutor, Workers
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.visible import visible

_NEEDED = {"ipyparallel": "ipyparallel", "dask": "distributed"}
_PATIENCE_S = 15.0
_CONNECT_S = 10.0
_TICK_S = 0.05


class Engines:
    """Opens the workers that the settings name, for one update of the index at a time.

    Raises:
        SettingsError: The settings name a cluster whose library is not installed.
    """

    def __init__(self, settings: IndexSettings, *, patience_s: float = _PATIENCE_S) -> None:
        self._place = settings.executor
        self._kind, _, self._address = self._place.partition(":")
        self._workers = settings.workers
        self._patience_s = patience_s
        self._used: EngineExecutor | None = None
        self._remarks: list[str] = []
        module = _NEEDED.get(self._kind)
        if module is not None and find_spec(module) is None:
            raise SettingsError(
                f"project.executor is {self._place!r}, which needs a package that is missing here: "
                f"pip install 'ipuaro-jupyter[{self._kind}]'"
            )

    def open(self, cancel: CancelToken) -> Workers:
        """Workers for one update, which are to be shut down after it.

        When no engine can be used, these are processes of our own, and `take_told` says why.

        Raises:
            Cancelled: Stop was asked for.
        """
        here = ParseExecutor(self._workers)
        self._used, self._remarks = None, []
        if self._kind not in _NEEDED:
            return Workers(here)
        try:
            cluster = self._connected(cancel)
        except ClusterError as error:
            self._remarks = [f"{self._place} cannot be used, so all was parsed here: {error}."]
            return Workers(here)
        names = self._usable(cluster, cancel)
        if not names:
            cluster.close()
            self._remarks.append(f"No engine of {self._place} can be used: all was parsed here.")
            return Workers(here)
        used = EngineExecutor(cluster, names, here=here, patience_s=self._patience_s)
        self._used = used
        return Workers(used, 2 + 2 * sum(cluster.engines[name] for name in names))

    def take_told(self, seconds: float) -> str:
        """What came of engines since this was last asked; "" when none were to be used.

        Args:
            seconds: The CPU time that this process took for all of the update.
        """
        used, sentences = self._used, self._remarks
        self._used, self._remarks = None, []
        if used is not None:
            sentences += _summary(used, self._place, seconds)
        return visible(" ".join(sentences))

    def _connected(self, cancel: CancelToken) -> ConnectedEngines:
        """A connection, made in another thread: that takes a second, or some when it fails."""
        with_thread = ThreadPoolExecutor(1, thread_name_prefix="ipuaro-connect")
        made = with_thread.submit(_CLUSTERS[self._kind], self._address)
        with_thread.shutdown(wait=False)
        try:
            _await([made], cancel, _CONNECT_S)
            if made.done():
                return made.result()
        except BaseException:
            made.add_done_callback(_close)
            raise
        made.add_done_callback(_close)
        raise ClusterError(f"it does not answer within {_CONNECT_S:g} s")

    def _usable(self, cluster: ConnectedEngines, cancel: CancelToken) -> list[str]:
        """The engines that would make the same index; remarks say what is wrong with others."""
        try:
            asked = {
                name: cluster.on([name]).submit(EngineTask(), message_of([]))
                for name in cluster.engines
            }
            _await(asked.values(), cancel, _CONNECT_S)
        except BaseException:
            cluster.close()
            raise
        wrong: Counter[str] = Counter()
        usable = []
        for name, answer in asked.items():
            if problem := _problem(answer):
                wrong[problem] += 1
            else:
                usable.append(name)
        total = len(cluster.engines)
        self._remarks = [
            f"{count} of {counted(total, 'engine')} of {self._place} cannot be used: it {problem}."
            for problem, count in wrong.items()
        ]
        return usable


def notices_of(settings: IndexSettings) -> tuple[str, ...]:
    """A sentence on where the text of the project is sent to be parsed; none when it stays."""
    if settings.executor.partition(":")[0] not in _NEEDED:
        return ()
    told = (
        f"project.executor is {settings.executor}: when more than "
        f"{settings.inline_bytes / 1e6:g} MB of source have changed, their text is sent to the "
        "engines of that cluster, wherever they run."
    )
    return (told,)


def _summary(used: EngineExecutor, place: str, seconds: float) -> Iterator[str]:
    """Sentences on what engines have done, and how much of the work did not spread."""
    where = f" ({', '.join(sorted(used.hosts))})" if used.hosts else ""
    yield f"{counted(used.batches, 'batch', 'batches')} parsed by {place}{where}."
    for why, count in used.lost.most_common(3):
        yield f"{counted(count, 'batch', 'batches')} parsed here: {why}."
    if used.seconds and seconds:
        most = (used.seconds + seconds) / seconds
        yield (
            f"CPU time: {used.seconds:.1f} s there, {seconds:.1f} s here, which does not spread: "
            f"however many engines, at most {most:.1f} times as fast as one process."
        )


def _problem(answer: "Future[bytes]") -> str:
    """What is wrong with the engine that was asked; "" when nothing is."""
    if not answer.done():
        answer.cancel()
        return f"did not answer within {_CONNECT_S:g} s (is ipuaro-jupyter installed there?)"
    try:
        answer_of(answer.result())
    except EngineRefusedError as error:
        return str(error)
    except BaseException as error:  # noqa: BLE001 - whatever the engine or the library raised
        return f"failed (is ipuaro-jupyter installed there? {reason(error)})"
    return ""


def _await(futures: "Iterable[Future[Any]]", cancel: CancelToken, seconds: float) -> None:
    """Wait until all are done, but no longer than that.

    Raises:
        Cancelled: Stop was asked for.
    """
    until = time.monotonic() + seconds
    waiting = set(futures)
    while waiting and time.monotonic() < until:
        cancel.check()
        waiting = wait(waiting, timeout=_TICK_S).not_done


def _close(made: "Future[ConnectedEngines]") -> None:
    """Close a connection that nobody waits for any more."""
    if not made.cancelled() and made.exception() is None:
        made.result().close()


def _ipyparallel(profile: str) -> ConnectedEngines:
    from ipuaro_jupyter.index.engines.ipyparallel_cluster import IpyparallelCluster  # noqa: PLC0415 - an extra

    return IpyparallelCluster(profile)


def _dask(address: str) -> ConnectedEngines:
    from ipuaro_jupyter.index.engines.dask_cluster import DaskCluster  # noqa: PLC0415 - an extra

    return DaskCluster(address)


_CLUSTERS: dict[str, Callable[[str], ConnectedEngines]] = {
    "ipyparallel": _ipyparallel,
    "dask": _dask,
}
