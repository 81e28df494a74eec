"""The lines of a file that are most like a text remembered inexactly."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORD = re.compile(r"\w{3,}")
_MOST_LINES = 50_000  # of the file that are examined
_MOST_COMPARED, _LONGEST = (
    1000,
    300,
)  # lines that are compared letter by letter, and so much of them
_MOST_WINDOWS = 50  # places compared as a whole
_ALIKE = 0.6


@dataclass(frozen=True)
class LineRange:
    """Lines of a file.

    Attributes:
        start: The first one, 1-based.
        end: The last one, included.
        but_for_blanks: Whether they are equal except for blanks and blank lines.
    """

    start: int
    end: int
    but_for_blanks: bool


def nearest_lines(lines: Sequence[str], wanted: Sequence[str]) -> LineRange | None:
    """The lines that are most like ``wanted``; None when none are.

    Args:
        lines: The file.
        wanted: The lines, which are not in it exactly.
    """
    lines = lines[:_MOST_LINES]
    bare = [_bare(line) for line in lines]
    bare_wanted = [_bare(line) for line in wanted]
    if not any(bare_wanted):
        return None
    return _but_for_blanks(bare, bare_wanted) or _around(lines, wanted, bare, bare_wanted)


def _but_for_blanks(bare: list[str], wanted: list[str]) -> LineRange | None:
    numbers = [number for number, line in enumerate(bare, 1) if line]
    text = "".join(f"\n{line}" for line in bare if line) + "\n"
    sought = "".join(f"\n{line}" for line in wanted if line) + "\n"
    at = text.find(sought)
    if at < 0:
        return None
    first = text.count("\n", 0, at)
    last = first + sought.count("\n") - 2
    return LineRange(numbers[first], numbers[last], but_for_blanks=True)


def _around(
    lines: Sequence[str], wanted: Sequence[str], bare: list[str], bare_wanted: list[str]
) -> LineRange | None:
    """The place with most of the wanted lines, or a line like the longest of them."""
    places: dict[str, list[int]] = {}
    for index, line in enumerate(bare):
        if len(line) > 1:  # a brace is everywhere
            places.setdefault(line, []).append(index)
    votes = Counter(
        index - offset
        for offset, line in enumerate(bare_wanted)
        for index in places.get(line, ())[:_MOST_COMPARED]
    )
    if votes:
        most = max(votes.values())
        best = sorted(place for place, count in votes.items() if count == most)
        start = _most_alike_window(lines, wanted, best[:_MOST_WINDOWS])
    else:
        offset = max(range(len(wanted)), key=lambda index: len(bare_wanted[index]))
        alike = _most_alike(lines, wanted[offset])
        if alike is None:
            return None
        start = alike - offset
    first, last = max(0, start), min(len(lines), start + len(wanted)) - 1
    return LineRange(first + 1, max(first, last) + 1, but_for_blanks=False)


def _most_alike_window(lines: Sequence[str], wanted: Sequence[str], starts: Sequence[int]) -> int:
    """The start of the lines that, taken together, are most like ``wanted``."""
    if len(starts) == 1:
        return starts[0]
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2("\n".join(wanted)[:_LONGEST])

    def likeness(start: int) -> float:
        window = lines[max(0, start) : max(0, start + len(wanted))]
        matcher.set_seq1("\n".join(window)[:_LONGEST])
        return matcher.ratio()

    return max(starts, key=likeness)


def _most_alike(lines: Sequence[str], line: str) -> int | None:
    words = set(_WORD.findall(line[:_LONGEST]))
    shared = {
        index: count
        for index, other in enumerate(lines)
        if (count := len(words.intersection(_WORD.findall(other[:_LONGEST]))))
    }
    likely = sorted(shared, key=lambda index: (-shared[index], index))[:_MOST_COMPARED]
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(line[:_LONGEST].strip())
    best, found = _ALIKE, None
    for index in likely:
        matcher.set_seq1(lines[index][:_LONGEST].strip())
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best:
            ratio = matcher.ratio()
            if ratio > best:
                best, found = ratio, index
    return found


def _bare(line: str) -> str:
    return "".join(line.split())
