"""The declarations of a name in the packages that a project has installed."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from os import walk
from pathlib import Path
from typing import NamedTuple, Protocol, get_args

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parsed_file import ParsedFile
from ipuaro_jupyter.index.extract.symbols import SymbolRow, symbol_rows
from ipuaro_jupyter.index.installed.imported_from import ImportedFrom, Origins
from ipuaro_jupyter.index.installed.package_files import PackageFiles
from ipuaro_jupyter.index.installed.python_packages import PythonPackages, environment_of
from ipuaro_jupyter.index.resolve.bundler_search import bundler_rules
from ipuaro_jupyter.index.resolve.candidates import JAVASCRIPT, TYPED, Candidates
from ipuaro_jupyter.index.resolve.folder_search import FolderSearch, ModuleCandidate
from ipuaro_jupyter.index.resolve.module_search import split_name, types_name
from ipuaro_jupyter.index.resolve.packages import Packages
from ipuaro_jupyter.index.resolve.project_paths import folder_of, folders_up, join
from ipuaro_jupyter.index.resolve.resolution import Resolution
from ipuaro_jupyter.index.resolve.tsconfig import TsConfig
from ipuaro_jupyter.index.storage.stored_index import (
    DEFAULT,
    EVERYTHING,
    Definitions,
    Links,
    Module,
    ModuleImport,
    decode,
)
from ipuaro_jupyter.languages.registry import is_open
from ipuaro_jupyter.records.code import SymbolKind
from ipuaro_jupyter.workspace.files.folders import inner_path
from ipuaro_jupyter.workspace.files.text_file import sniff

_KINDS: dict[str, SymbolKind] = {kind: kind for kind in get_args(SymbolKind)}
_MOST_FOUND = 20
_LINES_BEFORE, _LINES_AFTER = 1, 4
_BUILT_IN = "node:"
_IMPORTED = frozenset({"import", "types", "node"})
_REQUIRED = frozenset({"require", "types", "node"})
_MOST_FILES = 600
_MOST_BYTES = 40_000_000
_MOST_SEARCHED = 4_000
_DECLARING = (".d.ts", ".d.mts", ".d.cts", ".pyi", ".py")


class Parser(Protocol):
    """Parses a text file that is not in the index."""

    def parsed(self, path: str, data: bytes) -> ParsedFile:
        """The facts of the file."""


Resolve = Callable[[str, str, Sequence[str]], Resolution]
"""Finds a module by its specifier, the importing file and the names imported from it."""


class InstalledModules:
    """Reads the files of packages, as far as a bound: see `was_cut`.

    Attributes:
        was_cut: Files were left out because too many were asked for.

    Args:
        files: The files.
        parser: Parses them.
        resolve: Finds the modules that they import.
    """

    def __init__(self, files: PackageFiles, parser: Parser, resolve: Resolve) -> None:
        self._files = files
        self._parser = parser
        self._resolve = resolve
        self._known: dict[str, tuple[ParsedFile, bytes] | None] = {}
        self._size_bytes = 0
        self.was_cut = False
        self.symbols = lru_cache(_MOST_FILES)(self._symbols)

    def linked_modules(self, paths: Sequence[str]) -> dict[str, tuple[Module, Links]]:
        """The imports and exports of files, with the targets of the imports."""
        found: dict[str, tuple[Module, Links]] = {}
        for path in paths:
            read = self._read(path)
            if read is not None:
                module: Module = decode(Module, read[0].module)
                found[path] = module, [self._link(path, item) for item in module.imports]
        return found

    def other_halves(self, path: str) -> list[str]:  # noqa: ARG002 - the protocol's
        """None: declarations stand for all of a package."""
        return []

    def dependents(self, paths: Sequence[str]) -> dict[str, list[str]]:  # noqa: ARG002 - see below
        """None: who imports a file of a package is not asked."""
        return {}

    def lines(self, path: str) -> Sequence[str]:
        """The lines of a file."""
        read = self._read(path)
        return [] if read is None else read[1].decode("utf-8", "replace").splitlines()

    def declaring(self, folder: str, name: str) -> Iterator[str]:
        """Yield the files below a folder with declarations, in which a name occurs."""
        word = re.compile(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])")
        for path in islice(self._below(folder), _MOST_SEARCHED):
            checkpoint()
            data = self._files.data(path)
            if data is not None and word.search(data):
                yield path

    def _below(self, folder: str) -> Iterator[str]:
        base = str(self._files.base)
        for place, inner, names in walk(f"{base}/{folder}"):
            inner[:] = sorted(one for one in inner if one not in {"node_modules", "__pycache__"})
            for name in sorted(names):
                if name.endswith(_DECLARING):
                    yield f"{place[len(base) + 1 :]}/{name}"

    def _symbols(self, path: str) -> list[SymbolRow]:
        """The symbols that a file declares."""
        read = self._read(path)
        if read is None:
            return []
        parsed, data = read
        definitions: Definitions = decode(Definitions, parsed.definitions)
        return symbol_rows(unpack_facts(parsed.facts), definitions, data)

    def _link(self, path: str, item: ModuleImport) -> Resolution:
        return self._resolve(item.source, path, [imported for imported, _ in item.names])

    def _read(self, path: str) -> tuple[ParsedFile, bytes] | None:
        if path not in self._known:
            checkpoint()
            if len(self._known) >= _MOST_FILES or self._size_bytes >= _MOST_BYTES:
                self.was_cut = True
                return None
            data = self._files.data(path)
            if data is None or sniff(data, path) is not None:
                self._known[path] = None
            else:
                self._size_bytes += len(data)
                self._known[path] = self._parser.parsed(path, data), data
        return self._known[path]


class NodePackages:
    """Finds modules in ``node_modules``.

    Args:
        files: The files of the project, with what is installed in it.
    """

    def __init__(self, files: PackageFiles) -> None:
        self._files = files
        self._packages = Packages(files, files.text)
        find, rules = Candidates(files, {}), bundler_rules(TsConfig())
        self._searches = [
            FolderSearch(find, self._packages, rules._replace(conditions=conditions))
            for conditions in (_IMPORTED, _REQUIRED)
        ]

    def resolve(self, source: str, importer: str) -> str | None:
        """The file with the declarations of a module; None when it is not installed.

        Args:
            source: The module specifier, as written.
            importer: The importing file.
        """
        folder = folder_of(importer)
        if source.startswith("."):
            path = join(folder, source)
            if path is None:
                return None
            place = ModuleCandidate(path, is_folder=source.endswith(("/", ".")))
            search = self._searches[0]
            return search.at(TYPED, place) or search.at(JAVASCRIPT, place)
        if source.startswith(_BUILT_IN):
            return self._built_in(source.removeprefix(_BUILT_IN), folder)
        return self._by_name(source, folder) or self._built_in(source, folder)

    def package_of(self, path: str) -> tuple[str, str, str]:
        """The folder, name and version of the package that a file belongs to, as it says them."""
        for folder in folders_up(folder_of(path)):
            package = self._packages.at(folder)
            if package is not None and package.name:
                return folder, package.name, package.field("version") or ""
        return folder_of(path), "", ""

    def _by_name(self, source: str, folder: str) -> str | None:
        name, rest = split_name(source)
        untyped = None
        for above in folders_up(folder):
            if above.rpartition("/")[2] == "node_modules":
                continue
            for wanted, kinds in ((name, TYPED), (types_name(name), TYPED), (name, JAVASCRIPT)):
                found = self._in_package(self._installed(above, wanted), rest, kinds)
                if found is not None and kinds == TYPED:
                    return found
                untyped = untyped or found
        return untyped

    def _in_package(self, place: str | None, rest: str, kinds: int) -> str | None:
        if place is None:
            return None
        found = (search.in_package(place, rest, kinds) for search in self._searches)
        return next((path for path in found if path is not None), None)

    def _installed(self, above: str, name: str) -> str | None:
        place = join(above, f"node_modules/{name}")
        if place is None or not self._files.has_folder(place):
            return None
        return self._files.real(place)  # pnpm links packages

    def _built_in(self, name: str, folder: str) -> str | None:
        """The file of ``@types/node`` with a module of Node."""
        for above in folders_up(folder):
            place = self._installed(above, "@types/node")
            path = None if place is None else join(place, f"{name}.d.ts")
            if path is not None and path in self._files:
                return path
        return None


class InstalledDeclaration(NamedTuple):
    """A declaration in an installed package.

    Attributes:
        path: The file: relative to the project when it is in it, else absolute.
        line: The line, 1-based.
        qualified: The name in the file.
        kind: What it is; a module is a namespace.
        first: The number of the first of ``lines``, 1-based.
        lines: The lines around it.
        package: The package's name, with its version if that is known.
        is_exact: The import leads to it; else it only has the name, in the package imported from.
    """

    path: str
    line: int
    qualified: str
    kind: SymbolKind
    first: int
    lines: tuple[str, ...]
    package: str
    is_exact: bool


class InstalledAnswer(NamedTuple):
    """What is known of a name that comes from outside of the project.

    Attributes:
        declarations: Its declarations, at most 20.
        sources: The modules that the project imports the name from, as written.
    """

    declarations: Sequence[InstalledDeclaration] = ()
    sources: tuple[str, ...] = ()


class _Ecosystem(NamedTuple):
    """One kind of packages."""

    files: PackageFiles
    modules: InstalledModules
    aliases: AliasResolver
    resolve: Resolve
    package_of: Callable[[str], tuple[str, str, str]]


class PackageDeclarations:
    """Looks names up in what is installed, for one question.

    Args:
        root: The project's folder.
        parser: Parses files.
    """

    def __init__(self, root: Path, parser: Parser) -> None:
        self._root = root
        self._parser = parser

    def answer(self, origins: Origins) -> InstalledAnswer:
        """The declarations of a name, by where it comes from."""
        sources = tuple(dict.fromkeys(origin.source for origin in origins.sure))
        for some in (origins.sure, origins.possible):
            found = [one for origin in some for one in self._declared(origin)]
            if found:
                exact = [one for one in found if one.is_exact]
                return InstalledAnswer(list(dict.fromkeys(exact or found))[:_MOST_FOUND], sources)
        return InstalledAnswer(sources=sources)

    @cached_property
    def _node(self) -> _Ecosystem:
        files = PackageFiles(self._root)
        packages = NodePackages(files)

        def resolve(source: str, importer: str, _names: Sequence[str]) -> Resolution:
            path = packages.resolve(source, importer)
            return Resolution(path, path)

        modules = InstalledModules(files, self._parser, resolve)
        aliases = AliasResolver(modules)
        return _Ecosystem(files, modules, aliases, resolve, packages.package_of)

    @cached_property
    def _python(self) -> _Ecosystem:
        base, folders = environment_of(self._root)
        files = PackageFiles(base)
        packages = PythonPackages(files, folders)
        modules = InstalledModules(files, self._parser, packages.resolve)
        return _Ecosystem(
            files, modules, AliasResolver(modules), packages.resolve, packages.package_of
        )

    def _declared(self, origin: ImportedFrom) -> Iterator[InstalledDeclaration]:
        is_python = is_open(origin.importer)
        kind = self._python if is_python else self._node
        start = kind.resolve(origin.source, origin.importer, origin.names[:1])
        inner = start.modules.get(origin.names[0]) if origin.names else None
        path, names = (inner, origin.names[1:]) if inner else (start.path, origin.names)
        if path is None:
            return
        if not names:
            yield self._told(kind, path, (origin.source, 1, "namespace", origin.source), exact=True)
            return
        exact = False
        for place, row in _exact(kind, path, origin.source, names):
            exact = True
            yield self._told(kind, place, row, exact=True)
        if not exact and names != (DEFAULT,):
            rows = _named(kind, path, names[-1] if names[-1] != DEFAULT else names[0])
            for place, row in islice(rows, _MOST_FOUND):
                yield self._told(kind, place, row, exact=False)

    def _told(
        self, kind: _Ecosystem, path: str, row: SymbolRow, *, exact: bool
    ) -> InstalledDeclaration:
        _, line, symbol, qualified = row
        first = max(1, line - _LINES_BEFORE)
        _, name, version = kind.package_of(path)
        place = f"{kind.files.base.as_posix()}/{path}"
        shown = inner_path(self._root, place) or place
        return InstalledDeclaration(
            path=shown,
            line=line,
            qualified=qualified,
            kind=_KINDS[symbol],
            first=first,
            lines=tuple(kind.modules.lines(path)[first - 1 : line + _LINES_AFTER]),
            package=f"{name} {version}".strip(),
            is_exact=exact,
        )


def _exact(
    kind: _Ecosystem, path: str, source: str, names: tuple[str, ...]
) -> Iterator[tuple[str, SymbolRow]]:
    """Yield the declarations that a chain of names leads to from a module."""
    modules, aliases = kind.modules, kind.aliases
    for place in _reached(aliases, path):
        for declared in _meant(aliases, place, names):
            rows = _rows(modules, declared)
            if rows:
                yield from rows
                return
        whole = _whole_module(aliases, place, names)
        if whole is not None:
            yield whole, (names[-1], 1, "namespace", names[-1])
            return
    bare = source.removeprefix("node:")
    wanted = {f"{module}.{'.'.join(names)}" for module in (bare, f"node:{bare}")}
    for row in modules.symbols(path):
        if row[3] in wanted:  # declare module "fs" { … }
            yield path, row


def _rows(modules: InstalledModules, declared: set[Declaration]) -> list[tuple[str, SymbolRow]]:
    return [
        (place, row)
        for place, qualified in sorted(declared)
        for row in modules.symbols(place)
        if row[3] == qualified
    ]


def _meant(aliases: AliasResolver, path: str, names: tuple[str, ...]) -> Iterator[set[Declaration]]:
    """Yield what a chain may mean in a module, the likeliest first.

    ``export = value`` exports the members of the value, and the names that a namespace of that name
    exports again.
    """
    yield aliases.exported(path, names)
    if names[0] != DEFAULT:
        yield aliases.exported(path, (DEFAULT, *names))
    elif names[1:]:
        yield aliases.exported(path, names[1:])
    if aliases.exports(path, DEFAULT) and aliases.binds(path, names[0]):
        yield aliases.declarations(path, names)


def _reached(aliases: AliasResolver, path: str) -> Iterator[str]:
    """Yield a module, and those of which it exports everything again."""
    seen, waiting = {path}, [path]
    while waiting:
        place = waiting.pop(0)
        yield place
        for export in aliases.of_file(place).exports.get(EVERYTHING, ()):
            target = aliases.target(place, export.source or "")
            if target is not None and target not in seen:
                seen.add(target)
                waiting.append(target)


def _whole_module(aliases: AliasResolver, path: str, names: tuple[str, ...]) -> str | None:
    """The file of a module that another exports under a name."""
    if len(names) != 1:
        return None
    for export in aliases.of_file(path).exports.get(names[0], ()):
        if export.source is not None and export.local == EVERYTHING:
            return aliases.target(path, export.source)
        if export.source is None:
            for target, imported in aliases.imported(path, export.local or DEFAULT):
                if imported == EVERYTHING:
                    return target
    return None


def _named(kind: _Ecosystem, path: str, name: str) -> Iterator[tuple[str, SymbolRow]]:
    """Yield what the package of a file declares under a bare name."""
    folder, _, _ = kind.package_of(path)
    for place in kind.modules.declaring(folder, name):
        for row in kind.modules.symbols(place):
            if row[0] == name:
                yield place, row
