"""Lists of glob patterns for files and folders, as tools take them."""

from ipuaro_jupyter.globs import Glob, separated


class GlobPatterns:
    """A list of patterns as grep takes it: ``"*.py,src/**/*.{js,ts}"``.

    A pattern without a folder counts at every depth, one that ends with a slash is for all that
    is in a folder. Wildcards match hidden names too.

    Args:
        text: The patterns, separated by commas.

    Raises:
        ToolError: "validation" for a pattern that is none.
    """

    def __init__(self, text: str) -> None:
        self._globs = [_anywhere(pattern) for pattern in separated(text)]

    def __bool__(self) -> bool:
        return bool(self._globs)

    def match(self, path: str) -> bool:
        """Whether one of the patterns matches ``path``."""
        return any(glob.matches(path) for glob in self._globs)

    def match_within(self, path: str) -> bool:
        """Whether one of the patterns matches ``path`` or a folder that it is in."""
        return any(glob.matches_within(path) for glob in self._globs)


def _anywhere(pattern: str) -> Glob:
    plain = pattern.removeprefix("./").removeprefix("/")
    return Glob(plain if "/" in plain.rstrip("/") else f"**/{plain}")
