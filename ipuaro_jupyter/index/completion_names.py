"""The names of an index, sorted, for completion."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence


class CompletionNames:
    """Names that are read once for each generation of the index.

    Args:
        read: Returns all names, in any order.
    """

    def __init__(self, read: Callable[[], Iterable[str]]) -> None:
        self._read = read
        self._generation: object = None
        self._names: Sequence[str] = ()

    def beginning(self, prefix: str, *, generation: object, limit: int) -> list[str]:
        """The first ``limit`` names, sorted, that begin with ``prefix``.

        Args:
            prefix: Case-sensitive.
            generation: The state of the index; when it differs from the last one, names are read
                again.
            limit: How many names to return at most.
        """
        if self._generation != generation:
            self._names = sorted(self._read())
            self._generation = generation
        start = bisect_left(self._names, prefix)
        found = self._names[start : start + limit]
        return [name for name in found if name.startswith(prefix)]
