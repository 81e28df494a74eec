"""Has a Python that starts in a copy of a project import the copy, not the project.

A package that is installed in place (``pip install -e``) leads to the project by paths in ``.pth``
files, by a finder of its own, or by a link. Python runs this module when it starts, in whatever
environment a check finds, so it needs nothing but Python 3.9. What it is about stands in
``copy.json`` beside it; what it has to report goes into ``notes``.

A file that git ignores, such as a generated version, is not in the copy: it is copied when it is
imported.
"""

from __future__ import annotations

import atexit
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))
_FILE_LOADERS = (
    importlib.machinery.SourceFileLoader,
    importlib.machinery.SourcelessFileLoader,
    importlib.machinery.ExtensionFileLoader,
)


class Places:
    """The project and its copy.

    Args:
        project: The project's folder.
        copy: That of its copy.
        gone: Files that a change deletes.
        changed: The files that it changes.
    """

    def __init__(
        self, project: str, copy: str, *, gone: Sequence[str], changed: Sequence[str]
    ) -> None:
        self._project, self._copy = os.path.realpath(project), os.path.realpath(copy)
        self.gone = frozenset(gone)
        self.changed = {path: self._module(path) for path in changed}
        self._environments: dict[str, bool] = {}

    def in_copy(self, path: str) -> str | None:
        """The place in the copy for one in the project; None for any other place."""
        if self.name(path) is not None:
            return None
        inside = _inside(path, self._project)
        if inside is None or self._is_installed(inside):
            return None
        return os.path.join(self._copy, inside)

    def in_project(self, path: str) -> str | None:
        """The place in the project for one in the copy; None for any other place."""
        inside = _inside(path, self._copy)
        return None if inside is None else os.path.join(self._project, inside)

    def name(self, path: str) -> str | None:
        """The project's path for a place in the copy; None for any other place."""
        inside = _inside(path, self._copy)
        return None if inside is None else inside.replace(os.sep, "/")

    def fetch(self, path: str) -> bool:
        """Copy a file that only the project has; False when there is none, or it is to go."""
        own, name = self.in_project(path), self.name(path)
        if own is None or name in self.gone or not os.path.isfile(own):
            return False
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy2(own, path)
        return True

    def _is_installed(self, inside: str) -> bool:
        """Whether a path in the project is that of an installed package."""
        parts = inside.split(os.sep)
        if {"node_modules", "site-packages", "dist-packages"} & set(parts):
            return True
        folder = self._project
        for part in parts[:-1]:
            folder = os.path.join(folder, part)
            if folder not in self._environments:
                setup = os.path.join(folder, "pyvenv.cfg")
                self._environments[folder] = os.path.exists(setup)
            if self._environments[folder]:
                return True
        prefixes = (_inside(prefix, self._project) for prefix in (sys.prefix, sys.base_prefix))
        return any(prefix and f"{inside}/".startswith(f"{prefix}/") for prefix in prefixes)

    def _module(self, path: str) -> str:
        """The name of a changed module, as short as it may be: that within its package."""
        parts = path.rpartition(".")[0].split("/")
        above = len(parts) - 1
        while above and os.path.exists(os.path.join(self._copy, *parts[:above], "__init__.py")):
            above -= 1
        named = parts[above:]
        return ".".join(named[:-1] if named[-1] == "__init__" and named[:-1] else named)


