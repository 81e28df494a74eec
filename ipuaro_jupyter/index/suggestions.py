"""The known names closest to an unknown one, among very many."""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from heapq import nlargest

from ipuaro_jupyter.cancellation import checkpoint

_COMPARED = 300
_ENOUGH = 0.6
_SHORT = 3
_OFTEN = 1000
SEPARATOR = "\0"


def similar_names(name: str, known: Iterable[str], *, limit: int) -> list[str]:
    """At most ``limit`` of ``known``, the most similar first.

    First come names that differ in case only, then those that begin with ``name`` or contain it,
    then those with a similar spelling. A name that differs in two places has a third of ``name``
    unchanged: only such names are examined, first by the pairs of letters they share.
    """
    return similar_in(SEPARATOR.join(known), name, limit=limit)


def similar_in(known: str, name: str, *, limit: int) -> list[str]:
    """The same for names that are joined by `SEPARATOR`."""
    wanted = name.lower()
    if not wanted or SEPARATOR in wanted:
        return []
    pairs = {wanted[i : i + 2] for i in range(len(wanted) - 1)}
    rough: list[tuple[float, str]] = []
    for candidate in _sharing_a_third(known, wanted):
        lower = candidate.lower()
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


def _sharing_a_third(known: str, wanted: str) -> Iterator[str]:
    """Yield the names that contain one of three equal parts of ``wanted``, each once."""
    third = max(2, len(wanted) // 3)
    thirds = (wanted[:third], wanted[third : 2 * third], wanted[2 * third :])
    parts = [part for part in thirds if part]
    lower, seen = known.lower(), set[int]()
    if len(lower) != len(known):  # some letters become two in lower case, so places differ
        names = known.split(SEPARATOR)
        yield from (name for name in names if any(part in name.lower() for part in parts))
        return
    for part in parts:
        place = lower.find(part)
        while place >= 0:
            start = lower.rfind(SEPARATOR, 0, place) + 1
            end = lower.find(SEPARATOR, place)
            end = len(lower) if end < 0 else end
            if start not in seen:
                seen.add(start)
                if len(seen) % _OFTEN == 0:
                    checkpoint()
                yield known[start:end]
            place = lower.find(part, end)


def _score(wanted: str, candidate: str) -> float:
    """The score: 4 for a difference in case only, 3 for a prefix, 2 for a part, else 0-1."""
    lower = candidate.lower()
    if lower == wanted:
        return 4.0
    if lower.startswith(wanted):
        return 3.0
    if wanted in lower:
        return 2.0
    matcher = SequenceMatcher(None, wanted, lower, autojunk=False)
    if matcher.real_quick_ratio() < _ENOUGH:
        return 0.0
    return matcher.ratio()
