"""The imports between the files of an index: single edges, the whole graph, its survey."""

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.cancellation import grace
from ipuaro_jupyter.index.installed.node_environment import NodeEnvironment
from ipuaro_jupyter.index.installed.python_environment import PythonEnvironment
from ipuaro_jupyter.index.ranking.dependency_graph import DependencyGraph
from ipuaro_jupyter.index.ranking.nodes import Nodes
from ipuaro_jupyter.index.ranking.survey import Survey, survey_of
from ipuaro_jupyter.index.resolve.lookups import touched_locations
from ipuaro_jupyter.index.resolve.project_paths import folder_of
from ipuaro_jupyter.index.resolve.resolver import Resolution
from ipuaro_jupyter.index.storage.fresh_reads import FreshReads
from ipuaro_jupyter.index.storage.rebuilding import mended
from ipuaro_jupyter.index.storage.stored_index import DEFAULT, EVERYTHING, StoredIndex
from ipuaro_jupyter.index.storage.sync import IndexSync
from ipuaro_jupyter.languages.registry import is_open
from ipuaro_jupyter.records.code import Dependency

_ENDING = re.compile(r"(?<=[^./])(?:\.d)?\.[cm]?[jt]sx?$|(?<=[^./])\.pyi?$")
_MOST_NAMES = 50  # that are looked for in what is stored, before it is decoded


class DanglingImport(NamedTuple):
    """An import that leads to no file of the project, and is not known to mean another one.

    Attributes:
        path: The importing file.
        line: Its line, 1-based.
        source: The module, as written.
        names: The imported names, as exported there.
        wanted: The path that it names; None where that is not known.
    """

    path: str
    line: int
    source: str
    names: tuple[str, ...]
    wanted: str | None

    @property
    def package(self) -> str:
        """The module of Python that has to be installed for it, without dots; "" for none."""
        is_absolute = self.wanted is None and is_open(self.path)
        return self.source.partition(".")[0] if is_absolute else ""

    @property
    def specifier(self) -> str:
        """What it looks for, as a path without an extension of code."""
        if self.wanted is None and is_open(self.path):
            return self.source.replace(".", "/")
        return _ENDING.sub("", self.wanted or self.source)

    @property
    def place(self) -> str | None:
        """The path at which to look for a file that the index leaves out; None: at none."""
        return f"{self.source.replace('.', '/')}.py" if self.package else self.wanted

    @property
    def ends(self) -> Iterator[str]:
        """The names that the file may have for which it looks, without an extension of code."""
        yield self.specifier.rpartition("/")[2]
        if is_open(self.path):  # each name may be a module
            yield from self.names


class DanglingImports:
    """Finds imports that lead to no file, by the name of the file for which they look.

    These are relative ones, and those that may have an alias, since no package of that name is
    installed or asked for: `#ui/card`, `components/card`; in Python those of modules that are not
    installed.

    Args:
        root: The project's folder.
        stored: The index.
        sync: Knows the packages.
    """

    def __init__(self, root: Path, stored: StoredIndex, sync: IndexSync) -> None:
        self._root = root
        self._stored = stored
        self._sync = sync

    def looking_for(
        self, names: Collection[str], files: Collection[str], *, taking: str = ""
    ) -> list[DanglingImport]:
        """The imports that look for files of these names, by path and line.

        Args:
            names: Without the extensions of code.
            files: Those of the project.
            taking: Only those that may take this name from such a file; "": all.
        """
        wanted, taken = frozenset(names), frozenset({taking, EVERYTHING, DEFAULT, *names})
        installed = PythonEnvironment(self._root)
        node = NodeEnvironment(self._root, self._sync.linker.resolver.packages, files)
        return sorted(
            one
            for one in self._among(files, _naming(wanted))
            if not wanted.isdisjoint(one.ends)
            and not (taking and one.names and taken.isdisjoint(one.names))
            and not (one.package and installed.has(one.package))
            and (one.wanted is not None or one.package or not node.has(one.source, one.path))
        )

    def _among(
        self, files: Collection[str], having: re.Pattern[bytes] | None
    ) -> Iterator[DanglingImport]:
        """Yield those of the files whose stored imports have something."""
        for modules in self._stored.each_module(having=having):
            known = self._stored.links([*modules])
            for path, module in modules.items():
                is_python = is_open(path)
                for item, link in zip(module.imports, known.get(path, ()), strict=False):
                    if _is_dangling(item.source, link, files, is_python=is_python):
                        names = tuple(name for name, _ in item.names)
                        yield DanglingImport(path, item.line, item.source, names, link.target)


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
        self._dangling = DanglingImports(root, stored, sync)
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

    def asked_packages(self, path: str) -> tuple[str, frozenset[str]]:
        """The folder of the package that a file belongs to, and the packages it depends on."""
        packages = self._sync.linker.resolver.packages
        found = packages.around(folder_of(path))
        return ("", frozenset()) if found is None else (found.folder, found.asked)

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


def _naming(names: Collection[str]) -> re.Pattern[bytes] | None:
    """What the MessagePack of imports has that end with one of the names; None: too many to say.

    Before the name is a part of the path, or the head of a string of 31 or 255 bytes at most.
    """
    if len(names) > _MOST_NAMES:
        return None
    listed = b"|".join(re.escape(name.encode()) for name in sorted(names))
    return re.compile(rb"(?:[/.\xa0-\xbf]|\xd9.)(?:%b)(?![\w$-])" % listed, re.DOTALL)


def _is_dangling(source: str, link: Resolution, files: Collection[str], *, is_python: bool) -> bool:
    """Whether an import leads to no file of the index, and may mean one of the project."""
    if link.target is not None:
        return not link.modules and link.target not in files
    if link.modules:
        return False
    if is_python:
        first = source.partition(".")[0]
        return bool(first) and first not in sys.stdlib_module_names
    return bool(source)
