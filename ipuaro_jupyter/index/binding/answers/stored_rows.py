"""The rows of an answer as they are stored: by column, so that thousands are read in no time."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby, islice, repeat
from operator import attrgetter

import msgspec

from ipuaro_jupyter.records.code import Reference

_Meaning = tuple[bool, bool, str | None, str | None]
_path = attrgetter("path")


class StoredRows(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """References, without what they have in common.

    Attributes:
        runs: The number of a file, and how many references to it follow one another.
        lines: Of each reference.
        columns: The same.
        meant: Of each, the place in ``meanings`` of the rest.
        meanings: What references have besides file, line and column.
    """

    runs: list[tuple[int, int]]
    lines: list[int]
    columns: list[int]
    meant: list[int]
    meanings: list[_Meaning]

    def files(self, most: int | None) -> Iterator[int]:
        """Yield the numbers of the files that `references` gives, some more than once."""
        left = len(self.lines) if most is None else most
        for number, count in self.runs:
            if left <= 0:
                return
            yield number
            left -= count

    def references(self, paths: Sequence[str], most: int | None = None) -> list[Reference]:
        """The references, or the first of them.

        Args:
            paths: The files, by their numbers.
            most: How many are wanted; None: all.
        """
        places = chain.from_iterable(repeat(paths[number], count) for number, count in self.runs)
        rest = (map([one[n] for one in self.meanings].__getitem__, self.meant) for n in range(4))
        found = map(Reference, places, self.lines, self.columns, *rest)
        return list(islice(found, most))


def stored_rows(references: Sequence[Reference], numbers: Mapping[str, int]) -> StoredRows:
    """References in the form in which they are stored.

    Args:
        references: The references.
        numbers: Those of their files.
    """
    meant = [(r.is_definition, r.resolved, r.declared_in, r.declared_as) for r in references]
    places = {meaning: place for place, meaning in enumerate(dict.fromkeys(meant))}
    return StoredRows(
        [(numbers[path], len(list(rows))) for path, rows in groupby(references, key=_path)],
        [one.line for one in references],
        [one.column for one in references],
        [places[meaning] for meaning in meant],
        list(places),
    )
