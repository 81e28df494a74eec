"""The file, folder or package that a path means as a module.

Follows ``nodeLoadModuleByRelativeName``, ``loadNodeModuleFromDirectoryWorker`` and
``loadModuleFromSpecificNodeModulesDirectory`` in TypeScript's moduleNameResolver.ts.
"""

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from ipuaro_jupyter.index.resolve.candidates import (
    DECLARATION,
    JAVASCRIPT,
    TYPED,
    TYPESCRIPT,
    Candidates,
)
from ipuaro_jupyter.index.resolve.packages import Package, Packages
from ipuaro_jupyter.index.resolve.project_paths import is_inside, join
from ipuaro_jupyter.index.resolve.tsconfig import TsConfig

_ANY_MODULE = TYPED | TYPESCRIPT | JAVASCRIPT


class ModuleCandidate(NamedTuple):
    """A possible place of a module; ``is_folder`` when a final slash rules out a file."""

    path: str
    is_folder: bool = False


Load = Callable[[int, ModuleCandidate], str | None]
"""Returns the file, of the given kinds, that a place means."""


class Rules(NamedTuple):
    """The rules that choose among the files a name may mean.

    Attributes:
        config: The options.
        conditions: The conditions of packages that hold.
        is_esm: No extension is added to a specifier: an ES module in Node.
        is_config: The search is for a configuration, not for a module.
    """

    config: TsConfig
    conditions: Collection[str]
    is_esm: bool
    is_config: bool = False


class FolderSearch:
    """Finds modules at places.

    Args:
        find: The files of the project.
        packages: Its packages.
        rules: The rules that choose among files.
    """

    def __init__(self, find: Candidates, packages: Packages, rules: Rules) -> None:
        self._find = find
        self._packages = packages
        self._rules = rules
        self._suffixes = rules.config.suffixes
        self._index = "tsconfig" if rules.is_config else "index"

    def at(self, kinds: int, place: ModuleCandidate) -> str | None:
        """The module that a path means: a file, else a folder."""
        package = self._packages.at(place.path)
        return self._file_or_folder(kinds, place, package, is_esm=self._rules.is_esm)

    def first(
        self, filled: Iterable[tuple[str, str]], kinds: int, base: str, load: Load
    ) -> str | None:
        """The first file that a target of a pattern means.

        Args:
            filled: Targets; see `PathPatterns.matching`.
            kinds: The kinds of files to look for.
            base: The folder that targets are relative to, unless they begin with a slash.
            load: Finds the file at a place.
        """
        for target, text in filled:
            is_of_project = target.startswith("/")
            path = join("", text.lstrip("/")) if is_of_project else join(base, text)
            if path is None:
                continue
            if self._find.has_extension(target):
                found = self._find.exact(path, self._suffixes)
                if found is not None:
                    return found
            found = load(kinds, ModuleCandidate(path, text.endswith("/")))
            if found is not None:
                return found
        return None

    def in_package(self, folder: str, rest: str, kinds: int) -> str | None:
        """The file at ``rest`` in a package; "" means the package itself."""
        path = join(folder, rest)
        if path is None:
            return None
        root = self._packages.at(folder)
        uses_exports = self._rules.config.uses_exports
        inner = self._packages.at(path) if rest else None
        if inner is not None and not (uses_exports and root and "exports" in root.said):
            found = None if rest.endswith("/") else self._file(kinds, path)
            is_esm = self._rules.is_esm
            return found or self._in_folder(kinds, path, inner, is_esm=is_esm)
        if root is not None and root.has_exports and uses_exports:
            return self._from_exports(root, f"./{rest}" if rest else ".", kinds)
        return self._from_files(root, ModuleCandidate(path, rest.endswith("/")), rest, kinds)

    def in_type_root(self, root: str, name: str) -> str | None:
        """The declaration file that a folder of ``typeRoots`` has for a name."""
        path = join(root, name)
        if path is None:
            return None
        return self._file(DECLARATION, path) or self._in_folder(
            DECLARATION, path, self._packages.at(path), is_esm=self._rules.is_esm
        )

    def _from_exports(self, package: Package, subpath: str, kinds: int) -> str | None:
        for target in package.exports.targets(subpath, self._rules.conditions):
            path = join(package.folder, target.text)
            found = None if path is None else self._find.said(path, kinds, self._suffixes)
            if found is not None:
                return found
        return None

    def _from_files(
        self, package: Package | None, place: ModuleCandidate, rest: str, kinds: int
    ) -> str | None:
        """The file at a place in a package without ``exports``."""
        is_esm = self._rules.is_esm

        def load(kinds: int, place: ModuleCandidate) -> str | None:
            found = self._file(kinds, place.path) if rest and not place.is_folder else None
            return found or self._in_folder(kinds, place.path, package, is_esm=is_esm)

        versions = package.typed_versions if package is not None and rest else None
        filled = None if versions is None else versions.matching(rest)
        if filled is not None and package is not None:
            return self.first(filled, kinds, package.folder, load)
        found = load(kinds, place)
        if found is None and not rest and package is not None and is_esm:
            found = self._file(kinds, join(place.path, "index.js") or "")
        return found

    def _file(self, kinds: int, path: str) -> str | None:
        is_esm = self._rules.is_esm
        return self._find.file(path, kinds, self._suffixes, is_complete=is_esm)

    def _file_or_folder(
        self, kinds: int, place: ModuleCandidate, package: Package | None, *, is_esm: bool
    ) -> str | None:
        found = None
        if not place.is_folder:
            found = self._find.file(place.path, kinds, self._suffixes, is_complete=is_esm)
        if found is None and not is_esm:
            found = self._in_folder(kinds, place.path, package, is_esm=False)
        return found

    def _in_folder(
        self, kinds: int, folder: str, package: Package | None, *, is_esm: bool
    ) -> str | None:
        """The module that a folder stands for: the main of its package.json, else its index.

        Args:
            kinds: The kinds of files to look for.
            folder: The folder.
            package: The package whose ``typesVersions`` hold; its other fields count when the
                folder is its own.
            is_esm: The index file must be named explicitly.
        """
        said = self._main(package, kinds) if package and package.folder == folder else ""
        path = join(folder, said) if said else None
        inner_esm = is_esm and package is not None and package.is_module

        def load(kinds: int, place: ModuleCandidate) -> str | None:
            found = None
            if not place.is_folder:
                found = self._find.said(place.path, kinds, self._suffixes)
            some = TYPED if kinds == DECLARATION else kinds
            return found or self._file_or_folder(some, place, None, is_esm=inner_esm)

        index = join(folder, self._index) or ""
        versions = package.typed_versions if package is not None else None
        if versions is not None and (not said or (path is not None and is_inside(path, folder))):
            named = (path or "") if said else index
            filled = versions.matching(named[len(folder) :].lstrip("/"))
            if filled is not None:
                return self.first(filled, kinds, folder, load)
        found = None if path is None else load(kinds, ModuleCandidate(path, said.endswith("/")))
        if found is None and not is_esm:
            found = self._find.file(index, kinds, self._suffixes)
        return found

    def _main(self, package: Package, kinds: int) -> str:
        """The main file of a package, as it declares it; "" when it declares none."""
        if self._rules.is_config:
            return package.field("tsconfig") or ""
        types = package.field("typings") or package.field("types")
        if types and kinds & DECLARATION:
            return types
        return (package.field("main") or "") if kinds & _ANY_MODULE else ""
