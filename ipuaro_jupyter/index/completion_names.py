"""The names of an index, sorted, for whoever types one and wants the rest."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence


class KnownNames:
    """Names that are read once for each generation of the index.

    Args:
        read: Returns all names, in any order.
    """

    def __init__(self, read: Callable[[], Iterable[str]]) -> None:
        self._read = read
        self._generation: object = None
        self._names: Sequence[str] = ()

    def beginning(self, prefix: str, *, generation: object, limit: int) -> list[str]:
        """Return the first ``limit`` names, sorted, that begin with ``prefix``.

        Args:
            prefix: Upper and lower case differ.
            generation: Which state of the index is asked; the names of another are read anew.
            limit: How many names to return at the most.
        """
        if self._generation != generation:
            self._names = sorted(self._read())
            self._generation = generation
        start = bisect_left(self._names, prefix)
        found = self._names[start : start + limit]
        return [name for name in found if name.startswith(prefix)]
