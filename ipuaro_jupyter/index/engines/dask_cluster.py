"""The workers of a Dask scheduler."""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress

import distributed

from ipuaro_jupyter.index.engines.cluster import ClusterError

_TIMEOUT_S = 5


class DaskCluster:
    """A connection to a Dask scheduler; see `ConnectedEngines`.

    Raises:
        ClusterError: It cannot be reached.
    """

    def __init__(self, address: str) -> None:
        try:
            self._client = distributed.Client(address, timeout=_TIMEOUT_S, set_as_default=False)
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            raise ClusterError(f"its scheduler does not answer ({error})") from error
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        self.engines: Mapping[str, int] = {
            name: worker["nthreads"] for name, worker in workers.items()
        }

    def on(self, names: Sequence[str]) -> Executor:
        """An executor that has each call run by one of these engines."""
        executor: Executor = self._client.get_executor(workers=list(names), pure=False)
        return executor

    def close(self) -> None:
        """Cancel what is waiting, and disconnect in the background."""
        threading.Thread(target=self._close, name="ipuaro-disconnect", daemon=True).start()

    def _close(self) -> None:
        with suppress(Exception):  # the cluster may have gone, and nobody can be told
            self._client.close(timeout=_TIMEOUT_S)
