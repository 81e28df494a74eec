"""Names with one ``*``: ``paths`` of a tsconfig and ``typesVersions`` of a package.

See ``matchPatternOrExact`` and ``tryLoadModuleUsingPaths`` in TypeScript.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple


class _Pattern(NamedTuple):
    prefix: str
    suffix: str
    targets: tuple[str, ...]


class PathPatterns:
    """A table from names and patterns to their targets.

    Args:
        table: For each name or pattern the targets, in the order to try. A key with more than one
            ``*`` is ignored.
    """

    def __init__(self, table: Mapping[str, Sequence[str]]) -> None:
        self._exact: dict[str, tuple[str, ...]] = {}
        self._patterns: list[_Pattern] = []
        for key, targets in table.items():
            prefix, star, suffix = key.partition("*")
            if not star:
                self._exact[key] = tuple(targets)
            elif "*" not in suffix:
                self._patterns.append(_Pattern(prefix, suffix, tuple(targets)))

    def matching(self, name: str) -> Iterator[tuple[str, str]] | None:
        """The targets for ``name``, in order; None when nothing matches.

        Of several matching patterns, the one with the longest prefix counts; of equals, the first.

        Returns:
            Pairs of the target as written and the target with its ``*`` filled in.
        """
        exact = self._exact.get(name)
        if exact is not None:
            return ((target, target) for target in exact)
        best: _Pattern | None = None
        for pattern in self._patterns:
            prefix, suffix, _ = pattern
            if (
                (best is None or len(prefix) > len(best.prefix))
                and len(name) >= len(prefix) + len(suffix)
                and name.startswith(prefix)
                and name.endswith(suffix)
            ):
                best = pattern
        if best is None:
            return None
        star = name[len(best.prefix) : len(name) - len(best.suffix)]
        return ((t, t.replace("*", star, 1) if star else t) for t in best.targets)
