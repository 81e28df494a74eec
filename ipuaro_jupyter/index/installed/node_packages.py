"""The declarations of packages in ``node_modules``.

Looked up as TypeScript does: the package itself, then its ``@types``, in each folder up.
"""

from ipuaro_jupyter.index.installed.package_files import PackageFiles
from ipuaro_jupyter.index.resolve.bundler_search import bundler_rules
from ipuaro_jupyter.index.resolve.candidates import JAVASCRIPT, TYPED, Candidates
from ipuaro_jupyter.index.resolve.folder_search import FolderSearch, ModuleCandidate
from ipuaro_jupyter.index.resolve.module_search import split_name, types_name
from ipuaro_jupyter.index.resolve.packages import Packages
from ipuaro_jupyter.index.resolve.project_paths import folder_of, folders_up, join
from ipuaro_jupyter.index.resolve.tsconfig import TsConfig

_BUILT_IN = "node:"
_IMPORTED = frozenset({"import", "types", "node"})
_REQUIRED = frozenset({"require", "types", "node"})


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
