"""Text that a model repeats without an end, as small models do."""

import re
from typing import NamedTuple

_COPIES = 6
_CHARACTERS = 800
_LONGEST = 6_000  # characters that are looked at
_WORDS = 3
_UNIT = 12  # characters: shorter ones are rules, dots and zeros
_FEW_WORDS = 1_600  # characters with fewer words, or with fences
_RUN = 240  # characters of an argument with the same few again and again
_LONG_RUN = 2_000  # with the same lines
_MARKS = re.compile(r"[^\w\s]*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_WORD_OR_FENCE = re.compile(rf"{_WORD.pattern}|```")


class Repetition(NamedTuple):
    """The end of a text that says one thing again and again.

    Attributes:
        start: The offset of its first character.
        length: The number of characters that are repeated.
    """

    start: int
    length: int


def repetition(text: str) -> Repetition | None:
    """The repetition that a text ends with; None when it has none.

    The same words have to follow each other at least six times, through 800 characters, the last
    time perhaps in part; single words, and fences of code, through 1,600.
    """
    end = text[-_LONGEST:]
    length = _period(end, _CHARACTERS, least=_UNIT)
    if length is None or len(_WORD.findall(end[-length:])) < _WORDS:
        length = _period(end, _FEW_WORDS, least=1)
        if length is None or not _WORD_OR_FENCE.search(end[-length:] * 2):
            return None
    start = len(text) - length
    while start > 0 and text[start - 1] == text[start - 1 + length]:
        start -= 1
    return Repetition(start, length)


def runs_on(text: str) -> bool:
    """Whether a call that is being written goes on without an end: ``"filter": "121212121212…``.

    Up to 40 characters, of any kind, follow each other through 240, or longer ones through 2,000.
    """
    short = _period(text[-_RUN:], _RUN, least=1)
    return short is not None or _period(text[-_LONGEST:], _LONG_RUN, least=1) is not None


def _period(text: str, characters: int, *, least: int) -> int | None:
    """The length of what the end of a text repeats six times, through so many characters.

    By the failure function of Knuth, Morris and Pratt, from the end.
    """
    end = text[::-1]
    failures = [0] * len(end)
    matched = 0
    for index in range(1, len(end)):
        while matched and end[index] != end[matched]:
            matched = failures[matched - 1]
        matched += end[index] == end[matched]
        failures[index] = matched
        period = index + 1 - matched
        if index + 1 >= max(characters, _COPIES * period) and period >= least:
            return period
    return None


def said_once(text: str) -> str:
    """The text without what its end repeats, up to the full stop."""
    found = repetition(text)
    if found is None:
        return text
    end = found.start + found.length
    marks = _MARKS.match(text, end)
    return text[: end if marks is None else marks.end()].rstrip()
