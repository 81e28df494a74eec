"""Which file of the project an import means, found as TypeScript finds it.

Nothing here touches the disk: the set of paths says what exists, and configuration files are read
once. Where TypeScript finds nothing, an import that a bundler would find is found all the same,
and a package of the workspace that has not been built leads to its sources.

See https://www.typescriptlang.org/docs/handbook/modules/reference.html#module-resolution and
``moduleNameResolver.ts`` in TypeScript.
"""

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from ipuaro_jupyter.index.candidates import ALL, Candidates, Kinds
from ipuaro_jupyter.index.packages import Package, Packages
from ipuaro_jupyter.index.project_paths import folder_of, join
from ipuaro_jupyter.index.sources import source_places
from ipuaro_jupyter.index.tsconfig import TsConfig, TsConfigs

_TYPED: Kinds = "typed"
_UNTYPED: Kinds = "untyped"
_COMMONJS = ("require", "import-equals")


class Resolution(NamedTuple):
    """Where an import leads.

    Attributes:
        path: The file of the project that TypeScript takes it for; None for packages, what node
            brings along, and what cannot be resolved.
        target: The file that is named: ``path``, else a file that is no module (a style sheet),
            else, for a relative import that leads nowhere, the path as written; None: nothing in
            the project.
    """

    path: str | None = None
    target: str | None = None


