"""Where large amounts are parsed, as ``project.executor`` says, and what came of it."""

from importlib.util import find_spec

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.index.engines import clusters
from ipuaro_jupyter.index.engines.engine_executor import EngineExecutor
from ipuaro_jupyter.index.storage.index_settings import IndexSettings
from ipuaro_jupyter.index.storage.workers import ParseExecutor, Workers
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.visible import visible

CLUSTERS = {"ipyparallel": clusters.ipyparallel, "dask": clusters.dask}
_NEEDED = {"ipyparallel": "ipyparallel", "dask": "distributed"}
_PATIENCE_S = 15.0


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
        self._told = ""
        if self._kind in CLUSTERS and find_spec(_NEEDED[self._kind]) is None:
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
        self._used, self._told = None, ""
        if self._kind not in CLUSTERS:
            return Workers(here)
        try:
            cluster = CLUSTERS[self._kind](self._address)
        except ConnectionError as error:
            self._told = f"{self._place} cannot be used, so all was parsed here: {error}."
            return Workers(here)
        if cancel.cancelled:
            cluster.close()
            cancel.check()
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


def notices_of(settings: IndexSettings) -> tuple[str, ...]:
    """A sentence on where the text of the project is sent to be parsed; none when it stays."""
    if settings.executor.partition(":")[0] not in CLUSTERS:
        return ()
    told = (
        f"project.executor is {settings.executor}: when more than "
        f"{settings.inline_bytes / 1e6:g} MB of source have changed, their text is sent to the "
        "engines of that cluster, wherever they run."
    )
    return (told,)
