"""Transitive closure over a graph whose nodes are discovered during the walk."""

from collections.abc import Callable, Collection, Hashable, Iterator
from typing import Generic, TypeVar

from ipuaro_jupyter.cancellation import checkpoint

S = TypeVar("S", bound=Hashable)
V = TypeVar("V", bound=Hashable)


class Closure(Generic[S, V]):
    """The values of a state and of all states reachable from it; each state is expanded once.

    States of a cycle have the same values, so a cycle costs no more than its states. Results are
    kept and reused by later questions.

    Args:
        look: Expands a state: its own values, and the states it leads to.
        most: The approximate number of states kept between questions.
    """

    def __init__(
        self, look: Callable[[S], tuple[Collection[V], Collection[S]]], *, most: int
    ) -> None:
        self._look = look
        self._most = most
        self._known: dict[S, frozenset[V]] = {}

    def of(self, start: S) -> frozenset[V]:
        """The values of a state and of all states reachable from it."""
        if start not in self._known:
            if len(self._known) > self._most:
                self._known.clear()
            _DepthFirstSearch(self._look, self._known).from_(start)
        return self._known[start]


class _DepthFirstSearch(Generic[S, V]):
    """One walk: Tarjan's algorithm with an explicit stack, see `ranking.components`.

    Attributes:
        known: The values of the finished states.
    """

    def __init__(
        self,
        look: Callable[[S], tuple[Collection[V], Collection[S]]],
        known: dict[S, frozenset[V]],
    ) -> None:
        self._look = look
        self.known = known
        self._order: dict[S, int] = {}
        self._low: dict[S, int] = {}
        self._found: dict[S, set[V]] = {}
        self._pending: list[S] = []
        self._path: list[tuple[S, Iterator[S]]] = []

    def from_(self, start: S) -> None:
        """Finish a state and all states reachable from it."""
        self._enter(start)
        while self._path:
            state, onward = self._path[-1]
            following = self._next_new(state, onward)
            if following is not None:
                self._enter(following[0])
                continue
            self._path.pop()
            if self._low[state] == self._order[state]:
                self._close(state)
            if self._path:
                before = self._path[-1][0]
                self._low[before] = min(self._low[before], self._low[state])
                self._found[before] |= self.known.get(state, frozenset())

    def _enter(self, state: S) -> None:
        checkpoint()
        values, onward = self._look(state)
        self._order[state] = self._low[state] = len(self._order)
        self._found[state] = set(values)
        self._pending.append(state)
        self._path.append((state, iter(onward)))

    def _next_new(self, state: S, onward: Iterator[S]) -> tuple[S] | None:
        """The next unseen state, in a tuple; adds the values of the finished ones before it."""
        for following in onward:
            if following in self.known:
                self._found[state] |= self.known[following]
            elif following in self._order:
                self._low[state] = min(self._low[state], self._order[following])
            else:
                return (following,)
        return None

    def _close(self, first: S) -> None:
        """Finish the states of a component, of which ``first`` was seen first."""
        group: list[S] = []
        while not group or group[-1] != first:
            group.append(self._pending.pop())
        values = frozenset[V]().union(*(self._found.pop(state) for state in group))
        for state in group:
            self.known[state] = values
            self._low[state] = len(self._order)  # greater than any order: never the lower one
