"""The graph of imports between files. Pure: it is made of a mapping and never changes."""

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

HUB_DEPENDENTS = 5
"""A hub has more dependents than this."""


class Graph:
    """Which file imports which.

    Args:
        edges: For each file the files that it imports. Files that are only imported need not be
            keys; an import of itself does not count.
    """

    def __init__(self, edges: Mapping[str, Collection[str]]) -> None:
        dependencies = {path: frozenset(edges[path]) - {path} for path in sorted(edges)}
        for targets in tuple(dependencies.values()):
            for target in targets:
                dependencies.setdefault(target, frozenset())
        self.dependencies: Mapping[str, frozenset[str]] = dependencies

    @cached_property
    def dependents(self) -> Mapping[str, frozenset[str]]:
        """For each file the files that import it."""
        found: dict[str, set[str]] = {path: set() for path in self.dependencies}
        for path, targets in self.dependencies.items():
            for target in targets:
                found[target].add(path)
        return {path: frozenset(importers) for path, importers in found.items()}

    @property
    def edge_count(self) -> int:
        """How many pairs of files there are of which one imports the other."""
        return sum(map(len, self.dependencies.values()))

    def hubs(self) -> list[str]:
        """Return the files with more than 5 dependents, those with most first."""
        counts = {path: len(importers) for path, importers in self.dependents.items()}
        found = [path for path, count in counts.items() if count > HUB_DEPENDENTS]
        return sorted(found, key=lambda path: (-counts[path], path))

    def roots(self) -> list[str]:
        """Return the files that nothing imports, by path."""
        return sorted(path for path, importers in self.dependents.items() if not importers)

    def cycles(self) -> list[tuple[str, ...]]:
        """Return the groups of files that import each other, largest first, each by path."""
        groups = [tuple(sorted(group)) for group in self._components if len(group) > 1]
        return sorted(groups, key=lambda group: (-len(group), group))

    @cached_property
    def transitive_dependents(self) -> Mapping[str, int]:
        """For each file how many others reach it by imports, however far.

        Components are taken dependents first; each has its set of files as the bits of one
        number, so that joining two sets costs a few machine words per thousand files.
        """
        bits = {path: 1 << place for place, path in enumerate(self.dependencies)}
        component_of: dict[str, int] = {}
        for number, group in enumerate(self._components):
            component_of.update(dict.fromkeys(group, number))
        waiting = self._waiting(component_of)
        reaching: dict[int, int] = {}
        counts: dict[str, int] = {}
        for number in range(len(self._components) - 1, -1, -1):  # dependents come first
            group = self._components[number]
            above = reaching.pop(number, 0)
            own = 0
            for path in group:
                own |= bits[path]
            counts.update(dict.fromkeys(group, above.bit_count() + len(group) - 1))
            for target in waiting[number]:
                reaching[target] = reaching.get(target, 0) | above | own
        return counts

    def impact(self, path: str) -> float:
        """Return 0-100: the share of all other files that a change of ``path`` may reach."""
        others = len(self.dependencies) - 1
        return 100.0 * self.transitive_dependents[path] / others if others > 0 else 0.0

    def _waiting(self, component_of: Mapping[str, int]) -> list[set[int]]:
        """Return for each component the components that it imports."""
        return [
            {component_of[target] for path in group for target in self.dependencies[path]}
            - {number}
            for number, group in enumerate(self._components)
        ]

    @cached_property
    def _components(self) -> list[list[str]]:
        """The strongly connected components, what is imported before what imports it.

        Tarjan's algorithm with a stack of its own: chains of imports may be longer than Python's
        stack is deep.
        """
        order: dict[str, int] = {}
        low: dict[str, int] = {}
        pending: list[str] = []
        is_pending: set[str] = set()
        found: list[list[str]] = []
        for start in self.dependencies:
            if start in order:
                continue
            work: list[tuple[str, Iterator[str]]] = []
            self._enter(start, work, order, pending)
            low[start] = order[start]
            is_pending.add(start)
            while work:
                path, targets = work[-1]
                target = next(targets, None)
                if target is None:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[path])
                    if low[path] == order[path]:
                        found.append(_popped(pending, is_pending, path))
                elif target not in order:
                    self._enter(target, work, order, pending)
                    low[target] = order[target]
                    is_pending.add(target)
                elif target in is_pending:
                    low[path] = min(low[path], order[target])
        return found

    def _enter(
        self,
        path: str,
        work: list[tuple[str, Iterator[str]]],
        order: dict[str, int],
        pending: list[str],
    ) -> None:
        order[path] = len(order)
        pending.append(path)
        work.append((path, iter(sorted(self.dependencies[path]))))


def _popped(pending: list[str], is_pending: set[str], path: str) -> list[str]:
    """Take the component that ends at ``path`` off the stack."""
    group: list[str] = []
    while True:
        group.append(pending.pop())
        is_pending.discard(group[-1])
        if group[-1] == path:
            return group
