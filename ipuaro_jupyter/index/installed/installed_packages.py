"""The declarations of a name in the packages that a project has installed."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import NamedTuple, get_args

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.extract.symbols import SymbolRow
from ipuaro_jupyter.index.installed.imported_from import ImportedFrom, Origins
from ipuaro_jupyter.index.installed.installed_modules import InstalledModules, Parser, Resolve
from ipuaro_jupyter.index.installed.node_packages import NodePackages
from ipuaro_jupyter.index.installed.package_files import PackageFiles
from ipuaro_jupyter.index.installed.python_packages import PythonPackages, environment_of
from ipuaro_jupyter.index.resolve.resolution import Resolution
from ipuaro_jupyter.index.storage.stored_index import DEFAULT, EVERYTHING
from ipuaro_jupyter.languages.registry import is_open
from ipuaro_jupyter.records.code import SymbolKind
from ipuaro_jupyter.workspace.files.folders import inner_path

_KINDS: dict[str, SymbolKind] = {kind: kind for kind in get_args(SymbolKind)}
_MOST_FOUND = 20
_LINES_BEFORE, _LINES_AFTER = 1, 4


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
