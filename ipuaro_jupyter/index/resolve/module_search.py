"""The file that a module specifier means to TypeScript.

Follows ``moduleNameResolver.ts`` of TypeScript 5.9 step by step. Packages that TypeScript finds in
node_modules are found where installing would link them: in the packages of the project.

See https://www.typescriptlang.org/docs/handbook/modules/reference.html#module-resolution
"""

from collections.abc import Iterator

from ipuaro_jupyter.index.resolve.candidates import (
    CONFIG,
    DECLARATION,
    JAVASCRIPT,
    JSON,
    TYPED,
    Candidates,
)
from ipuaro_jupyter.index.resolve.export_maps import Target
from ipuaro_jupyter.index.resolve.folder_search import FolderSearch, Load, ModuleCandidate, Rules
from ipuaro_jupyter.index.resolve.packages import Package, Packages
from ipuaro_jupyter.index.resolve.project_paths import folders_up, is_inside, join
from ipuaro_jupyter.index.resolve.project_references import input_places


class ModuleSearch:
    """Resolves module specifiers of the files in one folder.

    Args:
        find: The files of the project.
        packages: Its packages.
        rules: The rules that choose among files.
        folder: The folder.
        asked: The names that entries of ``imports`` have led to, each with its folder and kinds;
            guards against circles.
    """

    def __init__(
        self,
        find: Candidates,
        packages: Packages,
        rules: Rules,
        folder: str,
        *,
        asked: set[tuple[str, str, int]] | None = None,
    ) -> None:
        self._find = find
        self._packages = packages
        self._rules = rules
        self._config = rules.config
        self._suffixes = rules.config.suffixes
        self._folder = folder
        self._asked = set() if asked is None else asked
        self._folders = FolderSearch(find, packages, rules)

    def resolve(self, name: str) -> str | None:
        """The file of the project that ``name`` means; None when there is none."""
        if self._rules.is_config:
            return self._try(name, JSON | CONFIG)
        json = JSON if self._config.is_json_resolved else 0
        if self._config.mode == "classic":
            return self._classic(name, TYPED) or self._classic(name, JAVASCRIPT | json)
        if self._config.mode == "node10":
            return self._try(name, TYPED) or self._try(name, JAVASCRIPT | json)
        return self._try(name, TYPED | JAVASCRIPT | json)

    def _try(self, name: str, kinds: int) -> str | None:
        """The file that a name means to Node or a bundler, of the given kinds."""
        load = self._folders.at
        found = self._by_options(name, kinds, load)
        if found is not None:
            return found
        if not is_path(name):
            return self._by_name(name, kinds)
        path = join(self._folder, name)
        ends_up = name.rpartition("/")[2] in ("", ".", "..")
        return None if path is None else load(kinds, ModuleCandidate(path, is_folder=ends_up))

    def _classic(self, name: str, kinds: int) -> str | None:
        """The file that a name means without packages; a bare name is tried in each folder up."""

        def load(kinds: int, place: ModuleCandidate) -> str | None:
            return None if place.is_folder else self._find.file(place.path, kinds, self._suffixes)

        found = self._by_options(name, kinds, load)
        if found is not None:
            return found
        for folder in [self._folder] if is_path(name) else folders_up(self._folder):
            path = join(folder, name)
            found = None if path is None else load(kinds, ModuleCandidate(path, name.endswith("/")))
            if found is not None:
                return found
        if is_path(name) or not kinds & DECLARATION:
            return None
        return self._from_packages(name, DECLARATION, is_types=True) or self._from_type_roots(name)

    def _by_options(self, name: str, kinds: int, load: Load) -> str | None:
        """The file found through ``paths``, ``baseUrl`` or ``rootDirs``."""
        config = self._config
        if config.aliases is not None and not is_relative(name):
            filled = config.aliases.matching(name)
            if filled is not None:
                return self._folders.first(filled, kinds, config.aliases_base, load)
        if is_path(name):
            return self._in_root_dirs(name, kinds, load) if config.root_dirs else None
        path = None if config.base_url is None else join(config.base_url, name)
        return None if path is None else load(kinds, ModuleCandidate(path, name.endswith("/")))

    def _in_root_dirs(self, name: str, kinds: int, load: Load) -> str | None:
        path = join(self._folder, name)
        if path is None:
            return None
        ends_up = name.endswith("/")
        roots = self._config.root_dirs
        inside = [root for root in roots if is_inside(path, root) and (ends_up or path != root)]
        if not inside:
            return None
        own = max(inside, key=len)
        rest = path[len(own) :].lstrip("/")
        for root in (own, *(root for root in roots if root != own)):
            is_folder = ends_up and (root == own or bool(rest))
            place = ModuleCandidate(join(root, rest) or "", is_folder)
            found = load(kinds, place)
            if found is not None:
                return found
        return None

    def _by_name(self, name: str, kinds: int) -> str | None:
        """The file that a bare name means."""
        found = None
        if name.startswith("#") and self._config.uses_imports:
            found = self._from_imports(name, kinds)
        if found is None and self._config.mode in ("node16", "bundler"):
            found = self._from_itself(name, kinds)
        if found is not None or ":" in name:
            return found
        for some in (kinds & TYPED, kinds & ~TYPED):
            found = self._from_packages(name, some) if some else None
            if found is not None:
                return found
        return self._from_type_roots(name) if kinds & DECLARATION else None

    def _from_imports(self, name: str, kinds: int) -> str | None:
        """The file for a "#name" in the package's own ``imports``."""
        package = self._packages.around(self._folder)
        if package is None:
            return None
        targets = package.imports.targets(name, self._rules.conditions)
        return self._from_targets(package, targets, kinds, is_own=True)

    def _from_itself(self, name: str, kinds: int) -> str | None:
        """The file that the package's own name leads to, by its ``exports``."""
        package = self._packages.around(self._folder)
        if package is None or not package.has_exports or not package.name:
            return None
        if name != package.name and not name.startswith(f"{package.name}/"):
            return None
        subpath = f".{name[len(package.name) :]}"
        split = (kinds,) if self._config.allows_js else (kinds & TYPED, kinds & ~TYPED)
        for some in split:
            targets = package.exports.targets(subpath, self._rules.conditions)
            found = self._from_targets(package, targets, some, is_own=True)
            if found is not None:
                return found
        return None

    def _from_targets(
        self, package: Package, targets: Iterator[Target], kinds: int, *, is_own: bool
    ) -> str | None:
        """The first existing file among the targets of ``exports`` or ``imports``."""
        for target in targets:
            if target.is_name:
                found = self._from_elsewhere(target.text, package.folder, kinds)
            else:
                found = self._from_target(package, target.text, kinds, is_own=is_own)
            if found is not None:
                return found
        return None

    def _from_elsewhere(self, name: str, folder: str, kinds: int) -> str | None:
        """The file of another package that an entry of ``imports`` names."""
        key = name, folder, kinds
        if key in self._asked:  # it leads to itself, or nowhere
            return None
        self._asked.add(key)
        search = ModuleSearch(self._find, self._packages, self._rules, folder, asked=self._asked)
        return search._try(name, kinds)

    def _from_target(
        self, package: Package, target: str, kinds: int, *, is_own: bool
    ) -> str | None:
        path = join(package.folder, target)
        if path is None:
            return None
        inputs = (
            input_places(path, package.folder, self._config, self._folder, kinds) if is_own else ()
        )
        for place in inputs:
            if self._find.exists(place):
                found = self._find.said(place, kinds, self._suffixes)
                if found is not None:
                    return found
                break
        return self._find.said(path, kinds, self._suffixes)

    def _from_packages(self, name: str, kinds: int, *, is_types: bool = False) -> str | None:
        """The file of a package that is linked into node_modules, nearest first.

        Args:
            name: The name of a package, with or without a path in it.
            kinds: The kinds of files to look for.
            is_types: Only packages of declarations ("@types/…") count.
        """
        named = [] if is_types else [(*split_name(name), kinds)]
        if kinds & DECLARATION:
            named.append((*split_name(types_name(name)), DECLARATION))
        named = [item for item in named if self._packages.has_links(item[0])]
        for folder in folders_up(self._folder) if named else ():
            for package, rest, some in named:
                linked = self._packages.linked_in(package, folder)
                found = None if linked is None else self._folders.in_package(linked, rest, some)
                if found is not None:
                    return found
        return None

    def _from_type_roots(self, name: str) -> str | None:
        roots = (self._folders.in_type_root(root, name) for root in self._config.type_roots)
        return next((found for found in roots if found is not None), None)


def is_relative(name: str) -> bool:
    """Whether a module specifier is a path relative to the importing file."""
    return name.startswith(("./", "../")) or name in (".", "..")


def is_path(name: str) -> bool:
    """Whether a module specifier is a path, relative or not."""
    return name.startswith("/") or is_relative(name)


def split_name(name: str) -> tuple[str, str]:
    """The package and the path inside it that a name consists of; "" for the package itself."""
    parts = name.split("/")
    length = 2 if name.startswith("@") else 1
    return "/".join(parts[:length]), "/".join(parts[length:])


def types_name(name: str) -> str:
    """The package with the declarations of ``name``: @types/a__b for @a/b."""
    plain = name[1:].replace("/", "__", 1) if name.startswith("@") and "/" in name else name
    return f"@types/{plain}"
