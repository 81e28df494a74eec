"""Which files use the exports of others, judged by the identifiers in them; files are numbers."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.extract.postings import counts
from ipuaro_jupyter.index.storage.stored_index import Module, StoredIndex

_MOST_DEFINERS = 8

Weights = Sequence[Mapping[int, float]]
_Users = dict[str, Mapping[int, int]]


@dataclass(frozen=True)
class NameUses:
    """The uses of exported names.

    Attributes:
        exports: The names that each file exports as its own.
        exporters: The files that export each name.
        users: The files in which a name occurs, with how often; of names that few files export.
        occurring: Those of these names that occur in each file, sorted.
        weights: The weight with which each file uses the exports of others.
    """

    exports: Sequence[frozenset[str]]
    exporters: Mapping[str, frozenset[int]]
    users: Mapping[str, Mapping[int, int]]
    occurring: Sequence[Sequence[str]]
    weights: Weights

    def changed(
        self,
        stored: StoredIndex,
        paths: Sequence[str],
        numbers: Mapping[int, int],
        places: Collection[int],
    ) -> "NameUses":
        """The uses now that some files have other contents; weights that are the same are kept.

        Args:
            stored: The index.
            paths: The files by their numbers, which are the same as before.
            numbers: Their numbers, by their ids in the index.
            places: The numbers of the files that may have changed.
        """
        named = {place: paths[place] for place in places}
        modules, postings = stored.modules([*named.values()]), stored.postings([*named.values()])
        exports, exporters = list(self.exports), dict(self.exporters)
        touched: set[str] = set()
        for place, path in named.items():
            now = _exported(modules.get(path))
            for name in exports[place] ^ now:
                exporters[name] = exporters.get(name, frozenset()) ^ {place}
                touched.add(name)
            exports[place] = now
        users: _Users = dict(self.users)
        telling = {name for name in touched if _is_telling(exporters[name])}
        for name in touched - telling:
            users.pop(name, None)
        users |= _users(stored, sorted(telling - users.keys()), numbers)
        affected = {*places}
        for name in touched:
            affected |= self.users.get(name, {}).keys() | users.get(name, {}).keys()
            if not exporters[name]:
                del exporters[name]
        looked_at: dict[int, set[str]] = {}
        for place, path in named.items():
            checkpoint()
            often = dict(counts(postings.get(path, b"")))
            names = touched.union(often.keys() & users.keys(), self.occurring[place])
            looked_at[place] = names
            affected |= _count(users, place, {name: often.get(name, 0) for name in names})
        occurring, weights = list(self.occurring), list(self.weights)
        for place in affected:
            checkpoint()
            names = looked_at.get(place, touched).union(occurring[place])
            occurring[place] = sorted(name for name in names if place in users.get(name, ()))
        rows = _weights(
            exporters, users, {place: occurring[place] for place in affected}, len(paths)
        )
        for place, row in rows.items():
            if row != weights[place]:
                weights[place] = row
        return NameUses(exports, exporters, users, occurring, weights)


def name_uses(stored: StoredIndex, paths: Sequence[str], numbers: Mapping[int, int]) -> NameUses:
    """The uses of exported names among all files.

    Args:
        stored: The index.
        paths: The files by their numbers.
        numbers: Their numbers, by their ids in the index.
    """
    modules = stored.modules(paths)
    exports = [_exported(modules.get(path)) for path in paths]
    exporting: defaultdict[str, set[int]] = defaultdict(set)
    for place, names in enumerate(exports):
        for name in names:
            exporting[name].add(place)
    exporters = {name: frozenset(some) for name, some in exporting.items()}
    telling = sorted(name for name, some in exporters.items() if _is_telling(some))
    users = _users(stored, telling, numbers)
    occurring: list[list[str]] = [[] for _ in paths]
    for name, using in users.items():
        for place in using:
            occurring[place].append(name)
    rows = _weights(exporters, users, dict(enumerate(occurring)), len(paths))
    return NameUses(exports, exporters, users, occurring, [*rows.values()])


def _exported(module: Module | None) -> frozenset[str]:
    if module is None:
        return frozenset()
    return frozenset(one.local or one.name for one in module.exports if one.source is None)


def _is_telling(exporters: Collection[int]) -> bool:
    return 0 < len(exporters) <= _MOST_DEFINERS


def _users(stored: StoredIndex, names: Sequence[str], numbers: Mapping[int, int]) -> _Users:
    """The files in which each of the names occurs; none is left out."""
    found: _Users = {name: {} for name in names}
    for name, occurring in stored.tokens(names).items():
        found[name] = {numbers[n]: count for n, count in occurring.items() if n in numbers}
    return found


def _count(users: _Users, place: int, now: Mapping[str, int]) -> set[int]:
    """Note how often names occur in a file; return the files with names that are rarer, or less."""
    affected: set[int] = set()
    for name in now.keys() & users.keys():
        before, count = users[name], now[name]
        if count == before.get(place, 0):
            continue
        after = {**before, place: count}
        if not count:
            del after[place]
        if not count or place not in before:
            affected |= after.keys()
        users[name] = after
    return affected


def _weights(
    exporters: Mapping[str, frozenset[int]],
    users: Mapping[str, Mapping[int, int]],
    occurring: Mapping[int, Sequence[str]],
    count: int,
) -> dict[int, dict[int, float]]:
    """The weights of some files: a use counts more of a name that few files have.

    Args:
        exporters: The files that export each name.
        users: The files that have it, with how often.
        occurring: The names that each of the files in question has, sorted.
        count: The number of all files.
    """
    found: dict[int, dict[int, float]] = {}
    rarities: dict[str, float] = {}
    for place, names in occurring.items():
        checkpoint()
        row = found[place] = dict[int, float]()
        for name in names:
            some, using = exporters[name], users[name]
            if place in some:
                continue
            if name not in rarities:
                rarities[name] = log((1 + count) / len(using)) / len(some)
            weight = rarities[name] * sqrt(using[place])
            for exporter in some:
                row[exporter] = row.get(exporter, 0.0) + weight
    return found
