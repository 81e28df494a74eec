"""The file of the project that an import means.

Nothing here touches the disk: the set of paths says which files exist, and configuration files are
read once.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ipuaro_jupyter.index.resolve import go_search, python_roots
from ipuaro_jupyter.index.resolve.bundler_search import BundlerSearch, bundler_rules
from ipuaro_jupyter.index.resolve.candidates import DECLARATIONS, Candidates
from ipuaro_jupyter.index.resolve.folder_search import Rules
from ipuaro_jupyter.index.resolve.go_search import GoSearch
from ipuaro_jupyter.index.resolve.module_search import ModuleSearch
from ipuaro_jupyter.index.resolve.packages import Package, Packages
from ipuaro_jupyter.index.resolve.project_paths import folder_of
from ipuaro_jupyter.index.resolve.project_references import Sources
from ipuaro_jupyter.index.resolve.python_search import PythonSearch
from ipuaro_jupyter.index.resolve.resolution import Resolution as Resolution  # noqa: PLC0414 - a door
from ipuaro_jupyter.index.resolve.syntax_modes import Syntax, conditions_of, syntax_of
from ipuaro_jupyter.index.resolve.tsconfig import TsConfig
from ipuaro_jupyter.index.resolve.tsconfig_files import TsConfigs
from ipuaro_jupyter.languages.registry import language_for

OWN_CONFIGS = (*python_roots.CONFIGS, *go_search.CONFIGS)
"""The names of the files that configure imports, beside those of JavaScript."""
_FOR_CONFIGS = TsConfig(mode="node16", format="node", uses_exports=True, uses_imports=True)


class Resolver:
    """Resolves imports; stale once files come or go, or one of `config_paths` changes.

    Args:
        files: The paths of the project.
        read: Returns the text of a file of the project; None when it cannot be read.
        symlinks: Links in the project with their targets, as written in the links.
    """

    def __init__(
        self,
        files: Collection[str],
        read: Callable[[str], str | None],
        *,
        symlinks: Mapping[str, str] | None = None,
    ) -> None:
        self._files = files
        self._read = read
        self._texts: dict[str, str | None] = {}
        self._find = Candidates(files, symlinks or {})
        self._finds: dict[str, Candidates] = {}
        self._rules: dict[tuple[str, Syntax | None], Rules] = {}
        self._loose_rules: dict[str, Rules] = {}
        self._packages = Packages(files, self._text)
        self._python = PythonSearch(files, self._text)
        self._go = GoSearch(files, self._text)
        self._configs = TsConfigs(self._find.exists, self._text, self._config_of_package)
        self._context = _Importer("", "", "", TsConfig(), None, "ecmascript", syntaxes={})
        self._places: dict[str, str] = {}
        self._known: dict[tuple[str, str, str, Syntax | None], Resolution] = {}

    @property
    def config_paths(self) -> frozenset[str]:
        """The configuration files read so far, and those looked for in vain."""
        return frozenset(self._texts) | self._configs.missing

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
        context = self._context
        if context.importer != importer:
            context = self._context = self._context_of(importer)
        if context.modules != "ecmascript":
            return self._by_language(context, source, names)
        config = context.config
        if kind not in context.syntaxes:
            context.syntaxes[kind] = syntax_of(importer, kind, config, context.package)
        syntax = context.syntaxes[kind]
        is_nearby = source[:1] == "." or config.mode == "classic"
        place = context.folder if is_nearby else context.scope
        key = (source, place, config.path, syntax)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._resolved(source, context, syntax)
        return known

    def _by_language(self, context: "_Importer", source: str, names: Sequence[str]) -> Resolution:
        """Resolve an import of a language that has its own rules."""
        if context.modules == "python":
            found = self._python.resolve(source, context.importer, names)
            return Resolution(found.path, found.path or found.wanted, found.modules)
        if context.modules == "go":
            return self._go.resolve(source, context.importer)
        return Resolution()

    @cached_property
    def entries(self) -> frozenset[str]:
        """The files that packages of the project export."""
        found: set[str] = set()
        for package in self._packages.all:
            search = self._loose(TsConfig(), package.folder)
            for entry in package.entries():
                path = search.of_package(package, entry)
                if path is not None:
                    found.add(path)
        return frozenset(found) | self._python.entries

    def _resolved(self, source: str, context: "_Importer", syntax: Syntax | None) -> Resolution:
        config = context.config
        rules = self._rules.get((config.path, syntax))
        if rules is None:
            is_esm = syntax == "esm" and config.mode == "node16"
            rules = Rules(config, conditions_of(config, syntax), is_esm=is_esm)
            self._rules[config.path, syntax] = rules
        search = ModuleSearch(self._find_for(config), self._packages, rules, context.folder)
        path = search.resolve(source) if source else None
        if path is None:
            return Resolution(None, self._loose(config, context.folder).target(source))
        if not path.endswith(DECLARATIONS):
            return Resolution(path, path)
        return Resolution(path, self._loose(config, context.folder).source_of(path) or path)

    def _find_for(self, config: TsConfig) -> Candidates:
        """The files as seen by a project that may refer to others."""
        if not config.references:
            return self._find
        if config.path not in self._finds:
            sources = Sources(self._configs.referred(config), self._files)
            self._finds[config.path] = self._find.with_sources(sources.source_of)
        return self._finds[config.path]

    def _loose(self, config: TsConfig, folder: str) -> BundlerSearch:
        rules = self._loose_rules.get(config.path)
        if rules is None:
            rules = self._loose_rules[config.path] = bundler_rules(config)
        return BundlerSearch(self._find, self._packages, self._configs, rules, folder)

    def _text(self, path: str) -> str | None:
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _config_of_package(self, name: str, folder: str) -> str | None:
        """The configuration that ``extends`` names, looked up as TypeScript does."""
        conditions = conditions_of(_FOR_CONFIGS, "commonjs")
        rules = Rules(_FOR_CONFIGS, conditions, is_esm=False, is_config=True)
        return ModuleSearch(self._find, self._packages, rules, folder).resolve(name)

    def _context_of(self, importer: str) -> "_Importer":
        language = language_for(importer)
        folder = folder_of(importer)
        if language is not None and language.modules != "ecmascript":
            return _Importer(importer, folder, "", TsConfig(), None, language.modules, syntaxes={})
        package = self._packages.around(folder)
        if folder not in self._places:
            # never the path of a folder with files, where bare names have another meaning
            self._places[folder] = f":{self._packages.place(folder)}"
        config = self._configs.of(importer)
        place = self._places[folder]
        return _Importer(importer, folder, place, config, package, "ecmascript", syntaxes={})


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
