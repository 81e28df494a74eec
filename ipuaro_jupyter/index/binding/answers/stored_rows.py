"""The rows of an answer as they are stored: by column, so that thousands are read in no time."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby, islice, repeat
from operator import attrgetter

import msgspec

from ipuaro_jupyter.index.binding.answers.uses import AROUND, Context, Contexts, Uses
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.records.code import Reference
from ipuaro_jupyter.workspace.files.text_lines import TextLines

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[int, Context]).decode

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


def stored_contexts(uses: Uses) -> dict[str, msgspec.Raw]:
    """The lines around the listed places, but for notebooks, which are read by cells.

    A line stands with each place that it is near to: so thousands are read without any code of
    ours. See `contexts`.
    """
    wanted: dict[str, set[int]] = {}
    for use in (*uses.first, *uses.unresolved):
        wanted.setdefault(use.path, set()).add(use.line)
    found = {}
    for path, lines in wanted.items():
        language = language_for(path)
        if language is None or language.reader != "cells":
            text = TextLines(uses.texts[path][0])
            of_file = {line: _around(text, line) for line in sorted(lines)}
            found[path] = msgspec.Raw(_encode(of_file))
    return found


def contexts(stored: Mapping[str, msgspec.Raw], paths: Iterable[str]) -> Contexts:
    """What was stored for some files."""
    return {path: _decode(stored[path]) for path in paths if path in stored}


def _around(text: TextLines, line: int) -> Context:
    first = max(1, line - AROUND)
    return first, text.between(first, line + AROUND)
