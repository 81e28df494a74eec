"""The index of a project's code, equal to the disk at every read.

For a path that a call names, the result is exact: the file is compared with the disk first. For the
rest, what has changed is found out and indexed first, and the files in the result are compared with
the disk; when one has changed, the result is made again. Where that is not possible, whoever asks
is told so: see `doubts`.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.index.binding.definitions import located, located_imports, plain_name
from ipuaro_jupyter.index.binding.reference_cache import LookupState, ReferenceCache
from ipuaro_jupyter.index.binding.renaming import Renaming
from ipuaro_jupyter.index.binding.text_cache import TextCache
from ipuaro_jupyter.index.binding.uses import Uses
from ipuaro_jupyter.index.completion_names import CompletionNames
from ipuaro_jupyter.index.dump import dumped
from ipuaro_jupyter.index.engines.engines import Engines
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.fresh_uses import FreshUses
from ipuaro_jupyter.index.installed.imported_from import origins_of
from ipuaro_jupyter.index.installed.installed_packages import (
    InstalledAnswer,
    PackageDeclarations,
)
from ipuaro_jupyter.index.measures import metrics_of, todos_of
from ipuaro_jupyter.index.project_imports import ProjectImports
from ipuaro_jupyter.index.reporting import report_of
from ipuaro_jupyter.index.retrieval.asked import AskedQuestion
from ipuaro_jupyter.index.retrieval.ranked_search import RankedSearch, Ranking
from ipuaro_jupyter.index.storage.fresh_reads import FreshReads
from ipuaro_jupyter.index.storage.index_settings import IndexSettings as IndexSettings  # noqa: PLC0414
from ipuaro_jupyter.index.storage.indexing_progress import Meter, OnProgress
from ipuaro_jupyter.index.storage.questions import asked
from ipuaro_jupyter.index.storage.rebuilding import mended
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.index.storage.sync import IndexSync
from ipuaro_jupyter.index.storage.workers import OpenWorkers
from ipuaro_jupyter.index.suggestions import SEPARATOR, similar_in, similar_names
from ipuaro_jupyter.index.unread_code import UnreadCode
from ipuaro_jupyter.languages.registry import is_code
from ipuaro_jupyter.records.code import FileFacts, Metrics, Reference, SymbolLocation, Todo
from ipuaro_jupyter.records.index_report import IndexReport
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.workspace.files.listing import Listing
from ipuaro_jupyter.workspace.files.watch import Watch, WatchSettings
from ipuaro_jupyter.workspace.workspace import Workspace

T = TypeVar("T")


class CodeIndex:
    """The index of one project; thread-safe.

    Paths in are relative to the project, as `Workspace.relative` gives them; paths out are too.
    Every method raises StorageError when Redis has gone.

    Attributes:
        imports: The imports between the files.
        unread: The files that may hold code and are not read as such.

    Args:
        workspace: The project.
        store: Holds the index.
        settings: The settings of the index.
        open_workers: Opens what parses large amounts; None: what the settings say.
    """

    def __init__(
        self,
        workspace: Workspace,
        store: Store,
        settings: IndexSettings,
        *,
        open_workers: OpenWorkers | None = None,
    ) -> None:
        self._root = workspace.root
        self._stored = StoredIndex(store, Keys(project_id(workspace.root)))
        self._engines = Engines(settings)
        self._told = ""
        self._sync = IndexSync(
            workspace, self._stored, settings, open_workers or self._engines.open
        )
        self._fresh = FreshReads(self._root, self._stored, self._sync)
        self.imports = ProjectImports(self._root, self._stored, self._sync, self._fresh)
        self._paths = CompletionNames(lambda: self._sync.snapshot.files)
        self._symbols = CompletionNames(self._stored.symbol_names)
        self._texts = TextCache(self._root)
        cache = ReferenceCache(self._stored, self._texts, most_bytes=settings.parsed_bytes)
        self._uses = FreshUses(cache, self._sync, self._fresh)
        self.unread = UnreadCode(self._root, self._sync)
        self._search = RankedSearch(self._stored, self._sync, self._fresh, self._texts)

    def watch(self, settings: WatchSettings) -> None:
        """Index changes as they happen from now on, unless the settings say otherwise."""
        if settings.enabled and self._sync.watch is None:
            self._sync.watch = Watch(
                self._root,
                settings,
                files=lambda: self._sync.snapshot.files,
                changed=self._sync.note_seen,
            )

    def close(self) -> None:
        """Stop watching, and end the processes kept for parsing. The index may still be read."""
        self._sync.close()

    @mended
    def refresh(
        self,
        *,
        full: bool = False,
        progress: OnProgress | None = None,
        cancel: CancelToken | None = None,
    ) -> IndexReport:
        """Bring the index up to date with the disk, and return a summary of it.

        Args:
            full: Parse every file again, also those that have not changed.
            progress: Receives the progress now and then.
            cancel: Cancels the update, which leaves the index as it was.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        began = time.monotonic()
        done = self._sync.refresh(full=full, meter=Meter(progress, cancel))
        seconds = time.monotonic() - began
        self._told = self._engines.take_told()
        return report_of(
            self._stored,
            self._sync.snapshot,
            parsed=done.parsed,
            known=done.known,
            seconds=seconds,
            problem=self._told,
        )

    def touch(self, paths: Iterable[str], *, written: Mapping[str, bytes] | None = None) -> None:
        """Index the present state of some files or folders at once, or leave it to the next read.

        Args:
            paths: The files or folders, which may have vanished.
            written: Content just written to some of the files: these are compared with the disk
                when they are next read, instead of now.
        """
        with suppress(Cancelled):  # the write has happened, and its caller must report it
            self._fresh.touch(paths, written=written)

    @property
    def doubts(self) -> tuple[str, ...]:
        """Sentences about what the answers to the present `IndexQuestion` may lack."""
        question = asked()
        return () if question is None else tuple(question.doubts)

    @mended
    def facts(self, path: str) -> FileFacts | None:
        """The facts of a file as it is on disk now.

        Also for a file that is not indexed, because git ignores it, for example. None when there is
        no such file, it is not text, or its language is not parsed.
        """
        if not is_code(path):
            return None
        blob = self._fresh.blob(path)
        return None if blob is None else FileFacts.model_validate(unpack_facts(blob))

    @mended
    def paths(self, prefix: str = "") -> list[str]:
        """The indexed files, sorted: all, or those that are ``prefix`` or below it."""
        self._sync.catch_up()
        return self._fresh.indexed(prefix)

    def listing(self) -> Listing | None:
        """The project's files as they are on disk now; None when only listing them tells."""
        return self._sync.listing()

    @mended
    def definitions(self, name: str) -> list[SymbolLocation]:
        """The declarations of a symbol, by path and line; all overloads.

        Args:
            name: Bare, or qualified as in "Class.method".
        """
        self._sync.catch_up()
        return self._fresh.checked(
            lambda: located(self._stored, name), lambda found: [s.path for s in found]
        )

    @mended
    def meant_definitions(self, symbol: str, *, declared_in: str = "") -> list[SymbolLocation]:
        """The declarations that a symbol stands for, where none is called so.

        A chain of names is that of an inherited member, one of the type of a value, or a name
        behind a module; a bare name is what files import under it, maybe a whole module.

        Args:
            symbol: Bare, or with dots.
            declared_in: The file with the first name; "" for any.
        """
        name = plain_name(symbol)
        self._sync.catch_up()
        if "." not in name:
            return self._fresh.checked(
                lambda: located_imports(self._stored, name, declared_in),
                lambda found: [place.path for place in found],
            )
        meant = self.ask(lambda asked: asked.references.declared(name, declared_in))
        return [
            place
            for path, qualified in sorted(meant)
            for place in self.definitions(qualified)
            if (place.path, place.qualified) == (path, qualified)
        ]

    @mended
    def installed(self, name: str) -> InstalledAnswer:
        """The declarations of a name in the installed packages that it is imported from.

        Args:
            name: Bare, or a chain of names as in "React.useState".
        """
        self._sync.catch_up()
        origins = origins_of(self._stored, plain_name(name))
        return PackageDeclarations(self._root, self._sync.reader).answer(origins)

    def texts(self, paths: Iterable[str]) -> dict[str, tuple[bytes, str]]:
        """The present contents of files of the project, each with its hash; others are left out.

        The content is what lines refer to; for a notebook, the code of its cells.
        """
        return self._texts.of(paths)

    @mended
    def similar(self, name: str, *, limit: int = 5) -> list[SymbolLocation]:
        """Symbols with names like ``name``, the most similar first, each once."""
        self._sync.catch_up()
        if "." in name:
            near = similar_names(name, self._stored.symbol_names(), limit=2 * limit)
        else:
            near = similar_in(self._stored.bare_names(SEPARATOR), name, limit=2 * limit)
        found: dict[tuple[str, int, str], SymbolLocation] = {}
        for candidate in near:
            for place in self.definitions(candidate):
                found.setdefault((place.path, place.line, place.name), place)
        return list(found.values())[:limit]

    def references(self, symbol: str, *, path: str | None = None) -> list[Reference]:
        """Every use of a symbol in the code, by path, line and column.

        Declarations and the other names that importing files give it are included. Unconfirmed
        matches of the name have ``resolved`` False; for a qualified symbol they are left out.

        Args:
            symbol: Bare, or qualified as in "Class.method".
            path: The file or folder to look in; None: the whole project.
        """
        return self.uses(symbol, path=path, limit=None).first

    @mended
    def uses(
        self, symbol: str, *, path: str | None = None, limit: int | None, declared_in: str = ""
    ) -> Uses:
        """The number of uses of a symbol, and the first of them; see `references`.

        When time runs out, the uses found so far.

        Args:
            symbol: Bare, or qualified as in "Class.method".
            path: The file or folder to look in; None: the whole project.
            limit: How many to return; None: all.
            declared_in: The file whose declaration is meant; "": all declarations.

        Raises:
            TimeUp: Time ran out before any file was looked at.
        """
        return self._uses.of(symbol, path=path, limit=limit, declared_in=declared_in)

    @mended
    def renaming(self, path: str, qualified: str, to: str) -> Renaming:
        """The edits that give a declaration another name, in all files.

        Args:
            path: The file of the declaration.
            qualified: Its qualified name there.
            to: The new name.

        Raises:
            TimeUp: Time ran out.
        """
        return self._uses.renaming(path, qualified, to)

    @mended
    def ask(self, question: Callable[[LookupState], T]) -> T:
        """The answer to a question that reads one state of the index.

        It is asked again when a file that it read has changed meanwhile. When time runs out, it has
        to answer with what it has.
        """
        return self._uses.ask(question)

    @mended
    def known_paths(self, prefix: str, *, limit: int) -> list[str]:
        """The first indexed paths, sorted, with this prefix; as fresh as `naming`."""
        at = self._sync.snapshot.generation
        return self._paths.beginning(prefix, generation=at, limit=limit)

    @mended
    def known_symbols(self, prefix: str, *, limit: int) -> list[str]:
        """The first symbols, bare and qualified, sorted, with this prefix; as fresh as `naming`."""
        generation = self._sync.snapshot.generation
        return self._symbols.beginning(prefix, generation=generation, limit=limit)

    @mended
    def naming(self, name: str) -> frozenset[str]:
        """The files whose code contains an identifier, as indexed now.

        Neither compared with the disk nor brought up to date: a hint where to look first.
        """
        found = self._stored.tokens([name]).get(name, {})
        return frozenset(self._stored.paths(found).values())

    @mended
    def blobs(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The facts of indexed files as stored, checked against the disk, by path.

        See `facts_format.unpack_facts`; a file that has gone is left out.
        """
        return self._fresh.checked(lambda: self._stored.blobs(paths), lambda found: found.keys())

    @mended
    def having(self, name: str) -> list[str]:
        """The files in which an identifier occurs, by path."""
        self._sync.catch_up()
        numbers = self._stored.tokens([name]).get(name, ())
        paths = sorted(self._stored.paths(numbers).values())
        self._stored.must_be_whole()
        return paths

    @mended
    def ranked(self, asked: AskedQuestion) -> Ranking:
        """The files and declarations that a question is about, the best first."""
        return self._search.ranked(asked)

    @mended
    def named(self, asked: AskedQuestion) -> list[str]:
        """The files that a question names, by path, by symbol or by name, the surest first."""
        return self._search.named(asked)

    @mended
    def metrics(self, prefix: str = "") -> dict[str, Metrics]:
        """The complexity of the parsed files that are ``prefix`` or below it, by path."""
        return metrics_of(self._fresh.metas(prefix))

    @mended
    def todos(self, prefix: str = "") -> dict[str, tuple[Todo, ...]]:
        """The markers in comments, by path, of the files that have some."""
        return todos_of(self._fresh.metas(prefix))

    @mended
    def summary(self) -> IndexReport:
        """A summary of the index, which waits for a writer only to answer a question."""
        waits = asked() is not None
        self._sync.catch_up(wait_s=float(waits), must=waits)
        problem = "" if self._sync.watch is None else self._sync.watch.problem
        told = " ".join(filter(None, (problem, self._told)))
        return report_of(self._stored, self._sync.snapshot, problem=told)

    def rebuild(self) -> None:
        """Make the index anew, for a part of it is damaged."""
        self._sync.rebuild()

    def dump(self) -> Iterator[dict[str, Any]]:
        """Yield one object per indexed file, by path, ready for `json.dumps`.

        The form is that of ``ipuaro index --dump``.
        """
        self._sync.catch_up()
        files = frozenset(self._sync.snapshot.files)
        return dumped(self._stored, self._fresh.indexed(""), files)
