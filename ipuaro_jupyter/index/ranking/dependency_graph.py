"""The graph of imports between files. Pure and immutable: built from a mapping."""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from ipuaro_jupyter.index.ranking.components import condensed, reach_counts, strong_components
from ipuaro_jupyter.index.ranking.file_roles import is_first_file

HUB_DEPENDENTS = 5
"""A hub has more dependents than this."""


class DependencyGraph:
    """The imports between files.

    Args:
        edges: For each file the files that it imports. Files that are only imported need not be
            keys; an import of itself does not count.
    """

    def __init__(self, edges: Mapping[str, Collection[str]]) -> None:
        dependencies = {path: _without(path, edges[path]) for path in sorted(edges)}
        for targets in tuple(dependencies.values()):
            for target in targets:
                dependencies.setdefault(target, frozenset())
        self.dependencies: Mapping[str, frozenset[str]] = dependencies

    @classmethod
    def of_dependents(
        cls, paths: Collection[str], dependents: Mapping[str, Collection[str]]
    ) -> "DependencyGraph":
        """The graph of files, given for each the files that import it, where there are some."""
        edges: dict[str, set[str]] = {path: set() for path in paths}
        for target, importers in dependents.items():
            for importer in importers:
                if importer in edges:
                    edges[importer].add(target)
        return cls(edges)

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
        """The number of pairs of files of which one imports the other."""
        return sum(map(len, self.dependencies.values()))

    def hubs(self) -> list[str]:
        """The files with more than 5 dependents, those with most first, then by path."""
        counts = {path: len(importers) for path, importers in self.dependents.items()}
        found = [path for path, count in counts.items() if count > HUB_DEPENDENTS]
        return sorted(found, key=lambda path: (-counts[path], path))

    def roots(self) -> list[str]:
        """The files that no other imports, by path."""
        return sorted(path for path, importers in self.dependents.items() if not importers)

    def entry_points(self, entries: Collection[str] = ()) -> list[str]:
        """The entry points of the project, by path.

        They are the files called index or main, those that a package exports, and those that no
        other imports.

        Args:
            entries: The files that packages export: `Resolver.entries`.
        """
        dependents = self.dependents
        return sorted(
            path
            for path in self.dependencies
            if is_first_file(path) or path in entries or not dependents[path]
        )

    def cycles(self) -> list[tuple[str, ...]]:
        """The groups of files that import each other, largest first, each by path.

        A group is a strongly connected component with more than one file: every file in it reaches
        every other by imports. Groups have no file in common.
        """
        paths = self._paths
        groups = [tuple(sorted(paths[n] for n in g)) for g in self._components if len(g) > 1]
        return sorted(groups, key=lambda group: (-len(group), group))

    @cached_property
    def transitive_dependents(self) -> Mapping[str, int]:
        """The number of other files that reach each by imports, however far; see `reach_counts`."""
        components = self._components[::-1]  # dependents first
        return self._reached(components, condensed(components, self.edges))

    @cached_property
    def transitive_dependencies(self) -> Mapping[str, int]:
        """For each file, how many others it reaches by imports at any distance."""
        return self._reached(self._components, condensed(self._components, self._reversed))

    def impact(self, path: str) -> float:
        """The share of all other files that a change of ``path`` may reach, 0-100.

        That is ``100 * transitive dependents / (files - 1)``, the "change impact" of a module in
        the propagation cost of MacCormack, Rusnak and Baldwin (Management Science 52, 2006),
        without the file itself; 0 when there are no others.

        Raises:
            KeyError: The graph has no such file.
        """
        others = len(self.dependencies) - 1
        return 100.0 * self.transitive_dependents[path] / others if others > 0 else 0.0

    def most_impact(self, count: int) -> list[str]:
        """The files that most others reach by imports, in this order and then by path.

        Args:
            count: How many at most; files that no other imports are left out.
        """
        reached = self.transitive_dependents
        found = [path for path, dependents in reached.items() if dependents]
        return sorted(found, key=lambda path: (-reached[path], path))[:count]

    def _reached(
        self, components: Sequence[Sequence[int]], edges: Sequence[Sequence[int]]
    ) -> dict[str, int]:
        """The number of other files that reach each; files of one component reach each other."""
        counts = reach_counts([len(group) for group in components], edges)
        return {
            self._paths[node]: count + len(group) - 1
            for group, count in zip(components, counts, strict=True)
            for node in group
        }

    @cached_property
    def _paths(self) -> list[str]:
        return list(self.dependencies)

    @cached_property
    def edges(self) -> Sequence[Sequence[int]]:
        """The files that each file imports, as numbers in the order of `dependencies`, sorted."""
        numbers = {path: number for number, path in enumerate(self.dependencies)}
        return [
            sorted(numbers[target] for target in targets) for targets in self.dependencies.values()
        ]

    @cached_property
    def _reversed(self) -> list[list[int]]:
        """The reversed edges, with files as numbers."""
        turned: list[list[int]] = [[] for _ in self.edges]
        for number, targets in enumerate(self.edges):
            for target in targets:
                turned[target].append(number)
        return turned

    @cached_property
    def _components(self) -> list[list[int]]:
        """The strongly connected components, each after those that it imports."""
        return strong_components(self.edges)


def _without(path: str, targets: Collection[str]) -> frozenset[str]:
    return frozenset(targets) - {path} if path in targets else frozenset(targets)
