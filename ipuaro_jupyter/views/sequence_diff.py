"""The common parts of two sequences of lines or words, in bounded time.

`difflib` finds good matches, in time cubic in the size of its input. Here it only gets what is
cheap enough; anything larger is first cut at lines that occur once on both sides (Bram Cohen's
patience diff), then at runs of lines that do.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

# The overhead of a comparison, in steps.
_OVERHEAD = 300
# The numbers of consecutive lines tried as an anchor, in this order.
_RUNS = (1, 8)


class MatchingBlock(NamedTuple):
    """``size`` equal elements, from ``old`` on one side and from ``new`` on the other; 0-based."""

    old: int
    new: int
    size: int


class ComparisonBudget:
    """The number of comparison steps that are left, in the worst case of `difflib`."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    @property
    def is_spent(self) -> bool:
        """Whether nothing more can be compared."""
        return self._left < _OVERHEAD

    def pays(self, old: Sequence[str], new: Sequence[str]) -> bool:
        """Whether comparing the two fits the budget; if so, the steps are spent."""
        counts = Counter(old)
        pairs = sum(counts[element] for element in new)
        steps = _OVERHEAD + len(old) + len(new) + pairs * min(len(old), len(new))
        if steps > self._left:
            return False
        self._left -= steps
        return True


def matches(
    old: Sequence[str], new: Sequence[str], budget: ComparisonBudget
) -> list[MatchingBlock]:
    """The common parts of both, in order, without overlaps; all are right, some may be missing."""
    return list(_joined(_matches(old, new, budget, _RUNS)))


def ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """The number of equal elements at the beginning, and of the rest at the end."""
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    return head, tail


def _matches(
    old: Sequence[str], new: Sequence[str], budget: ComparisonBudget, runs: tuple[int, ...]
) -> Iterator[MatchingBlock]:
    head, tail = ends(old, new)
    yield MatchingBlock(0, 0, head)
    middle = old[head : len(old) - tail], new[head : len(new) - tail]
    yield from _shifted(_between(*middle, budget, runs), head, head)
    yield MatchingBlock(len(old) - tail, len(new) - tail, tail)


def _between(
    old: Sequence[str], new: Sequence[str], budget: ComparisonBudget, runs: tuple[int, ...]
) -> Iterator[MatchingBlock]:
    """Compare two sequences without equal ends."""
    if not old or not new:
        return
    if budget.pays(old, new):
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        yield from (MatchingBlock(*block) for block in blocks)
    elif runs:
        at_old = at_new = 0
        for anchor in [*_anchors(old, new, runs[0]), (len(old), len(new))]:
            gap = old[at_old : anchor[0]], new[at_new : anchor[1]]
            yield from _shifted(_matches(*gap, budget, runs[1:]), at_old, at_new)
            at_old, at_new = anchor


def _anchors(old: Sequence[str], new: Sequence[str], run: int) -> list[tuple[int, int]]:
    """The places where both have the same ``run`` elements once each: the longest rising list."""
    found_old, found_new = _single(old, run), _single(new, run)
    pairs = [(at, found_new[seen]) for seen, at in found_old.items() if seen in found_new]
    tops: list[int] = []
    top_pairs: list[int] = []
    before: list[int] = []
    for number, (_, at) in enumerate(pairs):
        pile = bisect_left(tops, at)
        before.append(top_pairs[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [at]
        top_pairs[pile : pile + 1] = [number]
    rising: list[tuple[int, int]] = []
    number = top_pairs[-1] if top_pairs else -1
    while number >= 0:
        rising.append(pairs[number])
        number = before[number]
    rising.reverse()
    # An anchor right behind another is found as the equal beginning of the rest.
    behind = {(at_old + 1, at_new + 1) for at_old, at_new in rising}
    return [pair for pair in rising if pair not in behind]


def _single(elements: Sequence[str], run: int) -> dict[tuple[str, ...], int]:
    """The runs that occur once, with their places, in order."""
    seen = list(zip(*(elements[n:] for n in range(run)), strict=False))
    counts = Counter(seen)
    return {one: at for at, one in enumerate(seen) if counts[one] == 1}


def _shifted(found: Iterator[MatchingBlock], old: int, new: int) -> Iterator[MatchingBlock]:
    return (MatchingBlock(match.old + old, match.new + new, match.size) for match in found)


def _joined(found: Iterator[MatchingBlock]) -> Iterator[MatchingBlock]:
    """Join adjacent blocks, and drop empty ones."""
    last = MatchingBlock(0, 0, 0)
    for match in found:
        if match.size and (last.old + last.size, last.new + last.size) == match[:2]:
            last = last._replace(size=last.size + match.size)
        elif match.size:
            if last.size:
                yield last
            last = match
    if last.size:
        yield last
