"""The file that a program's name stands for: one of the system, or one of the project."""

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from ipuaro_jupyter.small_file import read_small_text

# Takes a program's name, and whether a script of package.json starts it, where the tools of the
# project come first. Returns the files of the project that the program consists of; none for a
# program of the system, None when there is no such program.
FindProgram = Callable[[str, bool], tuple[str, ...] | None]

_YARN_PATH = re.compile(
    r"""^\s*["']?(?:yarnPath|yarn-path)["']?\s*:?\s*["']?([^"'#\n]+)""", re.MULTILINE
)


def find_program(
    name: str, *, path: str, root: Path, folders: Sequence[Path]
) -> tuple[str, ...] | None:
    """The files of the project that would run under ``name``, relative to ``root``.

    They are the file on the PATH, the targets of its symlinks, and for yarn the files that its
    settings name.

    Args:
        name: A name without a folder.
        path: The PATH to search.
        root: The project's folder, free of symlinks.
        folders: Folders that may contain settings of package managers.

    Returns:
        No files for a program outside the project; None when there is no such program.
    """
    found = shutil.which(name, path=path)
    if found is None:
        return None
    places = [Path(found), *(_yarn_paths(folders) if name == "yarn" else [])]
    real = [place.resolve() for place in places]
    inside = (place for place in (*places, *real) if place.is_relative_to(root))
    return tuple(dict.fromkeys(place.relative_to(root).as_posix() for place in inside))


def _yarn_paths(folders: Sequence[Path]) -> list[Path]:
    """The scripts that yarn starts in its place."""
    paths = []
    for folder in folders:
        for name in (".yarnrc.yml", ".yarnrc"):
            try:
                text = read_small_text(folder / name, "replace")
            except OSError:
                continue
            paths += [folder / match[1].strip() for match in _YARN_PATH.finditer(text)]
    return paths
