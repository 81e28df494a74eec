"""The patterns of what to exclude of several roots: those of each hold for it alone."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_SIGNS = re.compile(r"([\\*?\[\]])")


def joined_patterns(
    own: Mapping[str, Sequence[str]], prefixes: Iterable[str], merged: Mapping[str, Any]
) -> dict[str, Any]:
    """The setting ``project.ignorePatterns`` of several roots, nested as it is written.

    Args:
        own: The patterns of those roots whose settings have some, by what their paths begin with.
        prefixes: What the paths of each root begin with.
        merged: The user's settings, whose patterns hold for the others.
    """
    users = merged.get("project", {}).get("ignorePatterns", ())
    patterns = [
        placed
        for prefix in prefixes
        for each in own.get(prefix, users)
        if (placed := _at(prefix, each))
    ]
    return {"project": {"ignorePatterns": patterns}}


def _at(prefix: str, pattern: str) -> str:
    """A pattern that means in the project what the given one means in a root; "" for none."""
    if not pattern.strip() or pattern.startswith("#"):
        return ""
    sign, rest = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    is_placed = "/" in rest.rstrip().removesuffix("/")
    folder = _SIGNS.sub(r"\\\1", prefix)
    return f"{sign}/{folder}{rest.lstrip('/') if is_placed else f'**/{rest}'}"
