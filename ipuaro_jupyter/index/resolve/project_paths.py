"""Paths inside the project, and the globs that configuration files use for them.

A path is relative to the project's root and POSIX; "" is the root.
"""

import posixpath
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.globs import Glob


def join(folder: str, path: str) -> str | None:
    """``path`` taken relative to ``folder``; None when that is outside the project."""
    if path.startswith("/"):
        return None
    joined = posixpath.normpath(f"{folder}/{path}" if folder else path)
    if joined == "." or not joined:
        return ""
    return None if joined == ".." or joined.startswith(("../", "/")) else joined


def is_installed(path: str) -> bool:
    """Whether a path is one in ``node_modules``."""
    return "node_modules" in path.split("/")


def folder_of(path: str) -> str:
    """The folder of ``path``; "" for the root and for paths directly in it."""
    return path.rpartition("/")[0]


def folders_up(folder: str) -> Iterator[str]:
    """Yield ``folder`` and every folder above it, the root ("") last."""
    while folder:
        yield folder
        folder = folder_of(folder)
    yield ""


def is_inside(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or below it."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def matches_any(path: str, patterns: Iterable[str], *, below: bool = False) -> bool:
    """Whether one of the globs of a configuration file matches ``path``.

    Args:
        path: The path.
        patterns: Globs, relative to the project; "" is the root. An invalid one matches nothing.
        below: The globs are exclusions: one that matches a folder matches everything in it too, and
            wildcards match hidden names.
    """
    for pattern in patterns:
        if not pattern:
            if below:
                return True
            continue
        glob = _glob(pattern, hidden=below)
        if glob is not None and (glob.matches_within(path) if below else glob.matches(path)):
            return True
    return False


@lru_cache(maxsize=512)
def _glob(pattern: str, *, hidden: bool) -> Glob | None:
    try:
        return Glob(pattern.replace("[", r"\["), hidden=hidden)  # there are no sets in TypeScript's
    except ToolError:
        return None
