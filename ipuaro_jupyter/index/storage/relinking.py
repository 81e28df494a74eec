"""Resolve imports again where a change of files may have altered their targets."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from ipuaro_jupyter.index.resolve.lookups import touched_locations
from ipuaro_jupyter.index.storage.index_change import IndexChange
from ipuaro_jupyter.index.storage.linking import LinkedFile, Linker
from ipuaro_jupyter.index.storage.stored_index import Links, Module, StoredIndex, decode, encode
from ipuaro_jupyter.index.storage.write_batch import WriteBatch

_CHUNK = 1000
_NOTHING = LinkedFile([], frozenset())


class Relinking:
    """The targets of imports, the edges and the lookups that a change of files alters.

    Args:
        stored: The index before.
        change: The change.
        linker: Resolves imports among the files afterwards.
        rows: Receives the changed rows.
    """

    def __init__(
        self, stored: StoredIndex, change: IndexChange, linker: Linker, rows: WriteBatch
    ) -> None:
        self._stored = stored
        self._change = change
        self._linker = linker
        self._rows = rows
        self._came: defaultdict[str, set[str]] = defaultdict(set)
        self._went: defaultdict[str, set[str]] = defaultdict(set)
        self._looking: defaultdict[int, set[int]] = defaultdict(set)
        self._done: defaultdict[int, set[int]] = defaultdict(set)
        self._keeps_modules = True

    def run(self, *, everything: bool) -> bool:
        """Put the changed rows; return whether all files import and export what they did.

        Args:
            everything: The imports of all files may resolve differently, not only those that were
                looked for where files have come or gone.
        """
        change = self._change
        own = {path: decode(Module, parsed.module) for path, parsed in change.parsed.items()}
        self._compare(own, self._stored.modules(change.indexed_before))
        others = self._stored.each_module() if everything else self._concerned()
        unchanged = change.entries.keys() - change.ids.keys()
        for some in others:  # perhaps also a row that has outlived its file
            rest = {path: module for path, module in some.items() if path in unchanged}
            self._compare(rest, rest)
        self._put_edges()
        self._put_lookup_files()
        return self._keeps_modules

    def _concerned(self) -> Iterable[Mapping[str, Module]]:
        """Yield the modules whose imports were looked for where files have come or gone.

        A file of another package than before has come, too.
        """
        change = self._change
        moved = [*change.moved, *self._in_other_packages()]
        if not moved:
            return
        locations = touched_locations(moved, change.before, change.entries)
        looking = self._stored.lookup_files(locations).values()
        paths = [*self._stored.paths(set[int]().union(*looking)).values()]
        for start in range(0, len(paths), _CHUNK):
            yield self._stored.modules(paths[start : start + _CHUNK])

    def _in_other_packages(self) -> list[str]:
        """The files of Java that say that they are of another package than before.

        The package statement is the first of what a file imports, with all types that it mentions.
        """
        change = self._change
        some = [path for path in change.ids if path.endswith(".java") and path in change.before]
        before = self._stored.modules(some) if some else {}
        return [path for path in some if _first(before.get(path)) != self._first_after(path)]

    def _first_after(self, path: str) -> tuple[str, bool]:
        parsed = self._change.parsed.get(path)
        return _first(decode(Module, parsed.module) if parsed is not None else None)

    def _compare(self, modules: Mapping[str, Module], before: Mapping[str, Module]) -> None:
        """Resolve the imports of some files again, and put what has changed.

        Args:
            modules: The imports and exports afterwards.
            before: Those of the files that were indexed before; without one afterwards, a file no
                longer is.
        """
        known = list(before)
        links_before, looked_before = self._stored.links(known), self._stored.lookups(known)
        for path in modules.keys() | links_before.keys():
            old_links, looked = links_before.get(path), looked_before.get(path, set())
            module = modules.get(path)
            new = _NOTHING if module is None else self._linker.linked(path, module)
            if module is not None and new.links != old_links:
                self._rows.put_links(path, new.links)
            if module is not None and new.locations != looked:
                self._rows.put_lookups(path, new.locations)
            number = self._change.id_of(path)
            for location in new.locations - looked:
                self._looking[location].add(number)
            for location in looked - new.locations:
                self._done[location].add(number)
            self._note_edges(path, self._linker.edges(path, new.links), old_links)
            is_same = new.links == old_links and _contents(before.get(path)) == _contents(module)
            self._keeps_modules &= is_same

    def _note_edges(self, path: str, edges: set[str], links: Links | None) -> None:
        known = self._change.before
        targets = {target for link in links or () for target in link.targets}
        old = {target for target in targets if target in known} - {path}
        for target in edges - old:
            self._came[target].add(path)
        for target in old - edges:
            self._went[target].add(path)

    def _put_edges(self) -> None:
        targets = [*(self._came.keys() | self._went.keys())]
        current = self._stored.dependents(targets)
        for target in targets:
            importers = (set(current.get(target, ())) - self._went[target]) | self._came[target]
            is_there = target in self._change.entries
            self._rows.put_dependents(target, importers if is_there else set())
        (edges,) = self._stored.info("edges")
        count = msgspec.msgpack.decode(edges, type=int) if edges else 0
        count += sum(map(len, self._came.values())) - sum(map(len, self._went.values()))
        self._rows.put_info("edges", encode(count))

    def _put_lookup_files(self) -> None:
        changed = self._looking.keys() | self._done.keys()
        current = self._stored.lookup_files(changed)
        for location in changed:
            kept = current.get(location, set()) - self._done[location]
            self._rows.put_lookup_files(location, kept | self._looking[location])


def _first(module: Module | None) -> tuple[str, bool]:
    """What a module imports first, "" for nothing, and whether that may be by a plain import."""
    first = module.imports[0] if module is not None and module.imports else None
    if first is None:
        return "", False
    names = [imported for imported, _ in first.names]
    return first.source, len(names) == 1 or "*" in names


def _contents(module: Module | None) -> tuple[list[object], list[object]]:
    """What a module imports and exports, wherever in the file."""
    if module is None:
        return [], []
    imports: list[object] = [(one.source, one.kind, one.names) for one in module.imports]
    return imports, [(one.name, one.local, one.source) for one in module.exports]