class CopyFinder(importlib.abc.MetaPathFinder):
    """Finds modules as the other finders do, and then their files in the copy."""

    def __init__(self, places: Places, notes: str) -> None:
        self._places = places
        self._notes = notes
        self._noted: set[tuple[str, ...]] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module's spec in the copy; that of others if it is no module of the project."""
        where = path if path is None else [one for given in path for one in self._both(given)]
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = None if find is None else find(fullname, where, target)
            if spec is not None:
                return self._led(spec)
        return None

    def note(self, *words: str) -> None:
        """Report something, once."""
        if words not in self._noted:
            self._noted.add(words)
            with open(self._notes, "a", encoding="utf-8") as file:
                file.write(json.dumps([*words]) + "\n")

    def note_loaded(self) -> None:
        """Report what was loaded without asking this finder."""
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and name != __name__:
                self._note_module(name, file)

    def _both(self, place: str) -> list[str]:
        """A folder for modules with its twin, the copy first."""
        if not os.path.isabs(place):  # some finders' marks look like paths
            return [place]
        inside = self._places.in_copy(place)
        if inside is not None:
            return [inside, place]
        twin = self._places.in_project(place)
        return [place] if twin is None else [place, twin]

    def _led(self, spec: importlib.machinery.ModuleSpec) -> importlib.machinery.ModuleSpec:
        origin = spec.origin if spec.has_location else None
        if origin is None:
            return spec
        inside = self._places.in_copy(origin)
        if inside is None:
            self._note_module(spec.name, origin)
            return spec
        if not isinstance(spec.loader, _FILE_LOADERS):
            self.note("project", spec.name, origin)
            return spec
        if not os.path.lexists(inside):
            if not self._places.fetch(inside):
                raise ModuleNotFoundError(f"No module named {spec.name!r}", name=spec.name)
            self._note_elsewhere(spec.name, origin)
        below = None if spec.submodule_search_locations is None else [os.path.dirname(inside)]
        led = importlib.util.spec_from_file_location(
            spec.name, inside, submodule_search_locations=below
        )
        self._note_module(spec.name, inside)
        return led or spec

    def _note_module(self, name: str, file: str) -> None:
        inside = self._places.name(file)
        if inside is not None:
            if inside in self._places.changed:
                self.note("loaded", inside)
        elif self._places.in_copy(file) is not None:
            self.note("project", name, file)
        else:
            self._note_elsewhere(name, file)

    def _note_elsewhere(self, name: str, file: str) -> None:
        """Report a module that may be a changed one, from another place."""
        if name != "__main__":
            for path, short in self._places.changed.items():
                if f".{name}".endswith(f".{short}") and _ends_with(path, name):
                    self.note("elsewhere", path, file)


def lead(folder: str) -> None:
    """Lead the imports of this process to the copy that a folder's ``copy.json`` is about."""
    with open(os.path.join(folder, "copy.json"), encoding="utf-8") as file:
        told = json.load(file)
    places = Places(told["project"], told["copy"], gone=told["gone"], changed=told["changed"])
    finder = CopyFinder(places, os.path.join(folder, "notes"))
    paths = []
    for path in sys.path:
        inside = places.in_copy(path) if path else None
        if inside is None or not os.path.isdir(
            inside
        ):  # the finder looks at links in ignored folders
            paths.append(path)
        else:
            paths.append(inside)
            _link_metadata(path, os.path.join(folder, "metadata"))
    sys.path[:] = [path for path in dict.fromkeys(paths) if os.path.abspath(path) != folder]
    if os.path.isdir(os.path.join(folder, "metadata")):
        sys.path.append(os.path.join(folder, "metadata"))
    sys.meta_path.insert(0, finder)
    finder.note("started")
    atexit.register(finder.note_loaded)


def run_next() -> None:
    """Run the ``sitecustomize`` that this one hides, if there is one."""
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _link_metadata(path: str, into: str) -> None:
    """Link the metadata that older tools write beside a package, and git ignores."""
    for name in os.listdir(path) if os.path.isdir(path) else ():
        if name.endswith(".egg-info"):
            os.makedirs(into, exist_ok=True)
            link = os.path.join(into, name)
            if not os.path.lexists(link):
                os.symlink(os.path.join(path, name), link)


def _ends_with(path: str, name: str) -> bool:
    """Whether a module of this name may be in a file with this path."""
    stem = f"/{path}".rpartition(".")[0].removesuffix("/__init__")
    return stem.endswith("/" + name.replace(".", "/"))


def _inside(path: str, folder: str) -> str | None:
    real = os.path.realpath(path)
    return os.path.relpath(real, folder) if f"{real}{os.sep}".startswith(folder + os.sep) else None


if __name__ == "sitecustomize":
    lead(_HERE)
    run_next()
