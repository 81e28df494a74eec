"""What is known of a project's code, up to date with the disk whenever it is asked.

For a path that a call names, the answer is exact: the file is compared with the disk first. For
the rest, a scan that is at most a moment old has taken up what changed elsewhere, and the files
in the answer are compared with the disk; when one has changed, the answer is made again.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Executor
from typing import Any, TypeVar, get_args

import msgspec

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.dump import dumped
from ipuaro_jupyter.index.facts_format import unpack_facts
from ipuaro_jupyter.index.graph import Graph
from ipuaro_jupyter.index.nodes import Nodes
from ipuaro_jupyter.index.opened_files import OpenedFiles
from ipuaro_jupyter.index.parse import parse_file
from ipuaro_jupyter.index.parsed import ParsedFile, decoded
from ipuaro_jupyter.index.project_paths import is_inside
from ipuaro_jupyter.index.reading import Progress
from ipuaro_jupyter.index.references import References
from ipuaro_jupyter.index.stored import Links, Meta, Stored, SymbolEntry
from ipuaro_jupyter.index.suggestions import similar_names
from ipuaro_jupyter.index.tracing import Tracing
from ipuaro_jupyter.index.upkeep import IndexSettings as IndexSettings  # noqa: PLC0414
from ipuaro_jupyter.index.upkeep import Upkeep
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.records.code import (
    Dependency,
    FileFacts,
    Metrics,
    Reference,
    SymbolKind,
    SymbolLocation,
    Todo,
    TodoType,
)
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.workspace import disk
from ipuaro_jupyter.workspace.text_file import sniff
from ipuaro_jupyter.workspace.workspace import Workspace

MANY_FILES = 10_000
_TRIES = 3
T = TypeVar("T")


class IndexReport(Record):
    """What the index holds.

    ``languages`` counts files by language, ``skipped`` gives the reason by path, ``symlinks`` the
    target by path. ``edges`` counts pairs of files of which one imports the other. ``seconds`` is
    what this refresh took, for a summary what the last full build took. ``notice`` is a sentence
    for the user, or "".
    """

    files: int
    languages: dict[str, int]
    skipped: dict[str, str]
    symlinks: dict[str, str]
    edges: int
    symbols: int
    size_bytes: int
    seconds: float
    notice: str = ""


class CodeIndex:
    """The index of one project.

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
        self._nodes = Nodes(self._stored, self._upkeep)

    def refresh(
        self,
        *,
        full: bool = False,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> IndexReport:
        """Bring the index up to date with the disk, and return what it holds.

        Args:
            full: Parse every file again, also those that have not changed.
            progress: Called with (files done, files to do).
            cancel: Breaks it off; the index is as it was then.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        began = time.monotonic()
        self._upkeep.refresh(full=full, progress=progress, cancel=cancel)
        return self._report(time.monotonic() - began)

    def touch(self, paths: Iterable[str]) -> None:
        """Take up the present state of some files or folders at once, vanished ones included."""
        self._upkeep.take_up(paths)

    def facts(self, path: str) -> FileFacts | None:
        """Return what is known of a file as it is on disk now.

        Also for a file that is not indexed, because git ignores it, for example. None when there
        is no such file, it is no text, or its language is not parsed.
        """
        language = language_for(path)
        if language is None or not language.is_parsed:
            return None
        blob = self._fresh_blob(path)
        return None if blob is None else FileFacts.model_validate(unpack_facts(blob))

    def paths(self, prefix: str = "") -> list[str]:
        """Return the indexed files, sorted: all, or those that are or are in ``prefix``."""
        self._upkeep.scan()
        return self._indexed(prefix)

    def definitions(self, name: str) -> list[SymbolLocation]:
        """Return where a symbol is declared, by path and line; all overloads.

        Args:
            name: Bare, or qualified as in "Class.method".
        """
        self._upkeep.scan()
        return self._checked(lambda: self._located(name), lambda found: [s.path for s in found])

    def similar(self, name: str, *, limit: int = 5) -> list[SymbolLocation]:
        """Return symbols with names like ``name``, the likeliest first, each once."""
        self._upkeep.scan()
        near = similar_names(name, self._stored.symbol_names(), limit=2 * limit)
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
        self._upkeep.scan()
        for _ in range(_TRIES):
            files = OpenedFiles(self._stored, self._root, most_bytes=self._settings.parsed_bytes)
            found = References(self._stored, files).of(_plain(symbol), path)
            known = self._upkeep.snapshot.files
            stale = [
                opened
                for opened in files.paths
                if opened not in known or files.file(opened).hash != known[opened].hash
            ]
            if not stale:
                break
            self._upkeep.take_up(stale)
        return found

    def dependencies(self, path: str) -> list[Dependency]:
        """Return the files that a file imports, by path, each once.

        A relative import that leads nowhere is among them, its path as the import has it.
        """
        self._upkeep.scan()
        targets = {link.target for link in self._links(path)}
        return self._nodes.of(sorted(target for target in targets if target not in (None, path)))

    def dependents(self, path: str) -> list[Dependency]:
        """Return the files that import a file, by path."""
        self._upkeep.scan()
        return self._checked(
            lambda: self._nodes.of(self._stored.dependents([path]).get(path, [])),
            lambda found: [node.path for node in found],
        )

    def node(self, path: str) -> Dependency:
        """Return a file as a node of the graph; it need not exist."""
        self._upkeep.scan()
        return self._nodes.of([path])[0]

    def graph(self) -> Graph:
        """Return which file imports which, dangling imports left out."""
        self._upkeep.scan()
        paths = self._indexed("")
        links = self._stored.links(paths)
        files = self._upkeep.snapshot.files
        return Graph(
            {
                path: {t for _, t in links.get(path, ()) if t is not None and t in files}
                for path in paths
            }
        )

    def metrics(self, prefix: str = "") -> dict[str, Metrics]:
        """Return the complexity of the parsed files that are or are in ``prefix``, by path."""
        return {
            path: Metrics(
                loc=meta.loc,
                nesting_depth=meta.nesting_depth,
                cyclomatic_complexity=meta.cyclomatic_complexity,
            )
            for path, meta in self._metas(prefix).items()
            if (language := language_for(path)) is not None and language.is_parsed
        }

    def todos(self, prefix: str = "") -> dict[str, tuple[Todo, ...]]:
        """Return the markers in comments, by path, of the files that have some."""
        return {
            path: tuple(_todo(line, kind, text) for line, kind, text in meta.todos)
            for path, meta in self._metas(prefix).items()
            if meta.todos
        }

    def summary(self) -> IndexReport:
        """Return what the index holds."""
        self._upkeep.scan()
        (seconds,) = self._stored.info("seconds")
        return self._report(msgspec.msgpack.decode(seconds) if seconds else 0.0)

    def dump(self) -> Iterator[dict[str, Any]]:
        """Yield one object per indexed file, by path, ready for `json.dumps`.

        The form is that of ``ipuaro index --dump``.
        """
        self._upkeep.scan()
        files = frozenset(self._upkeep.snapshot.files)
        return dumped(self._stored, self._indexed(""), files)

    def _indexed(self, prefix: str) -> list[str]:
        files = self._upkeep.snapshot.files
        return [path for path, e in sorted(files.items()) if e.number and is_inside(path, prefix)]

    def _checked(self, make: Callable[[], T], paths_of: Callable[[T], Collection[str]]) -> T:
        """Return an answer of which no file has changed since it was indexed.

        Args:
            make: Makes the answer.
            paths_of: Returns the files that an answer is about.
        """
        for _ in range(_TRIES):
            answer = make()
            stale = self._upkeep.stale(set(paths_of(answer)))
            if not stale:
                break
            self._upkeep.take_up(stale)
        return answer

    def _know(self, path: str) -> bool:
        """Bring the index up to date with one file; return whether the file is in it."""
        if path not in self._upkeep.snapshot.files:
            self._upkeep.scan()
        elif self._upkeep.stale([path]):
            self._upkeep.take_up([path])
        entry = self._upkeep.snapshot.files.get(path)
        return entry is not None and bool(entry.number)

    def _parsed(self, path: str) -> ParsedFile | None:
        """Return what a file holds that is not indexed; None when it is no text file."""
        try:
            content = disk.read(self._root, path)
        except ToolError:
            return None
        if content is None or sniff(content.data) is not None:
            return None
        return decoded(parse_file(path, content.data))

    def _links(self, path: str) -> Links:
        if self._know(path):
            return self._stored.links([path]).get(path, [])
        parsed = self._parsed(path)
        return [] if parsed is None else self._upkeep.linker.links(path, parsed.module)

    def _metas(self, prefix: str) -> dict[str, Meta]:
        is_fresh = self._upkeep.scan()
        if prefix and not self._indexed(prefix):
            parsed = None if self._know(prefix) else self._parsed(prefix)
            return {} if parsed is None else {prefix: parsed.meta}
        if is_fresh:
            return self._stored.metas(self._indexed(prefix))
        return self._checked(
            lambda: self._stored.metas(self._indexed(prefix)), lambda found: found.keys()
        )

    def _located(self, name: str) -> list[SymbolLocation]:
        """Return where a name is declared, or what is exported under it."""
        plain = _plain(name)
        entries = self._stored.symbols([plain]).get(plain, [])
        if not entries:
            return self._located_exports(plain)
        paths = self._stored.paths({entry.number for entry in entries})
        return _locations(entries, paths)

    def _located_exports(self, name: str) -> list[SymbolLocation]:
        """Return where that is declared which some file exports under another name."""
        numbers = self._stored.tokens([name]).get(name, ())
        tracing = Tracing(self._stored)
        exporting = list(self._stored.paths(numbers).values())
        tracing.load(exporting)
        found: set[tuple[str, str]] = set()
        for path in exporting:
            if tracing.exports(path, name):
                found |= tracing.exported(path, (name,))
        entries = self._stored.symbols([qualified for _, qualified in found])
        some = [entry for listed in entries.values() for entry in listed]
        places = self._stored.paths({entry.number for entry in some})
        return [s for s in _locations(some, places) if (s.path, s.qualified) in found]

    def _report(self, seconds: float) -> IndexReport:
        files = self._upkeep.snapshot.files
        listing = self._upkeep.listing
        indexed = [entry for entry in files.values() if entry.number]
        skipped = {path: entry.reason for path, entry in files.items() if entry.reason}
        edges, symbols = self._stored.info("edges", "symbols")
        notice = (
            f"{len(indexed)} files: the first index takes a while."
            if (len(indexed) > MANY_FILES)
            else ""
        )
        return IndexReport(
            files=len(indexed),
            languages=dict(sorted(Counter(entry.language for entry in indexed).items())),
            skipped=dict(sorted((listing.skipped | skipped).items())),
            symlinks=dict(listing.symlinks),
            edges=msgspec.msgpack.decode(edges) if edges else 0,
            symbols=msgspec.msgpack.decode(symbols) if symbols else 0,
            size_bytes=sum(entry.size for entry in indexed),
            seconds=seconds,
            notice=notice,
        )

    def _fresh_blob(self, path: str) -> bytes | None:
        """Return the facts of a file as it is on disk now; None when it is no text file."""
        if self._know(path):
            return self._stored.blob(path)
        parsed = self._parsed(path)
        return None if parsed is None else parsed.blob


def _plain(symbol: str) -> str:
    """Return a symbol without the signs that people put around it."""
    return symbol.strip().removesuffix("()").replace("::", ".")


def _locations(entries: Iterable[SymbolEntry], paths: dict[int, str]) -> list[SymbolLocation]:
    found = {
        SymbolLocation(
            name=entry.qualified.rpartition(".")[2],
            qualified=entry.qualified,
            path=paths[entry.number],
            line=entry.line,
            kind=_kind(entry.kind),
        )
        for entry in entries
        if entry.number in paths
    }
    return sorted(found, key=lambda place: (place.path, place.line, place.qualified))


def _kind(text: str) -> SymbolKind:
    return next(kind for kind in get_args(SymbolKind) if kind == text)


def _todo(line: int, kind: str, text: str) -> Todo:
    known = next(known for known in get_args(TodoType) if known == kind)
    return Todo(line=line, type=known, text=text)
