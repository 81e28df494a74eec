"""Where lines have changed, as lines of the file that is there now."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ipuaro_jupyter.views.hunks import LINE_STEPS, lines
from ipuaro_jupyter.views.sequence_diff import ComparisonBudget, MatchingBlock, matches

_WORDS = re.compile(r"[^\W\d]\w*")
_TELLS_NOTHING = re.compile(r"\s*(?:#(?:[\s!].*)?|//.*|/\*.*\*/)?\s*")


class ChangedLine(NamedTuple):
    """A line that was added, or after which lines were removed.

    Attributes:
        line: 1-based; 0 where lines were removed at the beginning.
        words: The words that have come or gone there.
    """

    line: int
    words: frozenset[str]


def changed_lines(before: str | None, after: str, now: str) -> list[ChangedLine]:
    """The lines that a change touches and that are still there, by line.

    Blank lines and comments do not count.

    Args:
        before: The text before the change; None for a new file.
        after: The text after it.
        now: The present text.
    """
    old, new, present = (_lines(text) for text in (before or "", after, now))
    kept = None if new == present else _matches(new, present)
    found = []
    for line, words in _changes(old, new):
        at = line if kept is None else _moved(line, kept)
        if at is not None:
            found.append(ChangedLine(at, words))
    return found


def _lines(text: str) -> list[str]:
    return lines(text.replace("\r\n", "\n"))


def _matches(old: Sequence[str], new: Sequence[str]) -> list[MatchingBlock]:
    return matches([*old], [*new], ComparisonBudget(LINE_STEPS))


def _changes(old: list[str], new: list[str]) -> Iterator[tuple[int, frozenset[str]]]:
    at_old = at_new = 0
    for a, b, size in [*_matches(old, new), MatchingBlock(len(old), len(new), 0)]:
        gone = [one for one in old[at_old:a] if not _TELLS_NOTHING.fullmatch(one)]
        come = [n for n in range(at_new, b) if not _TELLS_NOTHING.fullmatch(new[n])]
        words = _words(gone) ^ _words(new[n] for n in come)
        if gone and not come:
            yield at_new, words
        yield from ((number + 1, words) for number in come)
        at_old, at_new = a + size, b + size


def _words(some: Iterable[str]) -> frozenset[str]:
    return frozenset(word for one in some for word in _WORDS.findall(one))


def _moved(line: int, kept: Sequence[MatchingBlock]) -> int | None:
    """The present number of a line; None where it is gone."""
    for old, new, size in kept:
        if old < line <= old + size:
            return new + line - old
    return 0 if line == 0 else None
