"""Whether a module of Python is installed for a project."""

from functools import cached_property
from pathlib import Path

from ipuaro_jupyter.index.installed.package_files import PackageFiles
from ipuaro_jupyter.index.installed.python_packages import PythonPackages, environment_of


class PythonEnvironment:
    """Tells what Python modules are installed, for one question.

    Args:
        root: The project's folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, bool] = {}

    def has(self, name: str) -> bool:
        """Whether there is a module or package of a name, without dots."""
        if name not in self._known:
            files, folders = self._installed
            is_folder = any(files.has_folder(f"{folder}/{name}") for folder in folders)
            is_module = PythonPackages(files, folders).resolve(name, "").path is not None
            self._known[name] = is_folder or is_module
        return self._known[name]

    @cached_property
    def _installed(self) -> tuple[PackageFiles, tuple[str, ...]]:
        base, folders = environment_of(self._root)
        return PackageFiles(base), folders
