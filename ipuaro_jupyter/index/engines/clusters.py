"""The executors of running clusters: those of Dask and of ipyparallel."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

_TIMEOUT_S = 5


class RunningCluster(NamedTuple):
    """A connection to a running cluster.

    Attributes:
        executor: Has each call run by one of its engines.
        slots: How many calls they run at once.
        disconnect: Cancels what is waiting, as far as the library can.
    """

    executor: Executor
    slots: int
    disconnect: Callable[[], None]

    def close(self) -> None:
        """Disconnect in the background."""

        def end() -> None:
            with suppress(Exception):  # the cluster may have gone, and nobody can be told
                self.disconnect()

        threading.Thread(target=end, name="ipuaro-disconnect", daemon=True).start()


def dask(address: str) -> RunningCluster:
    """The workers of the Dask scheduler at an address.

    Raises:
        ConnectionError: It cannot be reached; the message says why.
    """
    import distributed  # noqa: PLC0415 - an extra

    try:
        client = distributed.Client(address, timeout=_TIMEOUT_S, set_as_default=False)
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        raise ConnectionError(f"its scheduler does not answer ({error})") from error
    slots = sum(client.nthreads().values())
    executor = client.get_executor(pure=False)
    return _checked(RunningCluster(executor, slots, lambda: client.close(_TIMEOUT_S)))


def ipyparallel(profile: str) -> RunningCluster:
    """The engines that run under an IPython profile.

    Raises:
        ConnectionError: There are none; the message says why.
    """
    import ipyparallel as library  # noqa: PLC0415 - an extra
    from IPython.paths import get_ipython_dir  # noqa: PLC0415 - the same

    class QuietClient(library.Client):  # type: ignore[misc] # the library has no types
        """A client that leaves the magics of the user's notebook to the user's own clients."""

        def activate(self, *_: Any, **__: Any) -> None:
            """Register no magics."""

    connection = Path(get_ipython_dir(), f"profile_{profile}", "security/ipcontroller-client.json")
    if not connection.is_file():  # the client would wait for it, and print that
        started = f"ipcluster start --profile={profile}"
        raise ConnectionError(f"no cluster runs under that profile; start one: {started}")
    try:
        client = QuietClient(str(connection), profile=profile, timeout=_TIMEOUT_S)
    except (OSError, RuntimeError, ValueError, KeyError, library.TimeoutError) as error:
        raise ConnectionError(f"its controller does not answer ({error})") from error

    def disconnect() -> None:
        with suppress(Exception):
            if client.outstanding:
                client.abort(block=False)
        client.close(linger=1000)

    slots = len(client.ids)
    executor = client.executor() if slots else Executor()  # which needs an engine
    return _checked(RunningCluster(executor, slots, disconnect))


def _checked(cluster: RunningCluster) -> RunningCluster:
    if not cluster.slots:
        cluster.close()
        raise ConnectionError("it has no engine")
    return cluster
