"""Whether a module of Python is installed for a file of the project."""

from pathlib import Path

from ipuaro_jupyter.index.installed.package_files import PackageFiles
from ipuaro_jupyter.index.installed.python_packages import PythonPackages, environment_of
from ipuaro_jupyter.store.roots import root_path


class PythonEnvironments:
    """Tells what Python modules are installed, for one question.

    Args:
        root: The project's folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._environments: dict[Path, tuple[PackageFiles, tuple[str, ...]]] = {}
        self._known: dict[tuple[Path, str], bool] = {}

    def has(self, name: str, importer: str) -> bool:
        """Whether there is a module or package of a name, without dots, for a file."""
        root = root_path(self._root, importer).root
        if (root, name) not in self._known:
            self._known[root, name] = self._look(root, name)
        return self._known[root, name]

    def _look(self, root: Path, name: str) -> bool:
        if root not in self._environments:
            base, folders = environment_of(root)
            self._environments[root] = PackageFiles(base), folders
        files, folders = self._environments[root]
        is_folder = any(files.has_folder(f"{folder}/{name}") for folder in folders)
        return is_folder or PythonPackages(files, folders).resolve(name, "").path is not None
