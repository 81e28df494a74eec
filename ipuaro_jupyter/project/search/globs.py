r"""Glob patterns: ``*``, ``?``, ``[a-z]``, ``**`` across folders, ``{a,b}``, ``\`` before a sign.

Matching takes at most (length of the pattern) x (length of the path) steps, whatever the pattern.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from ipuaro_jupyter.errors import ToolError

_MOST_STEPS = 500  # of replacing one pair of braces, or none
_LONGEST = 1000
_DEEP = None  # the part "**": any number of folders


class _Part:
    """One name of a pattern. ``[slug]`` is a set of letters, and also the name itself."""

    def __init__(self, text: str) -> None:
        self._plain = text
        self._regex = re.compile(_translated(text), re.DOTALL)

    def matches(self, name: str) -> bool:
        return name == self._plain or self._regex.fullmatch(name) is not None


_Parts = tuple[_Part | None, ...]


class Glob:
    """A pattern for paths, which are relative to the folder that the pattern is for.

    Args:
        pattern: A pattern without a folder matches names in the folder itself only.
        recursive: False has ``**`` stand for no folder at all.

    Raises:
        ToolError: "validation" when it is empty, too long, stands for too many patterns, or
            leads out of the folder.
    """

    def __init__(self, pattern: str, *, recursive: bool = True) -> None:
        if not pattern.strip() or len(pattern) > _LONGEST:
            raise ToolError(
                "validation",
                f"The file pattern {pattern[:80]!r} is empty or longer than {_LONGEST} characters.",
                suggestion="Use one such as **/*.ts",
            )
        self._alternatives = [_parts(text, recursive=recursive) for text in expanded(pattern)]

    def matches(self, path: str) -> bool:
        """Return whether a path of plain names, joined by "/", matches as a whole."""
        names = path.split("/")
        return any(_match(parts, names) for parts in self._alternatives)


class GlobPatterns:
    """A list of patterns as grep takes it: ``"*.py,src/**/*.{js,ts}"``.

    A pattern without a folder counts at every depth, one that ends with a slash is for all that
    is in a folder.

    Args:
        text: The patterns, separated by commas.

    Raises:
        ToolError: "validation" for a pattern that is none.
    """

    def __init__(self, text: str) -> None:
        self._globs = [_anywhere(pattern) for pattern in _separated(text)]

    def __bool__(self) -> bool:
        return bool(self._globs)

    def match(self, path: str) -> bool:
        """Return whether one of the patterns matches ``path``."""
        return any(glob.matches(path) for glob in self._globs)

    def match_within(self, path: str) -> bool:
        """Return whether one of the patterns matches ``path`` or a folder that it is in."""
        parts = path.split("/")
        return any(self.match("/".join(parts[: i + 1])) for i in reversed(range(len(parts))))


def expanded(pattern: str) -> list[str]:
    """Return the patterns without braces that one with braces stands for, each once, in order.

    Braces may be nested; one that is never closed is a sign like any other.

    Raises:
        ToolError: "validation" when there are some hundred.
    """
    done: dict[str, None] = {}
    pending, steps = [pattern], 0
    while pending:
        text = pending.pop()
        found = _first_braces(text)
        if found is None:
            done[text] = None
        else:
            start, commas, end = found
            options = [text[a + 1 : b] for a, b in pairwise((start, *commas, end))]
            pending += [text[:start] + option + text[end + 1 :] for option in reversed(options)]
        steps += 1
        if steps + len(pending) > _MOST_STEPS:
            raise ToolError(
                "validation",
                f"The file pattern {pattern[:80]!r} stands for too many patterns.",
                suggestion="Use fewer braces.",
            )
    return list(done)


def _first_braces(text: str) -> tuple[int, list[int], int] | None:
    """Return where the first closed braces begin, where their own commas are, where they end."""
    open_: list[tuple[int, list[int]]] = []
    closed: list[tuple[int, list[int], int]] = []
    for at, sign in _signs(text):
        if sign == "{":
            open_.append((at, []))
        elif sign == "," and open_:
            open_[-1][1].append(at)
        elif sign == "}" and open_:
            start, commas = open_.pop()
            closed.append((start, commas, at))
    return min(closed, default=None)


def _signs(text: str) -> Iterator[tuple[int, str]]:
    """Yield the characters that no backslash protects and no brackets hold, with their places."""
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        end = _set_end(text, at) if text[at] == "[" else None
        if end is None:
            yield at, text[at]
            at += 1
        else:
            at = end + 1


def _set_end(text: str, at: int) -> int | None:
    """Return where the set that begins at ``at`` ends; None when it is not one."""
    start = at + 1 + (text[at + 1 : at + 2] in ("!", "^"))
    end = text.find("]", start + 1)
    return None if end < 0 or "/" in text[at:end] else end


def _separated(text: str) -> list[str]:
    depth, last, found = 0, 0, []
    for at, sign in _signs(text):
        depth += (sign == "{") - (sign == "}" and depth > 0)
        if sign == "," and depth == 0:
            found.append(text[last:at])
            last = at + 1
    return [pattern.strip() for pattern in (*found, text[last:]) if pattern.strip()]


def _anywhere(pattern: str) -> Glob:
    plain = pattern.removeprefix("./").removeprefix("/")
    return Glob(plain if "/" in plain.rstrip("/") else f"**/{plain}")


def _parts(pattern: str, *, recursive: bool) -> _Parts:
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    if ".." in names:
        raise ToolError(
            "validation",
            f"The file pattern {pattern!r} leads out of the folder.",
            suggestion='Give the folder as "directory" and a pattern for what is in it.',
        )
    if pattern.endswith("/") and names:
        names.append("**")
    if names[-1:] == ["**"]:
        names.append("*")
    parts: list[_Part | None] = []
    for name in names:
        if name != "**":
            parts.append(_part(name))
        elif recursive and parts[-1:] != [_DEEP]:
            parts.append(_DEEP)
    return tuple(parts)


@lru_cache(maxsize=1024)
def _part(name: str) -> _Part:
    return _Part(name)


def _match(parts: _Parts, names: Sequence[str]) -> bool:
    """Match name by name; where that fails, the last ``**`` takes one folder more."""
    last = parts[-1] if parts else None  # never "**", which is followed by "*" at the end
    if last is None or not last.matches(names[-1]):
        return False
    part = name = 0
    deep, taken = -1, 0
    while name < len(names):
        current = parts[part] if part < len(parts) else None
        if current is not None and current.matches(names[name]):
            part, name = part + 1, name + 1
        elif part < len(parts) and current is _DEEP:
            deep, taken = part, name
            part += 1
        elif deep >= 0:
            taken += 1
            part, name = deep + 1, taken
        else:
            return False
    return part == len(parts)


def _translated(name: str) -> str:
    """Return a regular expression for one name, which never goes back to a star that it left."""
    pieces: list[list[str]] = [[]]
    at = 0
    while at < len(name):
        sign = name[at]
        end = _set_end(name, at) if sign == "[" else None
        if sign == "*":
            pieces.append([])
        elif end is not None:
            pieces[-1].append(_set(name[at + 1 : end]))
            at = end
        elif sign == "\\" and at + 1 < len(name):
            at += 1
            pieces[-1].append(re.escape(name[at]))
        else:
            pieces[-1].append("." if sign == "?" else re.escape(sign))
        at += 1
    first, *others = ["".join(piece) for piece in pieces]
    if not others:
        return first
    *middle, last = others
    return first + "".join(f"(?>.*?{piece})" for piece in middle if piece) + f".*{last}"


def _set(text: str) -> str:
    """Return a set of characters; ranges may run backwards and then hold nothing."""
    negated = text[:1] in ("!", "^")
    text = text[negated:]
    items, at = [], 0
    while at < len(text):
        first = last = text[at]
        if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
            last = text[at + 2]
            at += 2
        if first <= last:
            items.append(f"{re.escape(first)}-{re.escape(last)}")
        at += 1
    if not items:
        return "." if negated else "(?!)"
    return f"[{'^' if negated else ''}{''.join(items)}]"
