"""The files of the project that a Go import means: those of a package's folder.

A package is looked up in the module that the importing file is in, in the folders that its
``replace`` directives or those of the go.work above it name, in the modules of that go.work, and in
``vendor``. Files of all systems and build tags belong to a package; ``_test.go`` files do not.

See https://go.dev/ref/mod
"""

import re
from collections import defaultdict
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from ipuaro_jupyter.index.resolve.lookups import TrackedFiles
from ipuaro_jupyter.index.resolve.project_paths import folder_of, folders_up, join
from ipuaro_jupyter.index.resolve.resolution import Resolution

CONFIGS = ("go.mod", "go.work")
"""The configuration files that are read."""
_COMMENT = re.compile(r"//.*")
_BLOCK = re.compile(r"^\s*(?P<word>\w+)\s*\((?P<lines>[^)]*)\)", re.MULTILINE)
_LINE = re.compile(r"^\s*(?P<word>\w+)\s+(?P<line>[^\s(].*)$", re.MULTILINE)
_NOTHING = Resolution()


class _Config(NamedTuple):
    """A go.mod or go.work.

    Attributes:
        folder: Its folder.
        module: The path of the module; "" for a go.work.
        replaced: The folders that stand for modules, by their paths.
        uses: The folders of the modules of a workspace.
    """

    folder: str
    module: str
    replaced: dict[str, str]
    uses: tuple[str, ...]


class GoSearch:
    """Resolves Go imports among the files of a project.

    Args:
        files: Their paths.
        read: Returns the text of a file of the project; None when it cannot be read.
    """

    def __init__(self, files: TrackedFiles, read: Callable[[str], str | None]) -> None:
        self._files = files
        self._read = read
        self._configs: dict[str, _Config | None] = {}
        self._known: dict[tuple[str, str], tuple[Resolution, frozenset[int]]] = {}

    def resolve(self, source: str, importer: str) -> Resolution:
        """Resolve an import.

        Args:
            source: The path of the package, as written.
            importer: The importing file.
        """
        folder = folder_of(importer)
        key = source, folder
        if key not in self._known:
            with self._files.looking() as numbers:
                found = self._resolved(source, folder)
            self._known[key] = found, frozenset(numbers)
        found, looked = self._known[key]
        self._files.note(looked)
        return found

    def _resolved(self, source: str, folder: str) -> Resolution:
        places: list[str | None]
        if source.startswith(("./", "../")):
            places = [join(folder, source)]
        else:
            places = self._places(source, folder)
        for place in places:
            if place is None:
                continue
            self._files.note_folder(place)
            files = self._packages.get(place, ())
            if files:
                return Resolution(
                    files[0], files[0], {path.rpartition("/")[2]: path for path in files}
                )
        return _NOTHING

    def _places(self, source: str, folder: str) -> list[str | None]:
        """The folders in which a package may be, the first one that has it counts."""
        module = self._above(folder, "go.mod")
        if module is None:
            return []
        work = self._above(module.folder, "go.work")
        if work is not None and module.folder not in work.uses:
            work = None
        mine = {module.module: module.folder}
        replaced = {**module.replaced, **(work.replaced if work is not None else {})}
        used = [self._config(f"{use}/go.mod".lstrip("/")) for use in work.uses] if work else []
        for one in filter(None, used):
            mine.setdefault(one.module, one.folder)
        known = {**replaced, **mine}
        owners = [path for path in known if path and _is_below(source, path)]
        places: list[str | None] = []
        for owner in sorted(owners, key=len, reverse=True):
            place = join(known[owner], source[len(owner) :].lstrip("/") or ".")
            if place is not None and self._is_of(place, known[owner]):
                places.append(place)
        root = work.folder if work is not None else module.folder
        return [*places, join(root, f"vendor/{source}")]

    def _is_of(self, place: str, root: str) -> bool:
        """Whether a folder belongs to the module at ``root``, and not to one inside it."""
        for folder in folders_up(place):
            if folder == root:
                return True
            if f"{folder}/go.mod" in self._files.paths:
                return False
        return True

    def _above(self, folder: str, name: str) -> _Config | None:
        """The configuration of a name in the nearest folder, upwards, that has one."""
        for place in folders_up(folder):
            path = f"{place}/{name}" if place else name
            if path in self._files.paths:
                return self._config(path)
        return None

    def _config(self, path: str) -> _Config | None:
        if path not in self._configs:
            text = self._read(path) if path in self._files.paths else None
            self._configs[path] = None if text is None else _config(folder_of(path), text)
        return self._configs[path]

    @cached_property
    def _packages(self) -> dict[str, list[str]]:
        """The files of each folder that are part of the package there, for others."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._files.paths:
            if path.endswith(".go") and not path.endswith("_test.go"):
                folder, _, name = path.rpartition("/")
                if not name.startswith(("_", ".")):
                    found[folder].append(path)
        return {folder: sorted(paths) for folder, paths in found.items()}


def _is_below(source: str, module: str) -> bool:
    return source == module or source.startswith(f"{module}/")


def _config(folder: str, text: str) -> _Config:
    module, replaced, uses = "", dict[str, str](), list[str]()
    for word, line in _directives(text):
        if word == "module":
            module = line.split()[0]
        elif word == "use" and (place := join(folder, line.split()[0])) is not None:
            uses.append(place)
        elif word == "replace":
            old, _, new = line.partition("=>")
            target = new.split()[0] if new.split() else ""
            is_local = target in {".", ".."} or target.startswith(("./", "../"))
            if old.split() and is_local and (place := join(folder, target)) is not None:
                replaced[old.split()[0]] = place
    return _Config(folder, module, replaced, tuple(uses))


def _directives(text: str) -> list[tuple[str, str]]:
    """The directives of a go.mod or go.work: the word and what follows it, without quotes."""
    text = _COMMENT.sub("", text).replace('"', "").replace("`", "")
    found = [
        (block["word"], line.strip())
        for block in _BLOCK.finditer(text)
        for line in block["lines"].splitlines()
        if line.strip()
    ]
    rest = _BLOCK.sub("", text)
    return found + [(line["word"], line["line"].strip()) for line in _LINE.finditer(rest)]
