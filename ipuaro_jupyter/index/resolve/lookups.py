"""What a resolution has looked at, so that it is known which changes may alter it.

TypeScript keeps the same for its watch mode (``failedLookupLocations`` in resolutionCache.ts). Here
locations are kept as numbers of 16 bits: two that share one only cause work, never a wrong answer.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from zlib import crc32

from ipuaro_jupyter.index.resolve.project_paths import folder_of

PYTHON_ENDINGS = (".py", ".pyi", ".ipynb", ".pyw")
"""The endings of files that make a folder one of Python."""
_ANYTHING = "\0"
_IN_FOLDERS = (".go", ".rs")
_ANYWHERE = "\0/"
_BITS = 0xFFFF
_MOST_FOLDERS = 50


class TrackedFiles(Collection[str]):
    """The paths of a project; inside `looking`, it is noted which were looked for.

    Attributes:
        paths: The paths; looking here is not noted.
        asked: The paths that were looked for; None while that is not noted.
    """

    def __init__(self, paths: Collection[str], *, asked: set[str] | None = None) -> None:
        self.paths = paths
        self.asked = asked
        self._numbers: set[int] = set()

    def __contains__(self, path: object) -> bool:
        if self.asked is not None and isinstance(path, str):
            self.asked.add(path)
        return path in self.paths

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    @contextmanager
    def looking(self) -> Iterator[set[int]]:
        """Provide a set that has, after the block, the numbers of the locations looked at in it."""
        outer, others = self.asked, self._numbers
        asked, numbers = set[str](), set[int]()
        self.asked, self._numbers = asked, numbers
        try:
            yield numbers
        finally:
            numbers.update(map(location, asked))
            others |= numbers
            self.asked, self._numbers = outer, others

    def note(self, numbers: Iterable[int]) -> None:
        """Note locations that were looked at before, for a result that is used again."""
        self._numbers.update(numbers)

    def note_folder(self, folder: str) -> None:
        """Note that it was asked for Go or Rust files in a folder, or any of Python below it."""
        if self.asked is not None:
            self.asked.add(f"{folder}/")

    def note_all(self) -> None:
        """Note that the result depends on every path."""
        if self.asked is not None:
            self.asked.add(_ANYTHING)

    def note_name(self, name: str) -> None:
        """Note that it was asked for Java files with a name, in whatever folder."""
        if self.asked is not None:
            self.asked.add(f"{_ANYWHERE}{name}")


def location(path: str) -> int:
    """The number of a file without its extensions; of a folder, given with a final slash."""
    folder, slash, name = path.rpartition("/")
    return crc32(f"{folder}{slash}{name.partition('.')[0]}".encode()) & _BITS


def touched_locations(
    moved: Collection[str], before: Mapping[str, object], after: Mapping[str, object]
) -> set[int]:
    """The locations at which a resolution may find something else than before.

    Args:
        moved: The files that have come or gone.
        before: All files before.
        after: All files afterwards.
    """
    found = {location(path) for path in moved}
    found.add(location(_ANYTHING))
    found.update(location(f"{folder_of(path)}/") for path in moved if path.endswith(_IN_FOLDERS))
    names = (path.rpartition("/")[2] for path in moved if path.endswith(".java"))
    found.update(location(f"{_ANYWHERE}{name}") for name in names)
    folders = {
        path[:end]
        for path in moved
        if path.endswith(PYTHON_ENDINGS)
        for end, sign in enumerate(path)
        if sign == "/"
    }
    is_few = len(folders) <= _MOST_FOLDERS
    for folder in folders:
        if not (is_few and _has(before, folder) and _has(after, folder)):
            found.add(location(f"{folder}/"))
    return found


def _has(files: Iterable[str], folder: str) -> bool:
    inside = f"{folder}/"
    return any(path.startswith(inside) and path.endswith(PYTHON_ENDINGS) for path in files)
