"""Which known names are meant by one that is not known, among very many."""

from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nlargest

_COMPARED = 300
_ENOUGH = 0.6
_SHORT = 3


def similar_names(name: str, known: Iterable[str], *, limit: int) -> list[str]:
    """Return at most ``limit`` of ``known``, the likeliest first.

    First the same in another case, then names that begin with ``name`` or have it in them, then
    what is spelt alike. A cheap look at pairs of letters chooses what is compared exactly.
    """
    wanted = name.lower()
    if not wanted:
        return []
    pairs = {wanted[i : i + 2] for i in range(len(wanted) - 1)}
    least = max(1, len(pairs) // 3)
    rough: list[tuple[float, str]] = []
    for candidate in known:
        lower = candidate.lower()
        if wanted in lower or (len(lower) >= _SHORT and lower in wanted):
            rough.append((100.0 - abs(len(lower) - len(wanted)), candidate))
        elif len(lower) <= 2 * len(wanted) + 1 and len(wanted) <= 2 * len(lower) + 1:
            shared = sum(pair in lower for pair in pairs)
            if shared >= least:
                rough.append((shared - abs(len(lower) - len(wanted)) / 4, candidate))
    best = nlargest(_COMPARED, rough)
    ranked = [(_score(wanted, candidate), candidate) for _, candidate in best]
    good = [(score, candidate) for score, candidate in ranked if score >= _ENOUGH]
    good.sort(key=lambda pair: (-pair[0], len(pair[1]), pair[1]))
    return [candidate for _, candidate in good[:limit]]


def _score(wanted: str, candidate: str) -> float:
    """Return 4 for the same in another case, 3 for a beginning, 2 for a part, else 0-1."""
    lower = candidate.lower()
    if lower == wanted:
        return 4.0
    if lower.startswith(wanted):
        return 3.0
    if wanted in lower:
        return 2.0
    return SequenceMatcher(None, wanted, lower, autojunk=False).ratio()
