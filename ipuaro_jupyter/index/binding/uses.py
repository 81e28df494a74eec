"""The uses of a symbol, as an answer to a question."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ipuaro_jupyter.index.binding.alias_resolver import Declaration
from ipuaro_jupyter.records.code import Reference

Context = tuple[int, tuple[str, ...]]
"""The number of a line, 1-based, and the text of that line and of some after it."""

Contexts = dict[str, dict[int, Context]]
"""Lines with those around them, by path and 1-based line."""

_REFERENCE_BYTES = 1000
"""With the lines around it."""


class UsesQuestion(NamedTuple):
    """A question about uses; see `ReferenceFinder.of`."""

    symbol: str
    within: str | None
    limit: int | None
    declared_in: str


class Uses(NamedTuple):
    """The uses of a symbol: their number, and the first of them.

    Attributes:
        total: Their number; every occurrence of the name counts in files not looked at.
        first: The first of them.
        texts: The texts and hashes of the files of the listed places, to which these refer.
        not_looked_at: The files that time ran out for.
        declared: The declarations that were searched for.
        unresolved_total: The number of places that have the name of an exact query, and may or may
            not stand for it: the type in front of the dot is not known. Not part of ``total``.
        unresolved: The first of these.
        contexts: Lines around listed places, kept by whoever shows them.
        overridden: What the members of an exact query override or implement, without themselves;
            None when that was not looked at, since there are many members.
        around: The qualified names of the innermost functions and classes around listed places, by
            path and line; empty where all places are asked for.
        range: The first and last line of the one declaration, if there is just one, and places are
            listed.
        is_inherited: Whether the declarations are those of bases of the class that was named.
    """

    total: int
    first: list[Reference]
    texts: Mapping[str, tuple[bytes, str]]
    not_looked_at: frozenset[str] = frozenset()
    declared: frozenset[Declaration] = frozenset()
    unresolved_total: int = 0
    unresolved: tuple[Reference, ...] = ()
    contexts: Contexts | None = None
    overridden: frozenset[Declaration] | None = frozenset()
    is_inherited: bool = False
    range: tuple[int, int] | None = None
    around: Mapping[tuple[str, int], str] = MappingProxyType({})

    def without(self, paths: Collection[str]) -> "Uses":
        """The uses outside of some files, which count as not looked at."""
        seen = self.not_looked_at.union(paths)
        return self._replace(
            first=[reference for reference in self.first if reference.path not in seen],
            unresolved=tuple(one for one in self.unresolved if one.path not in seen),
            not_looked_at=seen,
        )


class UsesAnswer(NamedTuple):
    """An answer, with the hashes of the files that were read for it.

    ``is_kept`` is False when time ran out, or a file was not what the index knows.
    """

    uses: Uses
    used: Mapping[str, str]
    is_kept: bool

    @property
    def weight(self) -> int:
        """The memory it takes at most, in bytes."""
        uses = self.uses
        texts = sum(len(text) for text, _ in uses.texts.values())
        return texts + _REFERENCE_BYTES * (len(uses.first) + len(uses.unresolved) + len(self.used))
