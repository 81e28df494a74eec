"""Whether a file is a module although it has neither imports nor exports.

TypeScript takes such a file for one where ``moduleDetection`` is ``force``, and where Node would
run it as one: https://www.typescriptlang.org/tsconfig/#moduleDetection
"""

from collections.abc import Callable, Collection

from ipuaro_jupyter.index.resolve.packages import Packages
from ipuaro_jupyter.index.resolve.project_paths import folder_of
from ipuaro_jupyter.index.resolve.tsconfig_files import TsConfigs

_ALWAYS = (".mjs", ".cjs", ".mts", ".cts")
_TYPESCRIPT = (".ts", ".tsx")
_OF_NODE = frozenset({"type", "main", "exports", "bin"})
"""What a package.json says of code that Node runs, in which a file has its names for itself."""


class ModuleKinds:
    """Tells modules by the configuration of a project.

    Args:
        files: The paths of the project.
        read: Returns the text of a file of the project; None when it cannot be read.
    """

    def __init__(self, files: Collection[str], read: Callable[[str], str | None]) -> None:
        self._packages = Packages(files, read)
        self._configs = TsConfigs(files.__contains__, read, lambda _name, _folder: None)

    def package(self, path: str) -> str:
        """The nearest folder around a file that has a package.json; "" for the project's."""
        package = self._packages.around(folder_of(path))
        return "" if package is None else package.folder

    def is_module(self, path: str) -> bool:
        """Whether a file is a module, whatever is in it."""
        if path.endswith(_ALWAYS):
            return True
        if not path.endswith(_TYPESCRIPT) or _is_declaring(path):
            return False
        config = self._configs.of(path)
        if config.forces_modules:
            return True
        return self._is_in_module(path) and (not config.path or config.mode == "node16")

    def may_be_module(self, path: str) -> bool:
        """Whether a file that looks like a script may run as a module.

        JavaScript of such a package may still be for browsers, and a bundler's TypeScript takes a
        file without imports and exports for a script in any package.
        """
        if _is_declaring(path):
            return False
        if path.endswith(_TYPESCRIPT):
            return self._is_in_module(path)
        package = self._packages.around(folder_of(path))
        says_so = package is not None and not _OF_NODE.isdisjoint(package.said)
        return says_so or self._configs.of(path).forces_modules

    def _is_in_module(self, path: str) -> bool:
        package = self._packages.around(folder_of(path))
        return package is not None and package.is_module


def _is_declaring(path: str) -> bool:
    return ".d." in path.rpartition("/")[2]
