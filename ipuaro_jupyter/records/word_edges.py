"""Where words begin and end, so that no cut falls inside a key or a password."""

import re

_LONGEST_WORD = 400  # characters
_WORD_SIGN = r"[^\s\"'`,;<>(){}\[\]]"
_IN_WORD = re.compile(rf"{_WORD_SIGN}+")
_ENDS_IN_WORD = re.compile(rf"{_WORD_SIGN}+\Z")


def word_begin(line: str, at: int) -> int:
    """Where the word around a place begins, as a part of a key is not known for one.

    It is the place itself when that is too far away.
    """
    least = max(0, at - _LONGEST_WORD)
    found = _ENDS_IN_WORD.search(line, least, at) if _IN_WORD.match(line, at) else None
    return found.start() if found and (found.start() > least or not least) else at


def word_end(line: str, at: int) -> int:
    """Where the word around a place ends; the place itself when that is too far away."""
    found = _IN_WORD.match(line, at, at + _LONGEST_WORD) if _IN_WORD.match(line, at - 1) else None
    return found.end() if found and found.end() < at + _LONGEST_WORD else at