class Resolver:
    """Resolves imports. It is made anew when files come, go, or a file in `config_paths` changes.

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
        self._read = read
        self._texts: dict[str, str | None] = {}
        self._find = Candidates(files, symlinks or {})
        self._packages = Packages(files, self._text)
        self._configs = TsConfigs(self._find.exists, self._text, self._package_folder)
        self._context = _Context("", "", TsConfig(), ":", is_commonjs=False)
        self._known: dict[tuple[str, str, str, bool], Resolution] = {}

    @property
    def config_paths(self) -> frozenset[str]:
        """The configuration files that have been read so far."""
        return frozenset(self._texts)

    def resolve(self, source: str, importer: str, *, kind: str = "import") -> Resolution:
        """Return where an import leads.

        Args:
            source: The module specifier, as written.
            importer: The file that has the import.
            kind: One of `records.code.ImportKind`; conditions of packages depend on it.
        """
        context = self._context
        if context.importer != importer:
            context = self._context = self._context_of(importer)
        is_commonjs = kind in _COMMONJS or (context.is_commonjs and kind != "dynamic")
        # what a bare name means is the same in all folders of a package
        place = context.folder if source[:1] == "." else context.scope
        key = (source, place, context.config.path, is_commonjs)
        known = self._known.get(key)
        if known is None:
            config = context.config
            search = _Search(self._find, self._packages, self._configs, config, context.folder)
            search.conditions = _conditions(config, is_commonjs=is_commonjs)
            known = self._known[key] = search.resolve(source)
        return known

    @cached_property
    def entries(self) -> frozenset[str]:
        """The files that packages of the project offer to the outside."""
        found: set[str] = set()
        for package in self._packages.all:
            search = _Search(self._find, self._packages, self._configs, TsConfig(), package.folder)
            for entry in package.entries():
                path = search.of_package(package, entry)
                if path is not None:
                    found.add(path)
        return frozenset(found)

    def _text(self, path: str) -> str | None:
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _package_folder(self, name: str, folder: str) -> str | None:
        package = self._packages.named(name, folder)
        return None if package is None else package.folder

    def _context_of(self, importer: str) -> "_Context":
        folder = folder_of(importer)
        config = self._configs.of(importer)
        package = self._packages.around(folder)
        if config.mode == "bundler" or importer.endswith((".mts", ".mjs")):
            is_commonjs = False
        elif importer.endswith((".cts", ".cjs")):
            is_commonjs = True
        else:
            is_commonjs = package is None or package.field("type") != "module"
        scope = ":" if package is None else f":{package.folder}"
        return _Context(importer, folder, config, scope, is_commonjs)


class _Context(NamedTuple):
    """What the imports of one file have in common.

    ``scope`` names the package around, and is never the path of a folder; ``is_commonjs`` says
    that conditions of packages are "require" and not "import".
    """

    importer: str
    folder: str
    config: TsConfig
    scope: str
    is_commonjs: bool


def _conditions(config: TsConfig, *, is_commonjs: bool) -> frozenset[str]:
    node = () if config.mode == "bundler" else ("node",)
    return frozenset({"require" if is_commonjs else "import", "types", *node, *config.conditions})


class _Search:
    """Resolves imports of files in one folder under one configuration."""

    def __init__(
        self,
        find: Candidates,
        packages: Packages,
        configs: TsConfigs,
        config: TsConfig,
        folder: str,
    ) -> None:
        self._find = find
        self._packages = packages
        self._configs = configs
        self._config = config
        self._suffixes = config.suffixes
        self._folder = folder
        self.conditions: Collection[str] = ()

    def resolve(self, source: str) -> Resolution:
        """Return where ``source`` leads."""
        plain = source.partition("?")[0]
        if not plain or plain.startswith("/") or "\\" in plain or "\0" in plain:
            return Resolution(*[self._aliased(plain, ALL)] * 2)
        if is_relative(plain):
            return self._relative(source)
        path = self._bare(source)
        return Resolution(path, path or self._asset(plain))

    def of_package(self, package: Package, target: str) -> str | None:
        """Return the file that ``target``, as written in a package.json, means."""
        place = join(package.folder, target)
        if place is None:
            return None
        return self._field(place, ALL) or self._source(package, place)

    def _relative(self, source: str) -> Resolution:
        """Return where "./source" leads."""
        place = join(self._folder, source)
        if place is None:
            return Resolution()
        is_folder = source.endswith("/") or source.rpartition("/")[2] in (".", "..")
        roots = list(self._roots(place))
        for kinds in self._passes:
            for root in roots:
                path = self._load(root, kinds, folder=is_folder and len(roots) == 1)
                if path is not None:
                    return Resolution(path, path)
        path = None if is_folder else self._find.loose(place)
        if path is not None:
            return Resolution(path, path)
        plain = place.partition("?")[0]
        return Resolution(None, self._find.real(plain) or plain or None)

    def _bare(self, source: str) -> str | None:
        """Return the file that a name which is no path means."""
        package, subpath = self._package(source)
        for kinds in self._passes:
            path = self._aliased(source, kinds)
            if path is None and source.startswith("#") and self._config.mode != "node10":
                path = self._imported(source, kinds)
            if path is None and package is not None:
                path = self._from_package(package, subpath, kinds)
            if path is not None:
                return path
        if source.startswith("#"):
            return self._imported(source, ALL)
        return None if package is None else self._from_sources(package, subpath)

    def _package(self, source: str) -> tuple[Package | None, str]:
        """Return the package of the project that a name means, and the path in it."""
        if ":" in source or source.startswith("#"):
            return None, ""
        parts = source.split("/")
        length = 2 if source.startswith("@") else 1
        package = self._packages.named("/".join(parts[:length]), self._folder)
        return package, "/".join(parts[length:])

    @property
    def _passes(self) -> tuple[Kinds, ...]:
        """The kinds of files to look for, one after the other."""
        return (_TYPED, _UNTYPED) if self._config.mode == "node10" else (ALL,)

    def _roots(self, place: str) -> Iterator[str]:
        """Yield ``place``, then the same place under the other ``rootDirs``."""
        yield place
        roots = [root for root in self._config.root_dirs if _below(place, root) is not None]
        if roots:
            own = max(roots, key=len)
            for root in self._config.root_dirs:
                if root != own:
                    yield posixpath.join(root, _below(place, own) or "")

    def _aliased(self, source: str, kinds: Kinds) -> str | None:
        """Return the file that ``paths`` or ``baseUrl`` give for a name."""
        config = self._config
        found = config.alias(source)
        if found is None:
            place = None if config.base_url is None else join(config.base_url, source)
            return None if place is None else self._load(place, kinds)
        alias, filled = found
        for target in alias.targets:
            text = target.replace("*", filled, 1) if filled else target
            place = text[1:] if text.startswith("/") else join(config.aliases_base, text)
            if place is None:
                continue
            path = self._find.module(place) if self._find.has_extension(target) else None
            path = path or self._load(place, kinds)
            if path is not None:
                return path
        return None

    def _asset(self, source: str) -> str | None:
        """Return a file that is no module, under its alias."""
        found = self._config.alias(source)
        for target in found[0].targets if found else ():
            text = target.replace("*", found[1], 1) if found else target
            place = text[1:] if text.startswith("/") else join(self._config.aliases_base, text)
            if place is not None and (path := self._find.loose(place) or self._find.real(place)):
                return path
        return None

    def _imported(self, source: str, kinds: Kinds) -> str | None:
        """Return the file for a "#name" of the package's own ``imports``."""
        package = self._packages.around(self._folder)
        if package is None or source == "#" or source.startswith("#/"):
            return None
        places: list[str] = []
        for target in package.imported(source, self.conditions):
            path = None
            if target.startswith("./"):
                place = join(package.folder, target)
                if place is not None:
                    places.append(place)
                    path = self._field_exact(place, kinds)
            else:
                inner, subpath = self._package(target)
                if inner is not None:
                    path = self._from_package(inner, subpath, kinds)
                    path = path or self._from_sources(inner, subpath)
            if path is not None:
                return path
        sources = (self._source(package, place) for place in places)
        return next((path for path in sources if path is not None), None)

    def _from_package(self, package: Package, subpath: str, kinds: Kinds) -> str | None:
        """Return the file of a package, as it would be found in node_modules."""
        if package.said.get("exports") is not None and self._config.mode != "node10":
            return self._from_exports(package, subpath, kinds)
        if not subpath:
            return self._directory(package.folder, kinds)
        place = join(package.folder, subpath)
        return None if place is None else self._load(place, kinds)

    def _from_exports(self, package: Package, subpath: str, kinds: Kinds) -> str | None:
        name = f"./{subpath}" if subpath else "."
        for target in package.exported(name, self.conditions):
            place = join(package.folder, target) if target.startswith("./") else None
            if place is not None and (path := self._field_exact(place, kinds)) is not None:
                return path
        return None

    def _from_sources(self, package: Package, subpath: str) -> str | None:
        """Return the source that a file of a package is built from, or would be."""
        name = f"./{subpath}" if subpath else "."
        targets = list(package.exported(name, {*self.conditions, "source", "import", "require"}))
        if not subpath:
            targets += package.mains()
        targets += [f"./{subpath}"] if subpath else ["./src/index", "./index"]
        for target in targets:
            place = join(package.folder, target)
            if place is None:
                continue
            path = self._field(place, ALL) or self._source(package, place)
            if path is not None:
                return path
        return None

    def _source(self, package: Package, place: str) -> str | None:
        """Return the source from which the file at ``place`` in a package is built."""
        config = self._configs.of(join(package.folder, "src/index.ts") or "")
        for source in source_places(place, package.folder, config):
            path = self._find.file(source, ALL, self._suffixes)
            if path is not None:
                return path
        return None

    def _load(self, place: str, kinds: Kinds, *, folder: bool = False) -> str | None:
        """Return the module that a path without or with extension means: a file, else a folder."""
        path = None if folder else self._find.file(place, kinds, self._suffixes)
        return path or self._directory(place, kinds)

    def _directory(self, place: str, kinds: Kinds) -> str | None:
        """Return the module that a folder stands for: what its package.json says, else index."""
        package = self._packages.at(place)
        if package is not None:
            types = package.field("typings") or package.field("types")
            main = (types if kinds != _UNTYPED else None) or package.field("main")
            inner = join(place, main) if main else None
            if inner is not None and (path := self._field(inner, kinds)) is not None:
                return path
        return self._find.file(join(place, "index") or "", kinds, self._suffixes)

    def _field(self, place: str, kinds: Kinds) -> str | None:
        """Return the module that a field of package.json means."""
        path = self._field_exact(place, kinds) or self._find.file(place, kinds, self._suffixes)
        return path or self._find.file(join(place, "index") or "", kinds, self._suffixes)

    def _field_exact(self, place: str, kinds: Kinds) -> str | None:
        if kinds != _UNTYPED and self._find.is_typed(place):
            path = self._find.module(place)
            if path is not None:
                return path
        return self._find.replaced(place, kinds, self._suffixes)


def is_relative(source: str) -> bool:
    """Return whether a module specifier is a path relative to the file that has it."""
    return source.startswith(("./", "../")) or source in (".", "..")


def _below(place: str, root: str) -> str | None:
    """Return ``place`` relative to ``root``; None when it is not below."""
    if not root:
        return place
    return place[len(root) + 1 :] if place.startswith(f"{root}/") else None
