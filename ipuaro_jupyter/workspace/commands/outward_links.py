"""Links in a project that would lead a test runner to code outside of it."""

import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path

_MOST_ENTRIES = 50_000  # with more of them, the user is asked instead
_CODE = (".py", ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".coffee")


def outward_links(folder: Path, root: Path) -> Iterator[str]:
    """Yield the reason to ask about a runner that collects tests in a folder, if there is one.

    Links inside the project are followed as runners do it. Left out are names that begin with a
    dot, ``node_modules`` and environments of Python, in which they look for no tests.

    Args:
        folder: The folder, with all below it.
        root: The project's folder, free of symlinks.
    """
    waiting, seen, entries = deque([folder.resolve()]), {folder.resolve()}, 0
    while waiting:
        for entry in _entries(waiting.popleft()):
            entries += 1
            if entries > _MOST_ENTRIES:
                yield f"not all links below {_told(folder, root)} could be looked at"
                return
            is_link, place = entry.is_symlink(), Path(entry.path)
            if is_link:
                place = Path(os.path.realpath(place))
            is_folder = os.path.isdir(place) if is_link else entry.is_dir()  # noqa: PTH112 - as below
            if is_folder and _is_environment(place):
                continue
            if not place.is_relative_to(root):
                if is_folder or entry.name.endswith(_CODE):
                    yield f"{_told(Path(entry.path), root)} leads out of the project"
                    return
            elif is_folder and place not in seen:
                seen.add(place)
                waiting.append(place)


def is_below(path: Path, root: Path) -> bool:
    """Whether a path is in a folder, where links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(root)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """What may hold tests in a folder, by name; nothing where it cannot be read."""
    try:
        with os.scandir(folder) as found:
            kept = [e for e in found if not e.name.startswith(".") and e.name != "node_modules"]
    except OSError:
        return []
    return sorted(kept, key=lambda entry: entry.name)


def _is_environment(folder: Path) -> bool:
    """Whether every pytest takes a folder for a virtual environment; the sign has changed."""
    signs = (folder / "bin/activate", folder / "Scripts/activate")
    return _is_file(folder / "pyvenv.cfg") and any(map(_is_file, signs))


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - pathlib's raises for a closed folder


def _told(path: Path, root: Path) -> str:
    return "the project" if path == root else str(path.relative_to(root))
