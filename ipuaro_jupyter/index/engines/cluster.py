"""What the libraries of clusters have in common."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Protocol


class ClusterError(RuntimeError):
    """A cluster cannot be used; the message says why."""


class ConnectedEngines(Protocol):
    """A connection to a running cluster.

    Attributes:
        engines: How many calls each engine runs at once, by its name.
    """

    engines: Mapping[str, int]

    def on(self, names: Sequence[str]) -> Executor:
        """An executor that has each call run by one of these engines."""
        ...

    def close(self) -> None:
        """Cancel what is waiting, as far as the library can, and disconnect; takes no long time."""
        ...
