"""What is known of a project's code, up to date with the disk whenever it is asked.

For a path that a call names, the answer is exact: the file is compared with the disk first. For
the rest, a scan that is at most a moment old has taken up what changed elsewhere, and the files
in the answer are compared with the disk; when one has changed, the answer is made again.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, get_args

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.index.binding.definitions import located, plain_name
from ipuaro_jupyter.index.binding.reference_cache import KeptReferences
from ipuaro_jupyter.index.binding.references import Uses
from ipuaro_jupyter.index.binding.text_cache import KeptTexts
from ipuaro_jupyter.index.completion_names import KnownNames
from ipuaro_jupyter.index.dump import dumped
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.ranking.dependency_graph import DependencyGraph
from ipuaro_jupyter.index.ranking.nodes import Nodes
from ipuaro_jupyter.index.ranking.survey import Survey, survey_of
from ipuaro_jupyter.index.reporting import report_of
from ipuaro_jupyter.index.storage.fresh_reads import Fresh
from ipuaro_jupyter.index.storage.index_settings import IndexSettings as IndexSettings  # noqa: PLC0414
from ipuaro_jupyter.index.storage.indexing_progress import Meter, OnProgress
from ipuaro_jupyter.index.storage.stored_index import Stored
from ipuaro_jupyter.index.storage.sync import Upkeep
from ipuaro_jupyter.index.suggestions import similar_names
from ipuaro_jupyter.languages.registry import is_code
from ipuaro_jupyter.records.code import (
    Dependency,
    FileFacts,
    Metrics,
    Reference,
    SymbolLocation,
    Todo,
    TodoType,
)
from ipuaro_jupyter.records.index_report import IndexReport
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.workspace.files.watch import Watch, WatchSettings
from ipuaro_jupyter.workspace.workspace import Workspace

_TRIES = 3


class CodeIndex:
    """The index of one project; safe for several threads.

    Paths in are relative to the project, as `Workspace.relative` gives them; paths out are too.
    Every method raises StorageError when Redis has gone.

    Args:
        workspace: The project.
        store: Where the index is kept.
        settings: How it is made.
        executor: Where files are parsed when there are many; None: processes of our own.
    """

    def __init__(
        self,
        workspace: Workspace,
        store: Store,
        settings: IndexSettings,
        *,
        executor: Executor | None = None,
    ) -> None:
        self._root = workspace.root
        self._settings = settings
        self._stored = Stored(store, Keys(project_id(workspace.root)))
        self._upkeep = Upkeep(workspace, self._stored, settings, executor)
        self._fresh = Fresh(self._root, self._stored, self._upkeep)
        self._nodes = Nodes(self._stored, self._upkeep)
        self._paths = KnownNames(lambda: self._upkeep.snapshot.files)
        self._symbols = KnownNames(self._stored.symbol_names)
        self._references = KeptReferences(
            self._stored, self._root, most_bytes=settings.parsed_bytes
        )
        self._texts = KeptTexts(self._root)
        self._survey: Survey | None = None

    def watch(self, settings: WatchSettings) -> None:
        """Take up changes as they happen from now on, unless the settings say otherwise."""
        if settings.enabled and self._upkeep.watch is None:
            self._upkeep.watch = Watch(
                self._root,
                settings,
                files=lambda: self._upkeep.snapshot.files,
                changed=self._upkeep.note_seen,
            )

    def close(self) -> None:
        """Stop watching, and end the processes that were kept. It may be asked on."""
        self._upkeep.close()

    def refresh(
        self,
        *,
        full: bool = False,
        progress: OnProgress | None = None,
        cancel: CancelToken | None = None,
    ) -> IndexReport:
        """Bring the index up to date with the disk, and return what it holds.

        Args:
            full: Parse every file again, also those that have not changed.
            progress: Told now and then how far it is.
            cancel: Breaks it off; the index is as it was then.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        began = time.monotonic()
        parsed = self._upkeep.refresh(full=full, meter=Meter(progress, cancel))
        seconds = time.monotonic() - began
        return report_of(self._stored, self._upkeep.snapshot, parsed=parsed, seconds=seconds)

    def touch(self, paths: Iterable[str]) -> None:
        """Take up the present state of some files or folders at once, vanished ones included.

        While somebody else is writing the index, that is left to the next question.
        """
        self._fresh.take_up(list(paths))

    def facts(self, path: str) -> FileFacts | None:
        """Return what is known of a file as it is on disk now.

        Also for a file that is not indexed, because git ignores it, for example. None when there
        is no such file, it is no text, or its language is not parsed.
        """
        if not is_code(path):
            return None
        blob = self._fresh.blob(path)
        return None if blob is None else FileFacts.model_validate(unpack_facts(blob))

    def paths(self, prefix: str = "") -> list[str]:
        """Return the indexed files, sorted: all, or those that are or are in ``prefix``."""
        self._upkeep.catch_up()
        return self._fresh.indexed(prefix)

    def definitions(self, name: str) -> list[SymbolLocation]:
        """Return where a symbol is declared, by path and line; all overloads.

        Args:
            name: Bare, or qualified as in "Class.method".
        """
        self._upkeep.catch_up()
        return self._fresh.checked(
            lambda: located(self._stored, name), lambda found: [s.path for s in found]
        )

    def texts(self, paths: Iterable[str]) -> dict[str, tuple[bytes, str]]:
        """Return what is in files of the project now, each with its hash; else they are left out.

        It is what lines are about, which of a notebook is the code of its cells.
        """
        return self._texts.of(paths)

    def similar(self, name: str, *, limit: int = 5) -> list[SymbolLocation]:
        """Return symbols with names like ``name``, the likeliest first, each once."""
        self._upkeep.catch_up()
        known = self._stored.symbol_names() if "." in name else self._stored.bare_names()
        near = similar_names(name, known, limit=2 * limit)
        found: dict[tuple[str, int, str], SymbolLocation] = {}
        for candidate in near:
            for place in self.definitions(candidate):
                found.setdefault((place.path, place.line, place.name), place)
        return list(found.values())[:limit]

    def references(self, symbol: str, *, path: str | None = None) -> list[Reference]:
        """Return every use of a symbol in the code, by path, line and column.

        The declarations are among them, and what other files call it. Other matches of the name
        come with ``resolved`` False; for a qualified symbol they are left out.

        Args:
            symbol: Bare, or qualified as in "Class.method".
            path: The file or folder to look in; None: the whole project.
        """
        return self.uses(symbol, path=path, limit=None).first

    def uses(self, symbol: str, *, path: str | None = None, limit: int | None) -> Uses:
        """Return how many uses of a symbol there are, and the first of them; see `references`.

        Args:
            symbol: Bare, or qualified as in "Class.method".
            path: The file or folder to look in; None: the whole project.
            limit: How many to return; None: all.
        """
        self._upkeep.catch_up()
        for _ in range(_TRIES):
            with self._references.at(self._upkeep.snapshot) as asked:
                found = asked.references.of(plain_name(symbol), path, limit=limit)
                snapshot, used = self._upkeep.snapshot, asked.files.used
                stale = {*asked.stale(snapshot), *self._upkeep.stale(used)}
            if stale:
                if not self._fresh.take_up(stale):
                    break
            elif snapshot.generation == asked.generation:
                break
        return found

    def known_paths(self, prefix: str, *, limit: int) -> list[str]:
        """Return the first paths, sorted, that begin so, as the index has them; see `naming`."""
        generation = self._upkeep.snapshot.generation
        return self._paths.beginning(prefix, generation=generation, limit=limit)

    def known_symbols(self, prefix: str, *, limit: int) -> list[str]:
        """Return the first symbols, bare and qualified, sorted, that begin so; see `naming`."""
        generation = self._upkeep.snapshot.generation
        return self._symbols.beginning(prefix, generation=generation, limit=limit)

    def naming(self, name: str) -> frozenset[str]:
        """Return the files in whose code an identifier stands, as the index has them now.

        Neither compared with the disk nor brought up to date: where to look first, no answer.
        """
        found = self._stored.tokens([name]).get(name, {})
        return frozenset(self._stored.paths(found).values())

    def dependencies(self, path: str) -> list[Dependency]:
        """Return the files that a file imports, by path, each once.

        A relative import that leads nowhere is among them, its path as the import has it.
        """
        self._upkeep.catch_up()
        targets = {target for link in self._fresh.links(path) for target in link.targets}
        return self._nodes.of(sorted(targets - {path}))

    def dependents(self, path: str) -> list[Dependency]:
        """Return the files that import a file, by path."""
        self._upkeep.catch_up()
        return self._fresh.checked(
            lambda: self._nodes.of(self._stored.dependents([path]).get(path, [])),
            lambda found: [node.path for node in found],
        )

    def node(self, path: str) -> Dependency:
        """Return a file as a node of the graph; it need not exist."""
        return self.nodes([path])[0]

    def nodes(self, paths: Sequence[str]) -> list[Dependency]:
        """Return files as nodes of the graph, in the order given; they need not exist."""
        self._upkeep.catch_up()
        return self._nodes.of(paths)

    def graph(self) -> DependencyGraph:
        """Return which file imports which, dangling imports left out."""
        self._upkeep.catch_up()
        paths = self._fresh.indexed("")
        links = self._stored.links(paths)
        files = self._upkeep.snapshot.files
        return DependencyGraph(
            {
                path: {to for link in links.get(path, ()) for to in link.targets if to in files}
                for path in paths
            }
        )

    def survey(self) -> Survey:
        """Return what ranks the files; it is made anew when the index has changed."""
        self._upkeep.catch_up()
        snapshot, survey = self._upkeep.snapshot, self._survey
        if survey is None or survey.generation != snapshot.generation:
            self._survey = survey = survey_of(self._stored, snapshot)
        return survey

    def blobs(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Return the facts of indexed files as they are stored, equal to the disk, by path.

        See `facts_format.unpack_facts`; a file that has gone is left out.
        """
        return self._fresh.checked(lambda: self._stored.blobs(paths), lambda found: found.keys())

    def having(self, name: str) -> list[str]:
        """Return the files in which an identifier occurs, by path."""
        self._upkeep.catch_up()
        numbers = self._stored.tokens([name]).get(name, ())
        return sorted(self._stored.paths(numbers).values())

    def metrics(self, prefix: str = "") -> dict[str, Metrics]:
        """Return the complexity of the parsed files that are or are in ``prefix``, by path."""
        return {
            path: Metrics(
                loc=meta.loc,
                nesting_depth=meta.nesting_depth,
                cyclomatic_complexity=meta.cyclomatic_complexity,
            )
            for path, meta in self._fresh.metas(prefix).items()
            if is_code(path)
        }

    def todos(self, prefix: str = "") -> dict[str, tuple[Todo, ...]]:
        """Return the markers in comments, by path, of the files that have some."""
        return {
            path: tuple(_todo(line, kind, text) for line, kind, text in meta.todos)
            for path, meta in self._fresh.metas(prefix).items()
            if meta.todos
        }

    def summary(self) -> IndexReport:
        """Return what the index holds; it never waits for whoever is writing it."""
        self._upkeep.catch_up(wait_s=0.0, must=False)
        watch = self._upkeep.watch
        problem = "" if watch is None else watch.problem
        return report_of(self._stored, self._upkeep.snapshot, problem=problem)

    def dump(self) -> Iterator[dict[str, Any]]:
        """Yield one object per indexed file, by path, ready for `json.dumps`.

        The form is that of ``ipuaro index --dump``.
        """
        self._upkeep.catch_up()
        files = frozenset(self._upkeep.snapshot.files)
        return dumped(self._stored, self._fresh.indexed(""), files)


def _todo(line: int, kind: str, text: str) -> Todo:
    known = next(known for known in get_args(TodoType) if known == kind)
    return Todo(line=line, type=known, text=text)
