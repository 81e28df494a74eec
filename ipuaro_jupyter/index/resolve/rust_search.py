"""The file of the project that a Rust path means.

A path begins in the crate of the importing file, in its module, in a crate that its Cargo.toml may
name (those of the project, by their names), or below the module itself. Then one part after the
other is a file: ``x.rs`` or ``x/mod.rs``. What is left is an item in the last file.

See https://doc.rust-lang.org/reference/items/modules.html and
https://doc.rust-lang.org/cargo/reference/cargo-targets.html
"""

import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ipuaro_jupyter.index.resolve.lookups import TrackedFiles
from ipuaro_jupyter.index.resolve.project_paths import folder_of, folders_up, join
from ipuaro_jupyter.index.resolve.resolution import Resolution

CONFIGS = ("Cargo.toml",)
"""The configuration files that are read."""
_ROOTS = ("lib.rs", "main.rs")
_TARGETS = ("tests", "examples", "benches", "src/bin")
_TABLES = ("bin", "test", "example", "bench")
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")
_ENDING = ".rs"


class _RustModule(NamedTuple):
    """A module: its file, and the folder of the modules in it."""

    path: str
    folder: str


class _CargoPackage(NamedTuple):
    """A Cargo.toml.

    Attributes:
        folder: Its folder.
        name: The name of the crate of its library, as code writes it.
        library: The file of its library, if there is one.
        roots: The files of its other crates, those that are missing included.
        renamed: Crates that have another name in the package, by that name.
    """

    folder: str
    name: str
    library: str
    roots: frozenset[str]
    renamed: dict[str, str]


