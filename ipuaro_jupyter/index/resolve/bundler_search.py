"""Resolve imports that TypeScript cannot follow, for navigation and for the graph.

Found this way: files that a bundler finds, files that are not modules, and the sources of files
that are not built yet.
"""

from collections.abc import Iterator
from dataclasses import replace

from ipuaro_jupyter.index.resolve.candidates import ALL, Candidates
from ipuaro_jupyter.index.resolve.folder_search import Rules
from ipuaro_jupyter.index.resolve.module_search import ModuleSearch, is_relative, split_name
from ipuaro_jupyter.index.resolve.packages import Package, Packages
from ipuaro_jupyter.index.resolve.project_paths import folder_of, join
from ipuaro_jupyter.index.resolve.tsconfig import TsConfig
from ipuaro_jupyter.index.resolve.tsconfig_files import TsConfigs

_CONDITIONS = frozenset({"import", "require", "types", "node"})
_SOURCE = frozenset({*_CONDITIONS, "source"})
_BUILT = frozenset(
    {
        *("dist", "build", "lib", "out", "output", "target", "es", "esm", "cjs", "umd", "esnext"),
        *("module", "modules", "commonjs", "types", "typings", "dts", "node", "browser"),
        *("dist-cjs", "dist-es", "dist-esm", "dist-types", "es2015", "es2020", "legacy", "bundles"),
    }
)


def bundler_rules(config: TsConfig) -> Rules:
    """The rules of a bundler, which makes no difference between kinds of imports."""
    bundled = replace(
        config,
        mode="bundler",
        uses_exports=True,
        uses_imports=True,
        is_json_resolved=True,
        allows_js=True,
    )
    return Rules(bundled, _CONDITIONS.union(config.conditions), is_esm=False)


class BundlerSearch:
    """Resolves imports of the files in one folder under one configuration.

    Args:
        find: The files of the project.
        packages: Its packages.
        configs: Its configurations.
        rules: The `bundler_rules` of the configuration.
        folder: The folder.
    """

    def __init__(
        self,
        find: Candidates,
        packages: Packages,
        configs: TsConfigs,
        rules: Rules,
        folder: str,
    ) -> None:
        self._find = find
        self._packages = packages
        self._configs = configs
        self._rules = rules
        self._config = rules.config
        self._folder = folder

    def target(self, source: str) -> str | None:
        """The file that ``source`` leads to; for a relative path without one, that path."""
        plain = source.partition("?")[0]
        if not plain or "\\" in plain or "\0" in plain:
            return None
        search = ModuleSearch(self._find, self._packages, self._rules, self._folder)
        found = search.resolve(plain)
        if found is not None:
            return found
        if is_relative(plain):
            return self._relative(plain)
        if not plain.startswith("/"):
            found = self._bare(plain)
        return found or self._asset(plain)

    def source_of(self, path: str) -> str | None:
        """The source of a declaration file in a folder that a configuration compiles into."""
        package = self._packages.around(folder_of(path))
        found = None if package is None else self._source(package, path, is_guessed=False)
        return None if found == path else found

    def of_package(self, package: Package, target: str) -> str | None:
        """The file that ``target``, as written in a package.json, means."""
        place = join(package.folder, target)
        return None if place is None else self._built(package, place)

    def _relative(self, source: str) -> str | None:
        place = join(self._folder, source)
        if place is None:
            return None
        is_folder = source.endswith("/") or source.rpartition("/")[2] in (".", "..")
        found = None if is_folder else self._find.loose(place)
        found = found or self._find.real(place)
        package = None if found else self._packages.around(self._folder)
        if package is not None:
            found = self._source(package, place, is_guessed=False)
        return found or place or None

    def _bare(self, source: str) -> str | None:
        """The source that a bare name means in a package that has not been built."""
        if source.startswith("#"):
            return self._imported(source)
        if ":" in source:
            return None
        name, subpath = split_name(source)
        package = self._packages.named(name, self._folder)
        return None if package is None else self._from_sources(package, subpath)

    def _imported(self, source: str) -> str | None:
        package = self._packages.around(self._folder)
        if package is None:
            return None
        for target in package.imports.targets(source, _SOURCE):
            if target.is_name:
                found = None if target.text.startswith("#") else self._bare(target.text)
            else:
                found = self.of_package(package, target.text)
            if found is not None:
                return found
        return None

    def _from_sources(self, package: Package, subpath: str) -> str | None:
        """The source that a file of a package is built from, or would be."""
        name = f"./{subpath}" if subpath else "."
        targets = [target.text for target in package.exports.targets(name, _SOURCE)]
        if not subpath:
            targets += package.mains()
        targets += [f"./{subpath}"] if subpath else ["./src/index", "./index"]
        found = (self.of_package(package, target) for target in targets)
        return next((path for path in found if path is not None), None)

    def _built(self, package: Package, place: str) -> str | None:
        suffixes = self._config.suffixes
        return (
            self._find.said(place, ALL, suffixes)
            or self._find.file(place, ALL, suffixes)
            or self._find.file(join(place, "index") or "", ALL, suffixes)
            or self._source(package, place)
        )

    def _source(self, package: Package, place: str, *, is_guessed: bool = True) -> str | None:
        """The source from which the file at ``place`` in a package is built."""
        config = self._configs.of(join(package.folder, "src/index.ts") or "")
        for source in source_places(place, package.folder, config, is_guessed=is_guessed):
            path = self._find.file(source, ALL, self._config.suffixes)
            if path is not None:
                return path
        return None

    def _asset(self, source: str) -> str | None:
        """A file that is not a module, found through an alias."""
        for place in self._aliased(source):
            path = self._find.loose(place) or self._find.real(place)
            if path is not None:
                return path
        return None

    def _aliased(self, source: str) -> Iterator[str]:
        aliases = self._config.aliases
        for target, text in (aliases.matching(source) if aliases is not None else None) or ():
            base = "" if target.startswith("/") else self._config.aliases_base
            place = join(base, text.lstrip("/"))
            if place is not None:
                yield place


def source_places(
    place: str, folder: str, config: TsConfig, *, is_guessed: bool = True
) -> Iterator[str]:
    """Yield the possible sources of a built file, with the extension of the built one.

    First by ``outDir`` and ``rootDir``, then with ``src`` in place of the usual build folders, then
    in the package's own folder.

    Args:
        place: The built file.
        folder: The package that it is in.
        config: The configuration of that package's sources.
        is_guessed: Include guesses by the names of folders, without a configuration.
    """
    for output in config.outputs:
        if place.startswith(f"{output}/"):
            rest = place[len(output) + 1 :]
            roots = [config.root_dir] if config.root_dir is not None else [f"{folder}/src", folder]
            yield from (path for root in roots if (path := join(root.lstrip("/"), rest)))
    if is_guessed:
        yield from _guessed(place, folder)


def _guessed(place: str, folder: str) -> Iterator[str]:
    rest = place[len(folder) :].lstrip("/")
    parts = rest.split("/")
    while len(parts) > 1 and parts[0] in _BUILT:
        parts = parts[1:]
        rest = "/".join(parts)
        for root in ("src", "lib", "source", ""):
            if path := join(folder, f"{root}/{rest}" if root else rest):
                yield path
    if not rest.startswith("src/") and (path := join(folder, f"src/{rest}")):
        yield path
