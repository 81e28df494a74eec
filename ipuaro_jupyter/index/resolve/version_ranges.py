"""Ranges of versions, the keys of ``typesVersions`` and of ``types@…`` conditions.

The rules are those of ``semver.ts`` in TypeScript: node-semver's, prereleases included.
"""

import re
from functools import lru_cache

TYPESCRIPT_VERSION = (5, 9, 3)
"""The version of TypeScript that is followed; packages may offer others other files."""

_Release = tuple[int, int, int]
_Comparator = tuple[str, _Release, bool]

_NUMBER = r"([x*0]|[1-9]\d{0,15})"
_TAG = r"(?:-([a-z0-9-.]+))?(?:\+[a-z0-9-.]+)?"
_PARTIAL = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}(?:\.{_NUMBER}{_TAG})?)?", re.IGNORECASE | re.ASCII)
_SIMPLE = re.compile(r"(<=|>=|[~^<>=])?([a-z0-9-+.*]+)", re.IGNORECASE | re.ASCII)
_HYPHENATED = 3


@lru_cache(maxsize=256)
def is_in_range(text: str, version: _Release = TYPESCRIPT_VERSION) -> bool:
    """Whether a release is in a range such as ``>=4.2 <6 || ~3.9``.

    Args:
        text: The range; "" and "*" contain every version, an invalid range none.
        version: Major, minor and patch.
    """
    alternatives = [_comparators(part.split()) for part in text.strip().split("||") if part]
    if None in alternatives:
        return False
    return not alternatives or any(
        all(_holds(version, comparator) for comparator in alternative or ())
        for alternative in alternatives
    )


def _comparators(parts: list[str]) -> list[_Comparator] | None:
    """The comparators of one alternative of a range; None when it is not valid."""
    if not parts:
        return None
    if len(parts) == _HYPHENATED and parts[1] == "-":
        return _between(parts[0], parts[2])
    found: list[_Comparator] = []
    for part in parts:
        simple = _SIMPLE.fullmatch(part)
        made = None if simple is None else _comparator(simple[1] or "=", simple[2])
        if made is None:
            return None
        found += made
    return found


def _between(left: str, right: str) -> list[_Comparator] | None:
    lower, upper = _partial(left), _partial(right)
    if lower is None or upper is None:
        return None
    found: list[_Comparator] = []
    if lower[1]:
        found.append((">=", lower[0], lower[2]))
    if upper[1]:
        is_whole = upper[1] == len(upper[0])
        found.append(("<=", upper[0], upper[2]) if is_whole else ("<", _next(upper), False))
    return found


def _comparator(operator: str, text: str) -> list[_Comparator] | None:
    partial = _partial(text)
    if partial is None:
        return None
    release, given, is_early = partial
    if not given:
        return [("<", (0, 0, 0), True)] if operator in "<>" else []
    is_whole = given == len(release)
    found = [(operator, release, is_early if is_whole else True)]
    if operator in "~^":
        found = [(">=", release, is_early), ("<", _next(partial, operator), False)]
    elif operator == "=" and not is_whole:
        found = [(">=", release, True), ("<", _next(partial), True)]
    elif operator in ("<=", ">") and not is_whole:
        found = [("<" if operator == "<=" else ">=", _next(partial), True)]
    return found


def _next(partial: tuple[_Release, int, bool], operator: str = "=") -> _Release:
    """The first release above a partial version that is no longer in its range."""
    (major, minor, patch), given, _ = partial
    kept = given - 1
    if operator == "~":
        kept = min(kept, 1)
    elif operator == "^":
        kept = 0 if major or given == 1 else 1 if minor or given == _HYPHENATED - 1 else 2
    return ((major + 1, 0, 0), (major, minor + 1, 0), (major, minor, patch + 1))[max(kept, 0)]


def _partial(text: str) -> tuple[_Release, int, bool] | None:
    """A release, how many of its numbers are given, and whether it is a prerelease."""
    found = _PARTIAL.fullmatch(text)
    if found is None:
        return None
    numbers: list[int] = []
    for number in found.groups()[:3]:
        if number is None or number in "xX*":
            break
        numbers.append(int(number))
    major, minor, patch = (*numbers, 0, 0, 0)[:3]
    return (major, minor, patch), len(numbers), found[4] is not None


def _holds(version: _Release, comparator: _Comparator) -> bool:
    """Whether a release satisfies a comparator; a prerelease is before its release."""
    operator, release, is_early = comparator
    order = (version > release) - (version < release) or int(is_early)
    return {
        "<": order < 0,
        "<=": order <= 0,
        ">": order > 0,
        ">=": order >= 0,
        "=": order == 0,
    }[operator]
