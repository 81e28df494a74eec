"""The verdict of a ``.gitignore`` on a name, as git reads it (gitignore(5) and wildmatch.c).

The project is walked from the top, and ignored folders are not entered: so a rule only has to be
matched with a path itself, never with the folders above it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_NOTHING = "(?!)"
_CLASS = re.compile(r"\[:([^\]]*):\]")
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


@dataclass(frozen=True)
class _Rule:
    ignores: bool
    folders_only: bool
    whole_path: bool  # else only the last name
    regex: re.Pattern[str]


class IgnoreFile:
    """The rules of one ``.gitignore``."""

    def __init__(self, text: str) -> None:
        rules = [rule for line in text.split("\n") if (rule := _rule(line))]
        self._rules = rules[::-1]
        self._names = _any_of(rule for rule in rules if not rule.whole_path)
        self._paths = _any_of(rule for rule in rules if rule.whole_path)

    def verdict(self, path: str, name: str, *, folder: bool) -> bool | None:
        """Whether the file or folder is ignored; None when no rule matches.

        Args:
            path: Relative to the folder of this ``.gitignore``.
            name: The last name of ``path``.
            folder: Whether it is a folder.
        """
        named = self._names is not None and self._names.match(name)
        placed = self._paths is not None and self._paths.match(path)
        if not named and not placed:
            return None
        for rule in self._rules:
            if rule.folders_only and not folder:
                continue
            if rule.regex.match(path if rule.whole_path else name):
                return rule.ignores
        return None


def _any_of(rules: Iterable[_Rule]) -> re.Pattern[str] | None:
    """One expression for all rules: most names match none, which then takes one step."""
    patterns = [rule.regex.pattern for rule in rules]
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.DOTALL) if patterns else None


def _rule(line: str) -> _Rule | None:
    text = _without_blanks(line.removesuffix("\r"))
    if not text or text.startswith("#"):
        return None
    ignores = not text.startswith("!")
    text = text if ignores else text[1:]
    folders_only = text.endswith("/")
    text = text.removesuffix("/")
    whole_path = "/" in text
    text = text.removeprefix("/")
    if not text:
        return None
    regex = re.compile(_translated(text) + r"\Z", re.DOTALL)
    return _Rule(ignores, folders_only, whole_path, regex)


def _without_blanks(text: str) -> str:
    """``text`` without trailing blanks, unless a backslash keeps one."""
    bare = text.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if backslashes % 2 and len(bare) < len(text) else bare


def _translated(text: str) -> str:
    """A glob as a regular expression; `_NOTHING` for one that cannot match."""
    out: list[str] = []
    at = 0
    while at < len(text):
        sign = text[at]
        if sign == "*":
            piece, at = _stars(text, at)
        elif sign == "[":
            piece, at = _bracket(text, at)
        elif sign == "\\":
            if at + 1 == len(text):
                return _NOTHING
            piece, at = re.escape(text[at + 1]), at + 2
        else:
            piece, at = "[^/]" if sign == "?" else re.escape(sign), at + 1
        if piece == _NOTHING:
            return _NOTHING
        out.append(piece)
    return "".join(out)


def _stars(text: str, at: int) -> tuple[str, int]:
    r"""Translate the stars at ``at``; ``**`` between slashes or at an end crosses folders."""
    end = at
    while end < len(text) and text[end] == "*":
        end += 1
    free = end - at >= len("**") and (at == 0 or text[at - 1] == "/")
    if free and end == len(text):
        return ".*", end
    if free and text[end] == "/":
        return "(?:.*/)?", end + 1
    return "[^/]*", end


def _bracket(text: str, at: int) -> tuple[str, int]:
    """Translate the set that begins at ``at``; an unclosed one matches nothing."""
    start = at + 1
    negated = text[start : start + 1] in ("!", "^")
    start += negated
    items: list[str] = []
    place = start
    while place < len(text):
        if text[place] == "]" and place > start:
            if negated:
                return f"[^/{''.join(items)}]", place + 1
            return f"(?!/)[{''.join(items)}]" if items else _NOTHING, place + 1
        named = _CLASS.match(text, place)
        if named:
            if named[1] not in _CLASSES:
                return _NOTHING, len(text)
            items.append(_CLASSES[named[1]])
            place = named.end()
            continue
        first, place = _sign(text, place)
        last = first  # git, too, takes the first of a reversed range
        if text[place : place + 1] == "-" and text[place + 1 : place + 2] not in ("]", ""):
            last, place = _sign(text, place + 1)
        items.append(f"{re.escape(first)}-{re.escape(max(first, last))}")
    return _NOTHING, len(text)


def _sign(text: str, at: int) -> tuple[str, int]:
    """The character at ``at``, or the one that a backslash there escapes."""
    at += text[at] == "\\" and at + 1 < len(text)
    return text[at], at + 1
