"""The imports between the files of an index: single edges, the whole graph, its survey."""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from pathlib import Path

from ipuaro_jupyter.cancellation import grace
from ipuaro_jupyter.index.dangling_imports import DanglingImport, DanglingImports
from ipuaro_jupyter.index.ranking.dependency_graph import DependencyGraph
from ipuaro_jupyter.index.ranking.nodes import Nodes
from ipuaro_jupyter.index.ranking.survey import Survey, survey_of
from ipuaro_jupyter.index.resolve.lookups import touched_locations
from ipuaro_jupyter.index.storage.fresh_reads import FreshReads
from ipuaro_jupyter.index.storage.rebuilding import mended
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.index.storage.sync import IndexSync
from ipuaro_jupyter.records.code import Dependency


class ProjectImports:
    """The imports between the files of a project, as the files are on disk now.

    Args:
        root: The project's folder.
        stored: The index.
        sync: Brings it up to date.
        fresh: Reads it, checked against the disk.
    """

    def __init__(self, root: Path, stored: StoredIndex, sync: IndexSync, fresh: FreshReads) -> None:
        self._stored = stored
        self._sync = sync
        self._fresh = fresh
        self._nodes = Nodes(stored, sync)
        self._dangling = DanglingImports(root, stored)
        self._survey: Survey | None = None

    @mended
    def dependencies(self, path: str) -> list[Dependency]:
        """The files that a file imports, by path, each once.

        A relative import that leads nowhere is included, with the path it names.
        """
        self._sync.catch_up()
        targets = {target for link in self._fresh.links(path) for target in link.targets}
        return self._nodes.of(sorted(targets - {path}))

    @mended
    def dependents(self, path: str) -> list[Dependency]:
        """The files that import a file, by path."""
        self._sync.catch_up()
        return self._fresh.checked(
            lambda: self._nodes.of(self._stored.dependents([path]).get(path, [])),
            lambda found: [node.path for node in found],
        )

    @mended
    def leading_nowhere(self, names: Collection[str], *, taking: str = "") -> list[DanglingImport]:
        """The imports that look for files of these names, and lead to none; by path and line.

        As of the last look at the disk.

        Args:
            names: The names, without the extensions of code.
            taking: Only imports that may take this name from such a file; "": all.
        """
        with grace():
            found = self._fresh.checked(
                lambda: self._dangling.looking_for(names, self._sync.snapshot.files, taking=taking),
                lambda found: {one.path for one in found},
            )
            places = list({one.place for one in found if one.place is not None})
            nodes = zip(places, self._nodes.of(places), strict=True)
        there = {place for place, node in nodes if node.exists}
        return [one for one in found if one.place not in there]

    def node(self, path: str) -> Dependency:
        """A file as a node of the graph; it need not exist."""
        return self.nodes([path])[0]

    @mended
    def nodes(self, paths: Sequence[str]) -> list[Dependency]:
        """Files as nodes of the graph, in the order given; they need not exist."""
        self._sync.catch_up()
        nodes = self._nodes.of(paths)
        self._stored.must_be_whole()
        return nodes

    @mended
    def graph(self, *, gone: Iterable[str] = ()) -> DependencyGraph:
        """The graph of imports, without dangling ones.

        Args:
            gone: Files to take in as if they were there, with the imports that would lead to them.
        """
        self._sync.catch_up()
        paths = self._fresh.indexed("")
        known = dict.fromkeys(paths, ())
        lost = frozenset(gone) - self._sync.snapshot.files.keys()
        edges = chain(self._stored.each_dependents(), self._importers(lost).items())
        graph = DependencyGraph(known, dependents=edges)
        self._stored.must_be_whole()
        return graph

    def _importers(self, lost: Collection[str]) -> dict[str, set[str]]:
        """The files whose imports would lead to files that are not there, if these were."""
        found: dict[str, set[str]] = {path: set() for path in lost}
        if not lost:
            return found
        files = self._sync.snapshot.files
        with_them = files.keys() | lost
        looking = self._stored.lookup_files(
            touched_locations(lost, files, dict.fromkeys(with_them))
        )
        importers = self._stored.paths(set[int]().union(*looking.values())).values()
        linker = self._sync.linker.apart(with_them)
        for path, module in self._stored.modules([*importers]).items():
            for target in linker.edges(path, linker.links(path, module)) & found.keys():
                found[target].add(path)
        return found

    @mended
    def survey(self) -> Survey:
        """The data that ranks the files; made anew when the index has changed."""
        self._sync.catch_up()
        snapshot, survey = self._sync.snapshot, self._survey
        if survey is None or survey.generation != snapshot.generation:
            survey = survey_of(self._stored, snapshot, known=survey)
            self._stored.must_be_whole()
            if self._sync.snapshot.generation == snapshot.generation:  # else parts may be newer
                self._survey = survey
        return survey

    def rebuild(self) -> None:
        """Make the index anew, for a part of it is damaged."""
        self._sync.rebuild()
