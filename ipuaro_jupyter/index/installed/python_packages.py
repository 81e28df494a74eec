"""The declarations of packages in ``site-packages``.

Looked up as type checkers do: a package of stubs first, then stubs beside the sources, then the
sources. See https://typing.python.org/en/latest/spec/distributing.html#import-resolution-ordering
"""

import os
import re
import site
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ipuaro_jupyter.index.installed.package_files import PackageFiles
from ipuaro_jupyter.index.resolve.project_paths import folder_of, join
from ipuaro_jupyter.index.resolve.resolution import Resolution

_ENVIRONMENTS = (".venv", "venv", "env", ".env")
_ENDINGS = ("/__init__.pyi", "/__init__.py", ".pyi", ".py")
_STUBS = "-stubs"


def environment_of(root: Path) -> tuple[Path, tuple[str, ...]]:
    """Where a project's packages are: a folder, and the site-packages folders relative to it.

    Those of an environment in the project come first; without one, those of the interpreter that
    runs here.
    """
    for name in _ENVIRONMENTS:
        if (root / name / "pyvenv.cfg").is_file() and not (root / name).is_symlink():
            found = sorted((root / name).glob("lib/python3*/site-packages"))
            found += (root / name).glob("Lib/site-packages")
            if found:
                return root, tuple(place.relative_to(root).as_posix() for place in found)
    own = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    if site.ENABLE_USER_SITE:
        own.append(site.getusersitepackages())
    places = [place for place in dict.fromkeys(Path(p).resolve() for p in own) if place.is_dir()]
    base = Path(os.path.commonpath(places)).parent if places else root
    return base, tuple(place.relative_to(base).as_posix() for place in places)


class PythonPackages:
    """Finds modules in site-packages.

    Args:
        files: The files.
        folders: The site-packages folders.
    """

    def __init__(self, files: PackageFiles, folders: Sequence[str]) -> None:
        self._files = files
        self._folders = tuple(folders)
        self._version = cache(self._installed_version)

    def resolve(self, source: str, importer: str, names: Sequence[str] = ()) -> Resolution:
        """Resolve an import, also that of a module by ``from package import module``.

        Args:
            source: The module as it is imported: "a.b", ".a" or "..".
            importer: The importing file.
            names: The names imported from it.
        """
        name = source.lstrip(".")
        level = len(source) - len(name)
        parts = name.split(".") if name else []
        if level:
            folder = join(folder_of(importer), "./" + "../" * (level - 1))
            path = None if folder is None else self._below(folder, parts)
        else:
            path = self._installed(parts)
        if path is None:
            return Resolution()
        modules = {}
        if path.endswith(_ENDINGS[:2]):
            for imported in filter(str.isidentifier, names):
                inner = self._below(folder_of(path), [imported])
                if inner is not None:
                    modules[imported] = inner
        return Resolution(path, path, modules)

    def package_of(self, path: str) -> tuple[str, str, str]:
        """The folder, name and version of the package that a file belongs to.

        The version is that of the distribution with the package's name; "" when there is none.
        """
        for folder in self._folders:
            if not path.startswith(f"{folder}/"):
                continue
            first = path[len(folder) + 1 :].partition("/")[0]
            name = re.sub(r"\.pyi?$", "", first)
            place = f"{folder}/{first}" if self._files.has_folder(f"{folder}/{first}") else path
            return place, name, self._version(folder, name)
        return folder_of(path), "", ""

    def _installed_version(self, folder: str, name: str) -> str:
        for place in (self._files.base / folder).glob("*.dist-info"):
            said, _, version = place.stem.partition("-")
            if _plain(said) == _plain(name):
                return version
        return ""

    def _installed(self, parts: Sequence[str]) -> str | None:
        if not parts:
            return None
        first, *rest = parts
        for folder in self._folders:
            for name in (first + _STUBS, first):
                path = self._below(folder, [name, *rest])
                if path is not None:
                    return path
        return None

    def _below(self, folder: str, parts: Sequence[str]) -> str | None:
        place = "/".join((folder, *parts))
        tried = (place + ending for ending in (_ENDINGS if parts else _ENDINGS[:2]))
        return next((path for path in tried if path in self._files), None)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
