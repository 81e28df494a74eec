"""The file of the project that an import means.

Nothing here touches the disk: the set of paths says which files exist, and configuration files are
read once.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import NamedTuple

from ipuaro_jupyter.index.resolve import go_search, python_roots, rust_search
from ipuaro_jupyter.index.resolve.bundler_search import BundlerSearch
from ipuaro_jupyter.index.resolve.candidates import DECLARATIONS, Candidates, declared_file
from ipuaro_jupyter.index.resolve.go_search import GoSearch
from ipuaro_jupyter.index.resolve.java_search import JavaSearch
from ipuaro_jupyter.index.resolve.lookups import TrackedFiles
from ipuaro_jupyter.index.resolve.module_search import ModuleSearch
from ipuaro_jupyter.index.resolve.packages import Package, Packages
from ipuaro_jupyter.index.resolve.project_config import ProjectConfig
from ipuaro_jupyter.index.resolve.project_paths import folder_of
from ipuaro_jupyter.index.resolve.project_references import Sources
from ipuaro_jupyter.index.resolve.python_search import PythonSearch
from ipuaro_jupyter.index.resolve.resolution import Resolution as Resolution  # noqa: PLC0414 - a door
from ipuaro_jupyter.index.resolve.rust_search import RustSearch
from ipuaro_jupyter.index.resolve.syntax_modes import Syntax, syntax_of
from ipuaro_jupyter.index.resolve.tsconfig import TsConfig
from ipuaro_jupyter.languages.registry import language_for

OWN_CONFIGS = (*python_roots.CONFIGS, *go_search.CONFIGS, *rust_search.CONFIGS)
"""The names of the files that configure imports, beside those of JavaScript."""


_MOST_KNOWN = 20_000


class Lookup(NamedTuple):
    """The result of resolving an import, and the locations looked at; see `lookups`."""

    resolution: Resolution
    locations: Collection[int]


class Resolver:
    """Resolves imports; stale once files come or go, or one of `config_paths` changes.

    Args:
        files: The paths of the project.
        read: Returns the text of a file of the project; None when it cannot be read.
        symlinks: Links in the project with their targets, as written in the links.
        config: The configuration files as far as they are known; None: not at all.
    """

    def __init__(
        self,
        files: Collection[str],
        read: Callable[[str], str | None],
        *,
        symlinks: Mapping[str, str] | None = None,
        config: ProjectConfig | None = None,
    ) -> None:
        self._read = read
        self._symlinks = symlinks or {}
        self._config = config or ProjectConfig(files, read, self._symlinks)
        self._lock = Lock()
        self._files = TrackedFiles(files)
        self._find = Candidates(self._files, self._symlinks)
        self._finds: dict[str, Candidates] = {}
        self._python = PythonSearch(self._files, self._config.text)
        self._go = GoSearch(self._files, self._config.text)
        self._rust = RustSearch(self._files, self._config.text)
        self._java = JavaSearch(self._files, read)
        self._context = _Importer("", "", "", TsConfig(), None, "ecmascript", syntaxes={})
        self._known: dict[tuple[str, str, str, Syntax | None], Lookup] = {}

    def with_files(self, files: Collection[str]) -> "Resolver":
        """A resolver for other files, which keeps the configuration files that this one has read.

        That is right as long as the files that differ are no configuration files: neither among
        `config_paths`, nor of a name that is looked for everywhere, such as package.json.
        """
        self._config.look_among(files)
        return Resolver(files, self._read, symlinks=self._symlinks, config=self._config)

    def has_read(self, paths: Collection[str]) -> bool:
        """Whether what some source files say of themselves was read: the package of one in Java."""
        return self._java.has_read(paths)

    @property
    def packages(self) -> Packages:
        """The package.json files of the project."""
        return self._config.packages

    @property
    def config_paths(self) -> frozenset[str]:
        """The configuration files read so far, and those of unusual names looked for in vain."""
        return self._config.paths

    def resolve(
        self, source: str, importer: str, *, kind: str = "import", names: Sequence[str] = ()
    ) -> Resolution:
        """Resolve an import.

        Args:
            source: The module specifier, as written.
            importer: The importing file.
            kind: One of `records.code.ImportKind`; conditions of packages depend on it.
            names: The imported names, as exported there; in Python each may be a module.
        """
        return self.lookup(source, importer, kind=kind, names=names).resolution

    def lookup(
        self, source: str, importer: str, *, kind: str = "import", names: Sequence[str] = ()
    ) -> Lookup:
        """Resolve an import, and tell what was looked at; see `resolve`."""
        with self._lock:
            context = self._context
            if context.importer != importer:
                context = self._context = self._context_of(importer)
            return self._looked_up(context, source, kind, names)

    def _looked_up(
        self, context: "_Importer", source: str, kind: str, names: Sequence[str]
    ) -> Lookup:
        if context.modules != "ecmascript":
            with self._files.looking() as looked:
                resolution = self._by_language(context, source, names)
            return Lookup(resolution, looked)
        config = context.config
        if kind not in context.syntaxes:
            context.syntaxes[kind] = syntax_of(context.importer, kind, config, context.package)
        syntax = context.syntaxes[kind]
        is_nearby = source[:1] == "." or config.mode == "classic"
        place = context.folder if is_nearby else context.scope
        key = (source, place, config.path, syntax)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:  # those of a folder come together
                self._known.clear()
            with self._files.looking() as looked:
                resolution = self._resolved(source, context, syntax)
            known = self._known[key] = Lookup(resolution, frozenset(looked))
        return known

    def _by_language(self, context: "_Importer", source: str, names: Sequence[str]) -> Resolution:
        """Resolve an import of a language that has its own rules."""
        if context.modules == "python":
            found = self._python.resolve(source, context.importer, names)
            return Resolution(found.path, found.path or found.wanted, found.modules)
        if context.modules == "go":
            return self._go.resolve(source, context.importer)
        if context.modules == "rust":
            return self._rust.resolve(source, context.importer, names)
        if context.modules == "java":
            return self._java.resolve(source, context.importer, names)
        return Resolution()

    @cached_property
    def entries(self) -> frozenset[str]:
        """The files that packages of the project export."""
        found: set[str] = set()
        for package in self._config.packages.all:
            search = self._loose(TsConfig(), package.folder)
            for entry in package.entries():
                path = search.of_package(package, entry)
                if path is not None:
                    found.add(path)
        return frozenset(found) | self._python.entries

    def _resolved(self, source: str, context: "_Importer", syntax: Syntax | None) -> Resolution:
        config, packages = context.config, self._config.packages
        rules = self._config.rules(config, syntax)
        search = ModuleSearch(self._find_for(config), packages, rules, context.folder)
        path = search.resolve(source) if source else None
        if path is None:
            return Resolution(None, self._loose(config, context.folder).target(source))
        if not path.endswith(DECLARATIONS):
            return Resolution(path, path)
        source_file = self._loose(config, context.folder).source_of(path)
        described = None if source_file else declared_file(path, self._files)
        if described is None:
            return Resolution(path, source_file or path)
        language = language_for(described)
        if language is not None and language.reader == "component":
            return Resolution(path, described, {path: path})
        return Resolution(path, path, {described: described})

    def _find_for(self, config: TsConfig) -> Candidates:
        """The files as seen by a project that may refer to others."""
        if not config.references:
            return self._find
        if config.path not in self._finds:
            sources = Sources(self._config.tsconfigs.referred(config), self._files)
            self._finds[config.path] = self._find.with_sources(sources.source_of)
        return self._finds[config.path]

    def _loose(self, config: TsConfig, folder: str) -> BundlerSearch:
        known, rules = self._config, self._config.loose_rules(config)
        return BundlerSearch(self._find, known.packages, known.tsconfigs, rules, folder)

    def _context_of(self, importer: str) -> "_Importer":
        language = language_for(importer)
        folder = folder_of(importer)
        if language is not None and language.modules != "ecmascript":
            return _Importer(importer, folder, "", TsConfig(), None, language.modules, syntaxes={})
        known = self._config
        package, config = known.packages.around(folder), known.tsconfigs.of(importer)
        scope = known.scope(folder)
        return _Importer(importer, folder, scope, config, package, "ecmascript", syntaxes={})


class _Importer(NamedTuple):
    """The state shared by all imports of one file.

    ``scope`` stands for all folders in which bare names mean the same. ``syntaxes`` caches the
    syntax by kind of import.
    """

    importer: str
    folder: str
    scope: str
    config: TsConfig
    package: Package | None
    modules: str
    syntaxes: dict[str, Syntax | None]
