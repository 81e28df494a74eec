"""A text that every match of a regular expression contains, to rule out most files fast."""

import re
from collections.abc import Iterator

_OTHER, _NO_MORE = "other", "no more"
_SIGNS = {
    **dict.fromkeys("^$.+}", _OTHER),
    **dict.fromkeys("*?", _NO_MORE),  # the preceding item is optional
    **dict.fromkeys("|)"),
}
_COUNT = re.compile(r"\{\d*,?\d*\}")
_CLASSES = frozenset("dwsDWSbBAZ")
_WITHOUT_FLAGS = re.compile(r"\((?!\?)|\(\?(?:[:=!>(]|<[=!]|P[<=])")


def required_literal(pattern: str) -> str:
    """The longest text that stands in ``pattern`` outside of groups and sets.

    Every match contains it, in some case when case is ignored. Empty when there is none, or the
    pattern has alternatives or flags.
    """
    runs = [""]
    for piece in _pieces(pattern):
        if piece is None:
            return ""
        if piece == _NO_MORE:
            runs[-1] = runs[-1][:-1]
        if len(piece) == 1:
            runs[-1] += piece
        else:
            runs.append("")
    return max(runs, key=len)


def _pieces(pattern: str) -> Iterator[str | None]:
    """Yield characters, `_OTHER` for any other item, None for unknown syntax."""
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        if sign in _SIGNS:
            yield _SIGNS[sign]
            at += 1
        elif sign == "{":
            count = _COUNT.match(pattern, at)
            yield _OTHER if count is None else _NO_MORE
            at = at + 1 if count is None else count.end()
        elif sign == "\\":
            yield _escaped(pattern[at + 1 : at + 2])
            at += 2
        elif sign in "([":
            end = _end_of_group(pattern, at) if sign == "(" else _end_of_set(pattern, at)
            yield None if end is None else _OTHER
            at = end or len(pattern)
        else:
            yield sign
            at += 1


def _escaped(sign: str) -> str | None:
    if sign.isascii() and sign.isalnum():
        return _OTHER if sign in _CLASSES else None
    return sign or None


def _end_of_group(pattern: str, start: int) -> int | None:
    """The end of the group that begins at ``start``; None when it is not closed."""
    depth, at = 0, start
    while at < len(pattern):
        sign = pattern[at]
        if sign == "(" and not _WITHOUT_FLAGS.match(pattern, at):
            return None
        if sign == "[":
            end = _end_of_set(pattern, at)
            if end is None:
                return None
            at = end
            continue
        depth += (sign == "(") - (sign == ")")
        at += 1 + (sign == "\\")
        if depth == 0:
            return at
    return None


def _end_of_set(pattern: str, start: int) -> int | None:
    at = start + 1 + (pattern[start + 1 : start + 2] == "^")
    first = at
    while at < len(pattern):
        if pattern[at] == "]" and at > first:
            return at + 1
        at += 1 + (pattern[at] == "\\")
    return None
