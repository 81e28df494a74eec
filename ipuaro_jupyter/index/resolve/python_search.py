"""The file of the project that a Python import means.

Python looks a module up in the folders of ``sys.path``, which is only known by running the program.
Here they are, in this order: the folder of the importing file when it is not in a package; those
that the nearest configuration names; the folder of the outermost package that the file is in and
those above, each with its ``src``; last, those that the other configurations name. A module of the
standard library is only looked for beside the importing file, as for a script.

See https://docs.python.org/3/reference/import.html#searching
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from ipuaro_jupyter.index.resolve.lookups import PYTHON_ENDINGS, TrackedFiles
from ipuaro_jupyter.index.resolve.project_paths import folder_of, folders_up, join
from ipuaro_jupyter.index.resolve.python_roots import CONFIGS, named_roots, scripts

_SOURCES = (".py", ".pyi")
_MODULES = ("/__init__.py", "/__init__.pyi", *_SOURCES)
_MOST_KNOWN = 20_000
_MOST_ROOTS = 200


class _Located(NamedTuple):
    """A module: its file, None for a namespace package; and the folders of its submodules."""

    path: str | None
    folders: tuple[str, ...]


class PythonImport(NamedTuple):
    """The result of resolving an import.

    Attributes:
        path: The file of the module, or of the first submodule when only submodules are imported;
            None when nothing in the project matches.
        modules: The files of those imported names that are submodules.
        wanted: The file that a relative import would need; None when it exists.
    """

    path: str | None
    modules: dict[str, str]
    wanted: str | None = None


class PythonSearch:
    """Resolves Python imports among the files of a project.

    Args:
        files: Their paths.
        read: Returns the text of a file of the project; None when it cannot be read.
    """

    def __init__(self, files: TrackedFiles, read: Callable[[str], str | None]) -> None:
        self._files = files
        self._read = read
        self._roots: dict[str, tuple[tuple[str, ...], frozenset[int]]] = {}
        self._named: dict[str, list[str]] = {}
        self._known: dict[
            tuple[tuple[str, ...], tuple[str, ...]], tuple[_Located | None, frozenset[int]]
        ] = {}

    def resolve(self, source: str, importer: str, names: Sequence[str] = ()) -> PythonImport:
        """Resolve an import.

        Args:
            source: The module as it is imported: "a.b", ".a" or "..".
            importer: The importing file.
            names: The names imported from it; "*" for everything, or for the module as a whole.
        """
        name = source.lstrip(".")
        level = len(source) - len(name)
        parts = tuple(name.split(".")) if name else ()
        if level:
            folder = join(folder_of(importer), "./" + "../" * (level - 1))
            found = None if folder is None else self._located(parts, (folder,))
        else:
            folder = None
            found = self._located(parts, self._roots_for(importer, parts)) if parts else None
        if found is None:
            wanted = None if folder is None else join(folder, "/".join(parts) + ".py")
            return PythonImport(None, {}, wanted if parts else None)
        modules = self._submodules(found, names)
        path = found.path
        if modules and len(modules) == len(set(names)):
            path = next(iter(modules.values()))
        return PythonImport(path, modules)

    @cached_property
    def entries(self) -> frozenset[str]:
        """The files of the scripts that the project's packages install."""
        found = set()
        for config in self._configs:
            if config.endswith("pyproject.toml"):
                for module in scripts(config, self._read):
                    path = self.resolve(module, config).path
                    found |= {path} if path is not None else set()
        return frozenset(found)

    def _submodules(self, package: _Located, names: Iterable[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for name in names:
            inner = self._located((name,), package.folders) if name.isidentifier() else None
            if inner is not None and inner.path is not None and inner.path != package.path:
                found[name] = inner.path
        return found

    def _located(self, parts: tuple[str, ...], folders: tuple[str, ...]) -> _Located | None:
        """The module named by ``parts`` below one of ``folders``."""
        if not parts:
            (folder,) = folders
            return _Located(self._first(folder, _MODULES[:2]) if folder else None, folders)
        key = folders, parts
        if key not in self._known:
            with self._files.looking() as numbers:
                inner: _Located | None = _Located(None, folders)
                for part in parts:
                    inner = self._found(part, inner.folders) if inner is not None else None
            if len(self._known) >= _MOST_KNOWN:  # those of a folder come together
                self._known.clear()
            self._known[key] = inner, frozenset(numbers)
        found, looked = self._known[key]
        self._files.note(looked)
        return found

    def _found(self, name: str, folders: Iterable[str]) -> _Located | None:
        """A module or package in one of the folders; a namespace package may span all of them."""
        portions = []
        for folder in folders:
            place = f"{folder}/{name}" if folder else name
            path = self._first(place, _MODULES)
            if path is not None:
                return _Located(path, (place,) if path.endswith(_MODULES[:2]) else ())
            self._files.note_folder(place)
            if place in self._folders:
                portions.append(place)
        return _Located(None, tuple(portions)) if portions else None

    def _first(self, place: str, endings: Iterable[str]) -> str | None:
        return next((place + ending for ending in endings if place + ending in self._files), None)

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The folders with Python files at any depth."""
        found: set[str] = set()
        for path in self._files.paths:
            if path.endswith(PYTHON_ENDINGS):
                folder = folder_of(path)
                while folder and folder not in found:
                    found.add(folder)
                    folder = folder_of(folder)
        return frozenset(found)

    @cached_property
    def _configs(self) -> list[str]:
        """The configuration files, from the top of the project down."""
        found = [path for path in self._files.paths if path.rpartition("/")[2] in CONFIGS]
        return sorted(found, key=lambda path: (path.count("/"), path))

    def _roots_for(self, importer: str, parts: Sequence[str]) -> tuple[str, ...]:
        folder = folder_of(importer)
        if parts[0] in sys.stdlib_module_names:
            is_script = not self._is_package(folder) and parts[0] not in sys.builtin_module_names
            return (folder,) if is_script else ()
        if folder not in self._roots:
            with self._files.looking() as numbers:
                listed = tuple(dict.fromkeys(self._list_roots(folder)))[:_MOST_ROOTS]
            self._roots[folder] = listed, frozenset(numbers)
        roots, looked = self._roots[folder]
        self._files.note(looked)
        return roots

    def _list_roots(self, folder: str) -> list[str]:
        found = [] if self._is_package(folder) else [folder]
        above = list(folders_up(folder))
        for place in above:
            found += self._named_in(place)
        is_outside = False
        for place in above:
            is_outside = is_outside or not self._is_package(place)
            if is_outside:
                found += [place, f"{place}/src" if place else "src"]
        for config in self._configs:
            own = folder_of(config)
            found += [*self._named_in(own), own, f"{own}/src" if own else "src"]
        return found

    def _named_in(self, folder: str) -> list[str]:
        """The folders that the configuration in a folder names."""
        if folder not in self._named:
            paths = (f"{folder}/{name}" if folder else name for name in CONFIGS)
            self._named[folder] = [
                root
                for path in paths
                if path in self._files.paths  # no location: a change there is one of all imports
                for root in named_roots(path, self._read)
            ]
        return self._named[folder]

    def _is_package(self, folder: str) -> bool:
        return bool(folder) and self._first(folder, _MODULES[:2]) is not None
