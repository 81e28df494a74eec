"""Paths inside the project, and the patterns that configuration files name them by.

A path is relative to the project's root and POSIX; "" is the root.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache


def join(folder: str, path: str) -> str | None:
    """Return where ``path`` leads from ``folder``; None when that is outside of the project."""
    if path.startswith("/"):
        return None
    joined = posixpath.normpath(f"{folder}/{path}" if folder else path)
    if joined == "." or not joined:
        return ""
    return None if joined == ".." or joined.startswith(("../", "/")) else joined


def folder_of(path: str) -> str:
    """Return the folder that ``path`` is in; "" for the root and what is directly in it."""
    return path.rpartition("/")[0]


def folders_up(folder: str) -> Iterator[str]:
    """Yield ``folder`` and every folder above it, the root ("") last."""
    while folder:
        yield folder
        folder = folder_of(folder)
    yield ""


def is_inside(path: str, folder: str) -> bool:
    """Return whether ``path`` is ``folder`` or below it."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def matches_any(path: str, patterns: Iterable[str], *, below: bool = False) -> bool:
    """Return whether one of the globs fits ``path``.

    ``*`` and ``?`` stay in one name, ``**`` stands for any folders, ``{a,b}`` for either; a
    wildcard takes no name that begins with a dot.

    Args:
        path: The path.
        patterns: Globs, relative to the project.
        below: A glob that fits a folder fits everything in it too.
    """
    return any(_compiled(pattern, below=below).fullmatch(path) for pattern in patterns)


@lru_cache(maxsize=512)
def _compiled(pattern: str, *, below: bool) -> re.Pattern[str]:
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    made = ""
    for place, part in enumerate(parts):
        is_last = place == len(parts) - 1
        if part == "**":
            made += r"(?:(?!\.)[^/]+(?:/(?!\.)[^/]+)*)?" if is_last else r"(?:(?!\.)[^/]+/)*"
        else:
            made += _name(part) + ("" if is_last else "/")
    return re.compile(made + ("(?:/.*)?" if below else ""), re.DOTALL)


def _name(part: str) -> str:
    """Return the regular expression of a glob for one name."""
    made = r"(?!\.)" if part[0] in "*?" else ""
    depth = 0
    for sign in part:
        if sign == "{":
            made, depth = made + "(?:", depth + 1
        elif sign == "}" and depth:
            made, depth = made + ")", depth - 1
        elif sign == "," and depth:
            made += "|"
        else:
            made += {"*": "[^/]*", "?": "[^/]"}.get(sign, re.escape(sign))
    return made + ")" * depth
