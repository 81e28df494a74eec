r"""Glob patterns: ``*``, ``?``, ``[a-z]``, ``**`` across folders, ``{a,b}``, ``\`` before a sign.

A pattern that filters or excludes matches hidden names, which begin with a dot, like any other. A
pattern that selects files (``hidden=False``) matches them only where it has the dot itself, as in a
shell: ``**/*.ts`` does not match ``a/.b/c.ts``, but ``a/.b/*.ts`` does.

Matching takes at most (length of the pattern) x (length of the path) steps, whatever the pattern.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ipuaro_jupyter.errors import ToolError

_MOST_STEPS = 500  # of replacing one pair of braces, or none
_LONGEST = 1000
_DEEP = None  # the part `**`: any number of folders
_SPECIAL = re.compile(r"[*?\[\\]")


class _GlobPart:
    """One name of a pattern. ``[slug]`` is a set of letters, and also the literal name."""

    def __init__(self, text: str) -> None:
        self._plain = text
        self._regex = re.compile(_translated(text), re.DOTALL)
        self._names_hidden = text.removeprefix("\\").startswith(".")

    def matches(self, name: str, *, hidden: bool) -> bool:
        if not hidden and name[:1] == "." and not self._names_hidden:
            return False
        return name == self._plain or self._regex.fullmatch(name) is not None


_Parts = tuple[_GlobPart | None, ...]


class _Alternative(NamedTuple):
    """A pattern without braces, and the plain names at the beginning of every path that matches."""

    start: str
    parts: _Parts


class Glob:
    """A pattern for paths, which are relative to the folder that the pattern is for.

    Args:
        pattern: A pattern without a folder matches names in the folder itself only.
        recursive: False makes ``**`` match no folder at all.
        hidden: Whether wildcards match names that begin with a dot.

    Raises:
        ToolError: "validation" when it is empty, too long, expands to too many patterns, or leads
            out of the folder.
    """

    def __init__(self, pattern: str, *, recursive: bool = True, hidden: bool = True) -> None:
        if not pattern.strip() or len(pattern) > _LONGEST:
            raise ToolError(
                "validation",
                f"The file pattern {pattern[:80]!r} is empty or longer than {_LONGEST} characters.",
                suggestion="Use one such as **/*.ts",
            )
        self._hidden = hidden
        self._alternatives = [_alternative(text, recursive=recursive) for text in expanded(pattern)]

    def matches(self, path: str) -> bool:
        """Whether the whole of a path of plain names, joined by "/", matches."""
        return self._fits(path, within=False)

    def matches_within(self, path: str) -> bool:
        """Whether ``path`` or a folder above it matches."""
        return self._fits(path, within=True)

    def _fits(self, path: str, *, within: bool) -> bool:
        names: list[str] = []
        for start, parts in self._alternatives:
            if path.startswith(start):
                names = names or path.split("/")
                if _match(parts, names, hidden=self._hidden, within=within):
                    return True
        return False


def expanded(pattern: str) -> list[str]:
    """The patterns that a pattern with braces expands to, each once, in order.

    Braces may be nested; an unclosed one is an ordinary character.

    Raises:
        ToolError: "validation" when there are hundreds.
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
            options = [text[a + 1 : b] for a, b in itertools.pairwise((start, *commas, end))]
            pending += [text[:start] + option + text[end + 1 :] for option in reversed(options)]
        steps += 1
        if steps + len(pending) > _MOST_STEPS:
            raise ToolError(
                "validation",
                f"The file pattern {pattern[:80]!r} stands for too many patterns.",
                suggestion="Use fewer braces.",
            )
    return list(done)


def separated(text: str) -> list[str]:
    """The patterns of a list, separated by commas outside braces and brackets."""
    depth, last, found = 0, 0, []
    for at, sign in _signs(text):
        depth += (sign == "{") - (sign == "}" and depth > 0)
        if sign == "," and depth == 0:
            found.append(text[last:at])
            last = at + 1
    return [pattern.strip() for pattern in (*found, text[last:]) if pattern.strip()]


def _first_braces(text: str) -> tuple[int, list[int], int] | None:
    """The start of the first closed braces, the places of their own commas, and their end."""
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
    """Yield the characters outside brackets and not escaped by a backslash, with their places."""
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
    """The end of the set that begins at ``at``; None when it is not one."""
    start = at + 1 + (text[at + 1 : at + 2] in ("!", "^"))
    end = text.find("]", start + 1)
    return None if end < 0 or "/" in text[at:end] else end


def _alternative(pattern: str, *, recursive: bool) -> _Alternative:
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    if ".." in names:
        raise ToolError(
            "validation",
            f"The file pattern {pattern!r} leads out of the folder.",
            suggestion='Give the folder as "path" and a pattern for what is in it.',
        )
    if pattern.endswith("/") and names:
        names.append("**")
    if names[-1:] == ["**"]:
        names.append("*")
    parts: list[_GlobPart | None] = []
    for name in names:
        if name != "**":
            parts.append(_part(name))
        elif recursive and parts[-1:] != [_DEEP]:
            parts.append(_DEEP)
    plain = itertools.takewhile(lambda name: not _SPECIAL.search(name), names)
    return _Alternative("/".join(plain), tuple(parts))


@lru_cache(maxsize=1024)
def _part(name: str) -> _GlobPart:
    return _GlobPart(name)


def _match(parts: _Parts, names: Sequence[str], *, hidden: bool, within: bool) -> bool:
    """Match name by name; where that fails, the last ``**`` takes one folder more.

    Args:
        parts: The pattern.
        names: The path.
        hidden: Whether wildcards match names that begin with a dot.
        within: Whether a match of the first names is enough.
    """
    last = parts[-1] if parts else None  # never "**", which is followed by "*" at the end
    if last is None or not (within or last.matches(names[-1], hidden=hidden)):
        return False
    part = name = 0
    deep, taken = -1, 0
    while name < len(names) and not (within and part == len(parts)):
        current = parts[part] if part < len(parts) else None
        if current is not None and current.matches(names[name], hidden=hidden):
            part, name = part + 1, name + 1
        elif part < len(parts) and current is _DEEP:
            deep, taken = part, name
            part += 1
        elif deep >= 0 and (hidden or names[taken][:1] != "."):
            taken += 1
            part, name = deep + 1, taken
        else:
            return False
    return part == len(parts)


def _translated(name: str) -> str:
    """A regular expression for one name, which never backtracks into an earlier star."""
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
    """A set of characters; a reversed range is empty."""
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
