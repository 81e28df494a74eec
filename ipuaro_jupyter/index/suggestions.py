"""The known names closest to an unknown one, among very many."""

from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nlargest

from ipuaro_jupyter.cancellation import checkpoint

_COMPARED = 300
_ENOUGH = 0.6
_SHORT = 3
_OFTEN = 1000


def similar_names(name: str, known: Iterable[str], *, limit: int) -> list[str]:
    """At most ``limit`` of ``known``, the most similar first.

    First come names that differ in case only, then those that begin with ``name`` or contain it,
    then those with a similar spelling. A name that differs in two places has a third of ``name``
    unchanged: only such names are examined, first by the pairs of letters they share.
    """
    wanted = name.lower()
    if not wanted:
        return []
    third = max(2, len(wanted) // 3)
    one, two, three = wanted[:third], wanted[third : 2 * third], wanted[2 * third :]
    pairs = {wanted[i : i + 2] for i in range(len(wanted) - 1)}
    rough: list[tuple[float, str]] = []
    for number, candidate in enumerate(known):
        if number % _OFTEN == 0:
            checkpoint()
        lower = candidate.lower()
        if not (one in lower or (two and two in lower) or (three and three in lower)):
            continue
        difference = abs(len(lower) - len(wanted))
        if wanted in lower or (len(lower) >= _SHORT and lower in wanted):
            rough.append((100.0 - difference, candidate))
        elif difference <= len(wanted):
            shared = sum(pair in lower for pair in pairs)
            rough.append((shared - difference / 4, candidate))
    checkpoint()
    ranked = [(_score(wanted, candidate), candidate) for _, candidate in nlargest(_COMPARED, rough)]
    good = [(score, candidate) for score, candidate in ranked if score >= _ENOUGH]
    good.sort(key=lambda pair: (-pair[0], len(pair[1]), pair[1]))
    return [candidate for _, candidate in good[:limit]]


def _score(wanted: str, candidate: str) -> float:
    """The score: 4 for a difference in case only, 3 for a prefix, 2 for a part, else 0-1."""
    lower = candidate.lower()
    if lower == wanted:
        return 4.0
    if lower.startswith(wanted):
        return 3.0
    if wanted in lower:
        return 2.0
    return SequenceMatcher(None, wanted, lower, autojunk=False).ratio()
