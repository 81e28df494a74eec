"""The known names closest to a misspelt one."""

import difflib
from collections.abc import Iterable


def closest(name: str, known: Iterable[str], *, limit: int = 3, cutoff: float = 0.5) -> list[str]:
    """At most ``limit`` of ``known``, the most similar first, ignoring case.

    Names less similar than ``cutoff`` (0-1, `difflib` ratio) are left out.
    """
    by_lower = {candidate.lower(): candidate for candidate in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=limit, cutoff=cutoff)
    return [by_lower[lower] for lower in near]
