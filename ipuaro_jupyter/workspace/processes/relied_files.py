"""The files that a command relies on."""

import fnmatch
from collections.abc import Collection


def relies_on(path: str, patterns: Collection[str]) -> bool:
    """Whether a path of the project matches one of these name patterns or paths with a slash."""
    name = path.rpartition("/")[2]
    return any(path == pattern or fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
