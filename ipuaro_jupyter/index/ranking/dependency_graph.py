"""The graph of imports between files. Pure and immutable: built from a mapping."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from ipuaro_jupyter.index.ranking.components import condensed, reach_counts, strong_components
from ipuaro_jupyter.index.ranking.file_roles import is_first_file

HUB_DEPENDENTS = 5
"""A hub has more dependents than this."""


class DependencyGraph:
    """The imports between files.

    Attributes:
        edges: The files that each file imports, as numbers in the order of `dependencies`, sorted.

    Args:
        edges: For each file the files that it imports. Files that are only imported need not be
            keys; an import of itself does not count.
        dependents: Further edges: files with those that import them; the latter are left out where
            they are no keys of ``edges``.
    """

    def __init__(
        self,
        edges: Mapping[str, Collection[str]],
        *,
        dependents: Iterable[tuple[str, Collection[str]]] = (),
    ) -> None:
        self._numbers = {path: number for number, path in enumerate(sorted(edges))}
        found: list[list[int]] = [[] for _ in edges]
        for path, number in tuple(self._numbers.items()):
            found[number] += map(self._number, edges[path])
        for target, importers in dependents:
            to = self._number(target)
            for importer in importers:
                if importer in edges:
                    found[self._numbers[importer]].append(to)
        found += [[] for _ in range(len(found), len(self._numbers))]
        self.edges: Sequence[Sequence[int]] = [
            tuple(sorted({*targets} - {number})) for number, targets in enumerate(found)
        ]

    def _number(self, path: str) -> int:
        return self._numbers.setdefault(path, len(self._numbers))

    @cached_property
    def dependencies(self) -> Mapping[str, frozenset[str]]:
        """For each file the files that it imports."""
        return _NamedEdges(self._numbers, self._paths, self.edges)

    @cached_property
    def dependents(self) -> Mapping[str, frozenset[str]]:
        """For each file the files that import it."""
        return _NamedEdges(self._numbers, self._paths, self.turned)

    @property
    def edge_count(self) -> int:
        """The number of pairs of files of which one imports the other."""
        return sum(map(len, self.edges))

    def hubs(self) -> list[str]:
        """The files with more than 5 dependents, those with most first, then by path."""
        counts = {path: len(self.turned[number]) for path, number in self._numbers.items()}
        found = [path for path, count in counts.items() if count > HUB_DEPENDENTS]
        return sorted(found, key=lambda path: (-counts[path], path))

    def roots(self) -> list[str]:
        """The files that no other imports, by path."""
        return sorted(path for path, number in self._numbers.items() if not self.turned[number])

    def entry_points(self, entries: Collection[str] = ()) -> list[str]:
        """The entry points of the project, by path.

        They are the files called index or main, those that a package exports, and those that no
        other imports.

        Args:
            entries: The files that packages export: `Resolver.entries`.
        """
        return sorted(
            path
            for path, number in self._numbers.items()
            if is_first_file(path) or path in entries or not self.turned[number]
        )

    def cycles(self) -> list[tuple[str, ...]]:
        """The groups of files that import each other, largest first, each by path.

        A group is a strongly connected component with more than one file: every file in it reaches
        every other by imports. Groups have no file in common.
        """
        paths = self._paths
        groups = [tuple(sorted(paths[n] for n in g)) for g in self.components if len(g) > 1]
        return sorted(groups, key=lambda group: (-len(group), group))

    @cached_property
    def transitive_dependents(self) -> Mapping[str, int]:
        """The number of other files that reach each by imports, however far; see `reach_counts`."""
        components = self.components[::-1]  # dependents first
        return self._reached(components, condensed(components, self.edges))

    @cached_property
    def transitive_dependencies(self) -> Mapping[str, int]:
        """For each file, how many others it reaches by imports at any distance."""
        return self._reached(self.components, condensed(self.components, self.turned))

    def impact(self, path: str) -> float:
        """The share of all other files that a change of ``path`` may reach, 0-100.

        That is ``100 * transitive dependents / (files - 1)``, the "change impact" of a module in
        the propagation cost of MacCormack, Rusnak and Baldwin (Management Science 52, 2006),
        without the file itself; 0 when there are no others.

        Raises:
            KeyError: The graph has no such file.
        """
        others = len(self._numbers) - 1
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
        return list(self._numbers)

    @cached_property
    def turned(self) -> Sequence[Sequence[int]]:
        """The files that import each file, as `edges`."""
        found: list[list[int]] = [[] for _ in self.edges]
        for number, targets in enumerate(self.edges):
            for target in targets:
                found[target].append(number)
        return [tuple(importers) for importers in found]

    @cached_property
    def components(self) -> Sequence[Sequence[int]]:
        """The strongly connected components, each after those that it imports."""
        return strong_components(self.edges)


class _NamedEdges(Mapping[str, frozenset[str]]):
    """Edges between numbers as sets of paths, made where they are looked at: few of very many."""

    def __init__(
        self, numbers: Mapping[str, int], paths: Sequence[str], edges: Sequence[Sequence[int]]
    ) -> None:
        self._numbers = numbers
        self._paths = paths
        self._edges = edges

    def __getitem__(self, path: str) -> frozenset[str]:
        return frozenset(self._paths[number] for number in self._edges[self._numbers[path]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)
