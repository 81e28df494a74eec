"""The files of the project that a Java import means.

A type is looked up by the name of its package and its own, in any folder that may be the root of
sources: that nearest to the importing file counts. Where no folder is that of the package, the
files of that name say by their package statements what they are of. A type beside the one that a
file is named after is not found.

See https://docs.oracle.com/javase/specs/jls/se21/html/jls-7.html
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import cached_property

from ipuaro_jupyter.index.resolve.lookups import TrackedFiles
from ipuaro_jupyter.index.resolve.project_paths import folder_of
from ipuaro_jupyter.index.resolve.resolution import Resolution

_ENDING = ".java"
_MOST_READ = 100  # of files with one name
_PACKAGE = re.compile(
    r"\ufeff?(?>(?:\s++|//[^\n]*+|/\*(?>[^*]++|\*(?!/))*\*/)*)package\s++([\w.\s]++);"
)


class JavaSearch:
    """Resolves Java imports among the files of a project.

    Args:
        files: Their paths.
        read: Returns the text of a file of the project; None when it cannot be read.
    """

    def __init__(self, files: TrackedFiles, read: Callable[[str], str | None]) -> None:
        self._files = files
        self._read = read
        self._packages: dict[str, str] = {}
        self._known: dict[tuple[str, str, str], str | None] = {}

    def resolve(self, source: str, importer: str, names: Sequence[str] = ()) -> Resolution:
        """Resolve an import.

        Args:
            source: A package, or a type whose members are imported, as written.
            importer: The importing file.
            names: The imported names; "*" for everything.
        """
        place = folder_of(importer)
        found = ((name, self._type(source, name, place)) for name in names)
        modules = {name: path for name, path in found if path is not None and path != importer}
        if modules:
            path: str | None = next(iter(modules.values()))
        else:
            path = self._around(source, place)
        return Resolution(path, path, modules)

    def has_read(self, paths: Collection[str]) -> bool:
        """Whether the package statement of one of some files was read."""
        return not self._packages.keys().isdisjoint(paths)

    def _around(self, source: str, place: str) -> str | None:
        """The file of a type, or of the one that it is nested in."""
        parts = source.split(".")
        for count in range(len(parts), 1, -1):
            path = self._type(".".join(parts[: count - 1]), parts[count - 1], place)
            if path is not None:
                return path
        return None

    def _type(self, package: str, name: str, place: str) -> str | None:
        """The file of a type in a package, the one nearest to a folder."""
        self._files.note_name(f"{name}{_ENDING}")
        key = package, name, place
        if key not in self._known:
            folder = package.replace(".", "/")
            paths = [
                path
                for path in self._by_name.get(name, ())
                if folder_of(path) == folder or folder_of(path).endswith(f"/{folder}")
            ]
            if not paths:
                named = sorted(self._by_name.get(name, ()))[:_MOST_READ]
                paths = [path for path in named if self._package(path) == package]
            self._known[key] = min(
                paths, key=lambda path: (-_shared(path, place), path), default=None
            )
        return self._known[key]

    def _package(self, path: str) -> str:
        """The package that a file says it is of; "" for none."""
        if path not in self._packages:
            found = _PACKAGE.match(self._read(path) or "")
            self._packages[path] = "".join(found[1].split()) if found is not None else ""
        return self._packages[path]

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The files, by the name of the type that each is named after."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._files.paths:
            if path.endswith(_ENDING):
                found[path.rpartition("/")[2].removesuffix(_ENDING)].append(path)
        return dict(found)


def _shared(path: str, place: str) -> int:
    """How many folders from the root on a path shares with a folder."""
    count = 0
    for one, other in zip(path.split("/"), place.split("/"), strict=False):
        if one != other:
            break
        count += 1
    return count
