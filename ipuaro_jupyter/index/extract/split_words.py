"""Names and sentences as words, and words as stems."""

import re
from functools import lru_cache

_UPPER = r"A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0400-\u042f"
_LOWER = r"a-z\u00df-\u00f6\u00f8-\u024f\u0390\u03ac-\u03ce\u0430-\u045f\u1e00-\u1eff"
"""Letters of Latin, Greek and Cyrillic; of a word in other scripts, all letters belong together."""
_PART = re.compile(
    rf"[{_UPPER}]+(?=[{_UPPER}][{_LOWER}])|[{_UPPER}]?[{_LOWER}]+|[{_UPPER}]+|\d+"
    rf"|[^\W\d_{_UPPER}{_LOWER}]+"
)
_ENDINGS: tuple[str, ...] = (
    *("ments", "ment", "ings", "ing", "ions", "ion", "edly", "ers", "er"),
    *("ors", "or", "ed", "es", "ly", "e", "s"),
)
_SHORTEST = 2
_ROOT = 3
_COMMON_WORDS = """
a about above after again all also am an and any are as at be because been before being below
between both but by can cannot could did do does doing done down during each few for from get gets
getting had has have having he her here him his how i if in into is it its just like me more most my
no nor not of off on once only or other our out over own please same she should so some such than
that the their them then there these they this those through to too under until up upon us very was
we were what when where which while who why will with without would you your
"""
COMMON = frozenset(_COMMON_WORDS.split())
"""The commonest English words, which say nothing about a text."""


def words_in(name: str) -> tuple[str, ...]:
    """The words of a name or a sentence in order, as stems: "retryCount" retri, count.

    Single letters and the commonest English words are left out.
    """
    return tuple([word for part in _PART.findall(name) if (word := word_of(part))])


def word_of(part: str) -> str:
    """The only word of a part of a name, see `words_in`; "" for one that is left out."""
    lower = part.lower()
    return stem(lower) if len(part) >= _SHORTEST and lower not in COMMON else ""


parts_of = _PART.findall
"""The words of a name as they are written, also single letters: "retryCount" retry, Count."""


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a lower-case word, roughly: "retries" retri."""
    if word.endswith(_ENDINGS):
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= _ROOT:
                word = word.removesuffix(ending)
                break
    return word[:-1] + "i" if word.endswith("y") and len(word) > _ROOT else word
