"""Sets that are defined by one another: the least solution, found on demand.

In ``query = query.filter()``, the type of a variable depends on itself. Each set here is computed
from others, may lead back to itself, and only grows when these grow.
"""

from collections.abc import Callable, Collection, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)

_NONE = 1 << 60
"""A place behind all others: nothing was guessed."""
_CUT = -1
"""A place before all others: something lay too deep."""


class Fixpoint(Generic[K, V]):
    """Computes sets by key, each once, unless it is part of a cycle.

    The sets of a cycle are computed again and again, each time from what the last round has
    found, until none grows: the least fixpoint (Kleene). Only the outermost set of a cycle starts
    another round, so a round costs no more than the sets of the cycle.

    Args:
        deepest: How many computations may be under way at once. A set that lies deeper is empty;
            what was made of it is not kept.
    """

    def __init__(self, *, deepest: int) -> None:
        self._deepest = deepest
        self._known: dict[K, frozenset[V]] = {}
        self._guessed: dict[K, frozenset[V]] = {}
        self._round: dict[K, int] = {}  # computed from guesses; the outermost one, by its place
        self._order: list[K] = []
        self._open: dict[K, int] = {}
        self._lowest = _NONE
        self._growths = 0

    def of(self, key: K, compute: Callable[[], Collection[V]]) -> frozenset[V]:
        """The set of a key.

        Args:
            key: The key.
            compute: Makes the set; it may ask for any others.
        """
        if key in self._known:
            return self._known[key]
        if key in self._round:
            self._lowest = min(self._lowest, self._round[key])
            return self._guessed.get(key, frozenset())
        if key in self._open or len(self._open) >= self._deepest:
            self._lowest = min(self._lowest, self._open.get(key, _CUT))
            return self._guessed.get(key, frozenset())
        outer, self._lowest = self._lowest, _NONE
        place = self._open[key] = len(self._open)
        try:
            value = self._solved(key, place, compute)
        finally:
            del self._open[key]
            if not place:
                self._round.clear()
                self._order.clear()
                self._guessed.clear()
        self._lowest = min(outer, self._lowest)
        return value

    def _solved(self, key: K, place: int, compute: Callable[[], Collection[V]]) -> frozenset[V]:
        """Compute a set, in rounds when it is the outermost one of a cycle."""
        begin = len(self._order)
        while True:
            self._lowest, growths = _NONE, self._growths
            value = self._guessed.get(key, frozenset[V]()).union(compute())
            if len(value) > len(self._guessed.get(key, ())):
                self._guessed[key] = value
                self._growths += 1
            if self._lowest < place:
                for one in self._order[begin:]:  # what leads to this set leads on to where it does
                    self._round[one] = min(self._round[one], self._lowest)
                self._round[key] = self._lowest
                self._order.append(key)
                return value
            cycle = self._order[begin:]
            del self._order[begin:]
            for one in cycle:
                del self._round[one]
            if self._lowest == _NONE or growths == self._growths:
                self._known |= {one: self._guessed.get(one, frozenset()) for one in (key, *cycle)}
                self._lowest = _NONE
                return value
