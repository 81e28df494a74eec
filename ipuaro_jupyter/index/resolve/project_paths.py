"""Paths inside the project, and the globs that configuration files use for them.

A path is relative to the project's root and POSIX; "" is the root.
"""

import itertools
import posixpath
from collections.abc import Iterable, Iterator
from functools import lru_cache

_ANY_FOLDERS = "**"
_MOST_BRACES = 8
_MOST_ALTERNATIVES = 64


def join(folder: str, path: str) -> str | None:
    """``path`` taken relative to ``folder``; None when that is outside the project."""
    if path.startswith("/"):
        return None
    joined = posixpath.normpath(f"{folder}/{path}" if folder else path)
    if joined == "." or not joined:
        return ""
    return None if joined == ".." or joined.startswith(("../", "/")) else joined


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
    """Whether one of the globs matches ``path``.

    ``*`` and ``?`` match within one name, ``**`` matches any folders, ``{a,b}`` either name; a
    wildcard matches no name that begins with a dot. The time is bounded by the length of the path
    times that of the globs.

    Args:
        path: The path.
        patterns: Globs, relative to the project.
        below: The globs are exclusions: one that matches a folder matches everything in it too, and
            wildcards match every name.
    """
    names: list[str] = []
    for pattern in patterns:
        for start, parts in _split(pattern):
            if path.startswith(start):
                names = names or path.split("/")
                if _fits(names, parts, below=below):
                    return True
    return False


def _fits(names: list[str], parts: tuple[str, ...], *, below: bool) -> bool:
    """Whether the names of a path match the parts of a glob.

    ``places`` are the parts that may come next, after the names seen so far.
    """
    places = _opened({0}, parts)
    for name in names:
        if below and len(parts) in places:
            return True
        after: set[int] = set()
        for place in places:
            if place == len(parts):
                continue
            if parts[place] == _ANY_FOLDERS:
                if below or name[:1] != ".":
                    after.add(place)
            elif _fits_name(name, parts[place], takes_dots=below):
                after.add(place + 1)
        places = _opened(after, parts)
        if not places:
            return False
    return len(parts) in places


def _opened(places: set[int], parts: tuple[str, ...]) -> set[int]:
    """Add the parts after a ``**``, which may match no folder at all."""
    found = set(places)
    for place in places:
        following = place
        while following < len(parts) and parts[following] == _ANY_FOLDERS:
            following += 1
            found.add(following)
    return found


def _fits_name(name: str, part: str, *, takes_dots: bool) -> bool:
    """Whether a name matches a part of a glob; the last ``*`` seen takes as much as needed."""
    if part[0] in "*?" and name[:1] == "." and not takes_dots:
        return False
    place = at = 0
    star, taken = -1, 0
    while at < len(name):
        if place < len(part) and part[place] == "*":
            star, taken = place, at
            place += 1
        elif place < len(part) and part[place] in ("?", name[at]):
            place += 1
            at += 1
        elif star >= 0:
            taken += 1
            place, at = star + 1, taken
        else:
            return False
    return not part[place:].strip("*")


@lru_cache(maxsize=512)
def _split(pattern: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The expansions of a glob with braces: the literal beginning of each, and its parts."""
    plain = [pattern]
    for _ in range(_MOST_BRACES):
        opened = [_with_one_brace_less(text) for text in plain]
        made = [text for texts in opened for text in texts]
        if made == plain or len(made) > _MOST_ALTERNATIVES:
            break
        plain = made
    globs = (tuple(p for p in text.split("/") if p not in ("", ".")) for text in plain)
    return tuple((_start(parts), parts) for parts in globs)


def _start(parts: tuple[str, ...]) -> str:
    plain = itertools.takewhile(lambda part: "*" not in part and "?" not in part, parts)
    return "/".join(plain)


def _with_one_brace_less(text: str) -> list[str]:
    end = text.find("}")
    start = text.rfind("{", 0, max(end, 0))
    if start < 0:
        return [text]
    return [text[:start] + part + text[end + 1 :] for part in text[start + 1 : end].split(",")]
