"""The engines of an IPython profile, by ipyparallel."""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from pathlib import Path
from typing import Any

import ipyparallel
from IPython.core.profiledir import ProfileDir, ProfileDirError
from IPython.paths import get_ipython_dir

from ipuaro_jupyter.index.engines.cluster import ClusterError

_TIMEOUT_S = 5


class _MagiclessClient(ipyparallel.Client):  # type: ignore[misc] # the library has no types
    """A client that leaves the magics of the user's notebook to the user's own clients."""

    def activate(self, *_: Any, **__: Any) -> None:
        """Register no magics."""


class IpyparallelCluster:
    """A connection to the cluster that runs under an IPython profile; see `ConnectedEngines`.

    Raises:
        ClusterError: There is none.
    """

    def __init__(self, profile: str) -> None:
        try:
            folder = ProfileDir.find_profile_dir_by_name(get_ipython_dir(), profile).security_dir
        except ProfileDirError as error:
            raise ClusterError(f"there is no IPython profile {profile!r}") from error
        connection = Path(folder) / "ipcontroller-client.json"
        if not connection.is_file():  # the client would wait for it, and print that
            raise ClusterError(
                f"no cluster runs under that profile; start one: ipcluster start "
                f"--profile={profile}"
            )
        try:
            self._client = _MagiclessClient(str(connection), profile=profile, timeout=_TIMEOUT_S)
        except (OSError, RuntimeError, ValueError, KeyError, ipyparallel.TimeoutError) as error:
            raise ClusterError(f"its controller does not answer ({error})") from error
        self._ids = {f"engine {number}": number for number in self._client.ids}
        self.engines: Mapping[str, int] = dict.fromkeys(self._ids, 1)

    def on(self, names: Sequence[str]) -> Executor:
        """An executor that has each call run by one of these engines."""
        view = self._client.load_balanced_view(targets=[self._ids[name] for name in names])
        view.track = False
        executor: Executor = view.executor
        return executor

    def close(self) -> None:
        """Cancel what is waiting, and disconnect in the background."""
        threading.Thread(target=self._close, name="ipuaro-disconnect", daemon=True).start()

    def _close(self) -> None:
        with suppress(Exception):  # the cluster may have gone, and nobody can be told
            if self._client.outstanding:
                self._client.abort(block=False)
        with suppress(Exception):
            self._client.close(linger=1000)
