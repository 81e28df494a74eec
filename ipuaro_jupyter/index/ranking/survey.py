"""The data that ranks the files of a project: uses, weights and words.

Made from the index, once for each of its states; nothing is parsed.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.extract.split_words import words_in
from ipuaro_jupyter.index.ranking.components import strong_components
from ipuaro_jupyter.index.ranking.dependency_graph import DependencyGraph
from ipuaro_jupyter.index.ranking.file_roles import file_type
from ipuaro_jupyter.index.ranking.name_uses import NameUses, name_uses
from ipuaro_jupyter.index.ranking.page_rank import (
    EvenEdges,
    EvenSources,
    Neighbours,
    page_rank_along,
    turned,
)
from ipuaro_jupyter.index.ranking.words import WordIndex, words_of_name
from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.stored_index import Definitions, StoredIndex, SymbolEntry
from ipuaro_jupyter.records.code import FileType

_VERY_MANY_FILES = 20_000
_BACK = 1 / 3
_START: Mapping[FileType, float] = {
    "source": 1.0,
    "types": 0.5,
    "test": 0.2,
    "config": 0.2,
    "unknown": 0.1,
}
_NAME_WEIGHT = 3.0
_WRITTEN_SHARE = 0.05
_MOST_WRITTEN = 20
_WRITTEN_GAP_NS = 60 * 10**9

_OF_PATHS = frozenset({"numbers", "named", "folders", "start"})
_OF_IMPORTS = frozenset({"impact", "cycles"})
_OF_USES = frozenset({"ranks", "around"})
"""The computed attributes by what they are made from; they depend on no time."""

_FEW_CHANGES = 20


@dataclass(frozen=True)
class Survey:
    """The data that ranks the files of a project, at one state of its index; files are numbers.

    Attributes:
        generation: Identifies the state.
        foundation: Identifies what all of the rest but ``mtimes`` is made from.
        is_huge: Whether there are so many files that they are ranked by imports, and found by the
            words of their paths, alone.
        paths: The files by their numbers, sorted.
        mtimes: When each was written, in nanoseconds since the epoch.
        imports: The graph of imports.
        uses: The files that each file uses, with shares that sum up to 1: half of them go along
            imports, half along exported names that occur in others (all along imports where
            ``is_huge``).
        users: The files that use each file, with these shares.
        components: The strongly connected components of uses, each after those that it reaches.
        words: Finds files by the words of their paths and declarations.
        declared: Returns the numbers of the files that declare symbols, by bare or qualified name.
        graph: Identifies what ``imports`` is made from.
        hashes: The content that each file had when its uses and words were counted.
        names: The uses of exported names; None where ``is_huge``.
    """

    generation: bytes
    foundation: bytes
    is_huge: bool
    paths: Sequence[str]
    mtimes: Sequence[int]
    imports: DependencyGraph
    uses: Neighbours
    users: Neighbours
    components: Sequence[Sequence[int]]
    words: WordIndex
    declared: Callable[[Sequence[str]], Mapping[str, Sequence[int]]]
    graph: bytes
    hashes: Sequence[str]
    names: NameUses | None

    def at(self, snapshot: Snapshot) -> "Survey":
        """The same survey at another state of the index, which has the same foundation."""
        files = snapshot.files
        mtimes = [files[path].mtime_ns for path in self.paths]
        later = replace(self, generation=snapshot.generation, mtimes=mtimes)
        later.take_from(self)
        return later

    def take_from(self, known: "Survey") -> None:
        """Take over what a survey of the same files has computed from the same."""
        lasting = _OF_PATHS
        if self.imports is known.imports:
            lasting |= _OF_IMPORTS
        if self.uses is known.uses:
            lasting |= _OF_USES
        vars(self).update({name: vars(known)[name] for name in lasting & vars(known).keys()})

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of each file, by path."""
        return {path: number for number, path in enumerate(self.paths)}

    @cached_property
    def named(self) -> Mapping[str, Sequence[int]]:
        """The files of each name, by the name in lower case, with and without its extension."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, path in enumerate(self.paths):
            name = path.rpartition("/")[2].lower()
            for known in {name, name.partition(".")[0] or name, name.rpartition(".")[0] or name}:
                found[known].append(number)
        return found

    @cached_property
    def folders(self) -> Mapping[str, int]:
        """The number of files directly in each folder."""
        return Counter(path.rpartition("/")[0] for path in self.paths)

    @cached_property
    def written_lately(self) -> Sequence[int]:
        """The files written well after the others; empty unless they are few."""
        times = self.mtimes
        order = sorted(range(len(times)), key=times.__getitem__, reverse=True)
        most = min(_MOST_WRITTEN, ceil(_WRITTEN_SHARE * len(order)))
        if most >= len(order):
            return []
        before = times[order[most]] + _WRITTEN_GAP_NS
        return [number for number in order[:most] if times[number] >= before]

    @cached_property
    def ranks(self) -> Sequence[float]:
        """The weight of each file for all others; the sum is 1."""
        return page_rank_along(self.components, self.users, self.start)

    @cached_property
    def start(self) -> Sequence[float]:
        """The prior weight of each file, judged by its role: at most 1."""
        return [_START[file_type(path)] for path in self.paths]

    @cached_property
    def impact(self) -> Sequence[str]:
        """The files that most others reach by imports, most first; tests left out."""
        most = self.imports.most_impact(len(self.paths))
        return [path for path in most if file_type(path) != "test"]

    @cached_property
    def cycles(self) -> Sequence[tuple[str, ...]]:
        """The groups of files that import each other, largest first."""
        return self.imports.cycles()

    @cached_property
    def around(self) -> Neighbours:
        """The files that each file uses and, with half of that weight, those that use it."""
        return _BothWays(self.uses, self.users)


class _BothWays(dict[int, Sequence[tuple[int, float]]]):
    """Edges in both directions, made where they are looked at: of very many these are few."""

    def __init__(self, uses: Neighbours, users: Neighbours) -> None:
        super().__init__()
        self._uses = uses
        self._users = users

    def __missing__(self, node: int) -> Sequence[tuple[int, float]]:
        found = self[node] = _undirected(self._uses[node], self._users[node])
        return found


def survey_of(stored: StoredIndex, snapshot: Snapshot, *, known: Survey | None = None) -> Survey:
    """The survey of an index as it is now.

    Args:
        stored: The index.
        snapshot: Its state.
        known: A survey of an earlier state. What is made from the same is taken from it: after an
            edit that keeps imports and declarations, only how often a file uses a name differs.
    """
    files = snapshot.files
    is_huge = len(files) >= _VERY_MANY_FILES
    foundation = snapshot.graph if is_huge else snapshot.shape
    if known is not None and (known.is_huge, known.foundation) == (is_huge, foundation):
        return known.at(snapshot)
    paths = sorted(path for path, entry in files.items() if entry.number)
    hashes = [files[path].hash for path in paths]
    numbers = {files[path].number: place for place, path in enumerate(paths)}
    before = None if known is None or (known.is_huge, known.paths) != (is_huge, paths) else known
    changed = [] if before is None else _changed(before.hashes, hashes)
    if len(changed) > _FEW_CHANGES:
        before = None
    names, words = _names_and_words(stored, paths, numbers, before, changed, is_huge=is_huge)
    if before is not None and before.graph == snapshot.graph:
        graph = before.imports
    else:
        edges = dict.fromkeys(paths, ())
        importers = (row for row in stored.each_dependents() if row[0] in edges)
        graph = DependencyGraph(edges, dependents=importers)
    uses, users, components = _uses(graph, names, before)
    survey = Survey(
        generation=snapshot.generation,
        foundation=foundation,
        is_huge=is_huge,
        paths=paths,
        mtimes=[files[path].mtime_ns for path in paths],
        imports=graph,
        uses=uses,
        users=users,
        components=components,
        words=words,
        declared=lambda names: _declaring(stored.symbols(names), numbers),
        graph=snapshot.graph,
        hashes=hashes,
        names=names,
    )
    if before is not None:
        survey.take_from(before)
    return survey


def _changed(before: Sequence[str], now: Sequence[str]) -> list[int]:
    """The files whose content differs."""
    pairs = enumerate(zip(before, now, strict=True))
    return [place for place, (old, new) in pairs if old != new]


def _names_and_words(
    stored: StoredIndex,
    paths: Sequence[str],
    numbers: Mapping[int, int],
    known: Survey | None,
    changed: Sequence[int],
    *,
    is_huge: bool,
) -> tuple[NameUses | None, WordIndex]:
    """The uses of names, and the words of the files; ``changed`` are those that differ."""
    if is_huge:
        words = WordIndex(_word_counts(paths, {})) if known is None else known.words
        return None, words
    if known is None or known.names is None:
        words = WordIndex(_word_counts(paths, stored.definitions(paths)))
        return name_uses(stored, paths, numbers), words
    some = [paths[place] for place in changed]
    texts = dict(zip(changed, _word_counts(some, stored.definitions(some)), strict=True))
    return known.names.changed(stored, paths, numbers, changed), known.words.changed(texts)


def _uses(
    graph: DependencyGraph, names: NameUses | None, known: Survey | None
) -> tuple[Neighbours, Neighbours, Sequence[Sequence[int]]]:
    """The uses of each file, the users of each, and the components of uses.

    Args:
        graph: The imports.
        names: The uses of names; None: only imports count.
        known: A survey of the same files: what has not changed since is taken from it.
    """
    if names is None:
        even = EvenEdges(graph.edges)
        return even, EvenSources(graph.edges, graph.turned), graph.components
    if known is None or known.names is None:
        shares = list(map(_shares, graph.edges, names.weights))
        return shares, turned(shares), strong_components(list(map(_targets, shares)))
    before, imported = known.names.weights, known.imports.edges
    differing = [
        place
        for place, (edges, row) in enumerate(zip(graph.edges, names.weights, strict=True))
        if row is not before[place] or edges != imported[place]
    ]
    if not differing:
        return known.uses, known.users, known.components
    shares = [known.uses[place] for place in range(len(graph.edges))]
    for place in differing:
        shares[place] = _shares(graph.edges[place], names.weights[place])
    if all(_targets(known.uses[place]) == _targets(shares[place]) for place in differing):
        return shares, turned(shares), known.components
    return shares, turned(shares), strong_components(list(map(_targets, shares)))


def _targets(shares: Sequence[tuple[int, float]]) -> list[int]:
    return [target for target, _ in shares]


def _shares(targets: Sequence[int], named: Mapping[int, float]) -> Sequence[tuple[int, float]]:
    """The uses of a file; where both exist, half of the weight goes along imports."""
    kinds = [kind for kind in (dict.fromkeys(targets, 1.0), named) if kind]
    shares: dict[int, float] = {}
    for kind in kinds:
        whole = sum(kind[target] for target in sorted(kind)) * len(kinds)
        for target, weight in kind.items():
            shares[target] = shares.get(target, 0.0) + weight / whole
    return sorted(shares.items())


def _undirected(
    targets: Sequence[tuple[int, float]], sources: Sequence[tuple[int, float]]
) -> list[tuple[int, float]]:
    """Edges in both directions whose shares sum up to 1."""
    if not sources:
        return list(targets)
    back = sum(share for _, share in sources) / (_BACK if targets else 1.0)
    onward = 1.0 - _BACK
    merged = {target: onward * share for target, share in targets}
    for source, share in sources:
        merged[source] = merged.get(source, 0.0) + share / back
    return sorted(merged.items())


def _word_counts(
    paths: Sequence[str], definitions: Mapping[str, Definitions]
) -> Iterator[Mapping[str, float]]:
    """Yield the words of each file: those of its name, its folders and its declarations."""
    of_folders: dict[str, Counter[str]] = {}
    for path in paths:
        checkpoint()
        folder, _, name = path.rpartition("/")
        stem = name.partition(".")[0] or name
        if folder not in of_folders:
            of_folders[folder] = Counter(words_in(folder))
        counts: dict[str, float] = dict(of_folders[folder])
        for word in words_of_name(stem):
            counts[word] = counts.get(word, 0.0) + _NAME_WEIGHT
        for symbol in {qualified.rpartition(".")[2] for qualified in definitions.get(path, ())}:
            for word in words_of_name(symbol):
                counts[word] = counts.get(word, 0.0) + 1.0
        yield counts


def _declaring(
    symbols: Mapping[str, Sequence[SymbolEntry]], numbers: Mapping[int, int]
) -> dict[str, list[int]]:
    return {
        name: sorted({numbers[entry.number] for entry in entries if entry.number in numbers})
        for name, entries in symbols.items()
    }