class RustSearch:
    """Resolves Rust paths among the files of a project.

    Args:
        files: Their paths.
        read: Returns the text of a file of the project; None when it cannot be read.
    """

    def __init__(self, files: TrackedFiles, read: Callable[[str], str | None]) -> None:
        self._files = files
        self._read = read
        self._parsed: dict[str, _CargoPackage | None] = {}

    def resolve(self, source: str, importer: str, names: Sequence[str] = ()) -> Resolution:
        """Resolve a path.

        Args:
            source: The path of a module, as written; or a file, as an attribute names it.
            importer: The importing file.
            names: The names imported from it.
        """
        if source.endswith(_ENDING):
            path = join(folder_of(importer), source)
            return Resolution(path, path) if path in self._files else Resolution()
        found = self._located(tuple(source.split("::")), importer)
        if found is None:
            return Resolution()
        modules = {}
        for name in names:
            inner = self._inside(found, name)
            if inner is not None:
                modules[name] = inner.path
        path = found.path
        if modules and len(modules) == len(set(names)):
            path = next(iter(modules.values()))
        return Resolution(path, path, modules)

    def _located(self, parts: tuple[str, ...], importer: str) -> _RustModule | None:
        """The module that a path leads to, as far as files tell."""
        own = self._module(importer)
        first, rest = parts[0], parts[1:]
        start: _RustModule | None
        if first == "crate":
            start = self._root(importer)
        elif first == "self":
            start = own
        elif first == "super":
            start = self._outer(own)
            while start is not None and rest[:1] == ("super",):
                start, rest = self._outer(start), rest[1:]
        else:
            start = self._crate(first, importer) or self._inside(own, first)
        is_declared = first == "self" and len(parts) > 1
        if start is not None and is_declared and len(rest) == 1:
            return self._inside(start, rest[0]) or start
        while start is not None and rest:
            inner = self._inside(start, rest[0])
            if inner is None:
                break
            start, rest = inner, rest[1:]
        return start

    def _inside(self, module: _RustModule, name: str) -> _RustModule | None:
        """A module in another, when it is a file of its own."""
        place = f"{module.folder}/{name}".lstrip("/")
        for path in (place + _ENDING, f"{place}/mod.rs"):
            if path in self._files:
                return _RustModule(path, place)
        return None

    def _module(self, path: str) -> _RustModule:
        """The module that a file is."""
        folder, name = folder_of(path), path.rpartition("/")[2]
        if name == "mod.rs" or self._is_root(path):
            return _RustModule(path, folder)
        return _RustModule(path, path.removesuffix(_ENDING))

    def _is_root(self, path: str) -> bool:
        """Whether a file is the root of a crate."""
        package = self._around(path)
        if package is None:
            return path.rpartition("/")[2] in _ROOTS
        if path == package.library or path in package.roots:
            return True
        inner = path[len(package.folder) :].lstrip("/")
        folder, name = folder_of(inner), inner.rpartition("/")[2]
        if folder in _TARGETS or inner in {"src/main.rs", "src/lib.rs", "build.rs"}:
            return True
        return name == "main.rs" and folder_of(folder) in _TARGETS

    def _root(self, path: str) -> _RustModule | None:
        """The root of the crate that a file is in: the nearest above it."""
        if self._is_root(path):
            return self._module(path)
        for folder in folders_up(folder_of(path)):
            for name in _ROOTS:
                other = f"{folder}/{name}".lstrip("/")
                if other in self._files and self._is_root(other):
                    return _RustModule(other, folder)
            self._files.note_folder(folder)
            roots = self._rooted.get(folder, ())
            if roots:
                return _RustModule(roots[0], folder)
        return None

    @cached_property
    def _rooted(self) -> dict[str, list[str]]:
        """The files that Cargo takes for crates, by folder; the libraries first."""
        found: dict[str, list[str]] = {}
        for package in self._packages:
            for path in (package.library, *sorted(package.roots)):
                if path in self._files.paths:
                    found.setdefault(folder_of(path), []).append(path)
        for path in sorted(path for path in self._files.paths if path.endswith(_ENDING)):
            if self._is_root(path):
                found.setdefault(folder_of(path), []).append(path)
        return found

    def _outer(self, module: _RustModule) -> _RustModule | None:
        """The module around another."""
        if self._is_root(module.path):
            return None
        folder = folder_of(module.folder)
        root = self._root(module.path)
        if root is not None and root.folder == folder:
            return root
        for path in (f"{folder}/mod.rs", f"{folder}{_ENDING}"):
            if path in self._files:
                return _RustModule(path, folder)
        return None

    def _crate(self, name: str, importer: str) -> _RustModule | None:
        """The library of a crate of the project, by its name in the importing file."""
        package = self._around(importer)
        wanted = package.renamed.get(name, name) if package is not None else name
        others = [one for one in self._by_name.get(wanted, ()) if one.library in self._files]
        for other in others:
            is_own = package is not None and other.folder == package.folder
            if not is_own or importer != other.library:
                root = other.library
                if not (is_own and self._is_below(importer, other)):
                    return _RustModule(root, folder_of(root))
        return None

    def _is_below(self, path: str, package: _CargoPackage) -> bool:
        """Whether a file is in the library of a package."""
        root = self._root(path)
        return root is not None and root.path == package.library

    @cached_property
    def _by_name(self) -> dict[str, list[_CargoPackage]]:
        found: dict[str, list[_CargoPackage]] = {}
        for package in self._packages:
            if package.name:
                found.setdefault(package.name, []).append(package)
        return found

    @property
    def _packages(self) -> Iterable[_CargoPackage]:
        for path in sorted(self._files.paths):
            if path.rpartition("/")[2] == "Cargo.toml":
                package = self._package(path)
                if package is not None:
                    yield package

    def _around(self, path: str) -> _CargoPackage | None:
        """The package that a file is in."""
        for folder in folders_up(folder_of(path)):
            config = f"{folder}/Cargo.toml".lstrip("/")
            if config in self._files.paths:
                package = self._package(config)
                if package is not None:
                    return package
        return None

    def _package(self, path: str) -> _CargoPackage | None:
        if path not in self._parsed:
            try:
                table = tomllib.loads(self._read(path) or "")
            except (tomllib.TOMLDecodeError, RecursionError):
                table = {}
            self._parsed[path] = self._of_table(folder_of(path), table)
        return self._parsed[path]

    def _of_table(self, folder: str, table: dict[str, Any]) -> _CargoPackage | None:
        """The package of a Cargo.toml; None for one that has only a workspace."""
        name = _text(_get(table, "package", "name"))
        if not name:
            return None
        said = _text(_get(table, "lib", "path")) or "src/lib.rs"
        library = join(folder, said) or ""
        targets = [one for key in _TABLES for one in _dicts(table.get(key))]
        roots = {join(folder, _text(one.get("path"))) for one in targets if _text(one.get("path"))}
        roots.add(join(folder, _text(_get(table, "package", "build")) or "build.rs"))
        crate = _text(_get(table, "lib", "name")) or name
        return _CargoPackage(
            folder,
            crate.replace("-", "_"),
            library,
            frozenset(root for root in roots if root is not None),
            dict(_renamed(table)),
        )


def _renamed(table: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """The crates that a package gives another name: that name, and theirs."""
    tables = [table, *_dicts([*_table(table.get("target")).values()])]
    for one in tables:
        for key in _DEPENDENCIES:
            for name, said in _table(one.get(key)).items():
                real = _text(_get(said, "package")) if isinstance(said, dict) else ""
                if real:
                    yield name.replace("-", "_"), real.replace("-", "_")


def _get(table: Any, *path: str) -> Any:
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
