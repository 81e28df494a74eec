"""The declarations of a file, and the words in them."""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ipuaro_jupyter.index.extract.facts_format import declared_spans
from ipuaro_jupyter.index.extract.file_words import line_words, number_of
from ipuaro_jupyter.index.extract.split_words import words_in

_IN_NAME, _IN_OWNER = 3.0, 1.0
_HOLDING = frozenset({"class", "interface", "namespace"})
_VALUES = frozenset({"const", "variable"})
_NOWHERE = -1
_NAME = re.compile(r"[^\W\d]\w*")


class Declaration(NamedTuple):
    """A declaration: lines are 1-based, the last one is included."""

    name: str
    qualified: str
    kind: str
    line: int
    end: int

    @property
    def is_holding(self) -> bool:
        """Whether it holds others: a class, an interface, a namespace."""
        return self.kind in _HOLDING

    @property
    def is_value(self) -> bool:
        """Whether it is no function, class or type."""
        return self.kind in _VALUES


class FileDeclarations:
    """The declarations of a file, and where each of its words is.

    Attributes:
        text: What lines refer to.
        declared: The declarations in the order of the file.

    Args:
        blob: The facts of the file, as stored.
        text: The text that its lines refer to.
    """

    def __init__(self, blob: bytes, text: bytes) -> None:
        self.text = text
        found = {(span[1], span[3]): Declaration(*span) for span in declared_spans(blob)}
        inner = [one for one in found.values() if not _is_inner_value(one)]
        self.declared = tuple(sorted(inner, key=lambda one: (one.line, -one.end)))
        self._lines_of: defaultdict[int, array[int]] = defaultdict(lambda: array("I"))
        counts = [0]
        for line, words in enumerate(line_words(text), 1):
            counts.append(len(words))
            for word in words:
                self._lines_of[word].append(line)
        self._before = list(accumulate(counts))
        self._owners: list[int] = []
        self._at = array("i", [_NOWHERE]) * len(counts)
        self._place()
        self._named: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
        for place, one in enumerate(self.declared):
            owner, _, _ = one.qualified.rpartition(".")
            for name, weight in ((one.name, _IN_NAME), (owner, _IN_OWNER)):
                for part in set(words_in(name)):
                    self._named[number_of(part)].append((place, weight))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text, without their ends."""
        return tuple(self.text.decode(errors="replace").split("\n"))

    def lengths(self) -> Sequence[int]:
        """The number of words in each declaration."""
        last = len(self._before) - 1
        return [
            self._before[min(one.end, last)] - self._before[min(one.line - 1, last)]
            for one in self.declared
        ]

    def counts(self, words: Iterable[int]) -> Mapping[int, Mapping[int, float]]:
        """How often words occur in declarations, more for those of names.

        By the place of a declaration and the number of a word; what a declaration holds is part of
        it.
        """
        found: defaultdict[int, dict[int, float]] = defaultdict(dict)
        for word in words:
            for line in self._lines_of.get(word, ()):
                place = self._at[line]
                while place != _NOWHERE:
                    said = found[place]
                    said[word] = said.get(word, 0.0) + 1.0
                    place = self._owners[place]
            for place, weight in self._named.get(word, ()):
                said = found[place]
                said[word] = said.get(word, 0.0) + weight
        return found

    def lines_with(self, words: Iterable[int], one: Declaration) -> set[int]:
        """The lines of a declaration that have some of the words, 1-based."""
        lines = (line for word in words for line in self._lines_of.get(word, ()))
        return {line for line in lines if one.line <= line <= one.end}

    def names_in(self, one: Declaration) -> set[str]:
        """The names in a declaration, as they are written."""
        return set(_NAME.findall("\n".join(self.lines[one.line - 1 : one.end])))

    def told_at(self, line: int, words: Iterable[int]) -> float:
        """How much some words tell in a line: rare ones of the file more."""
        found = 0.0
        for word in words:
            lines = self._lines_of.get(word, ())
            if line in lines:
                found += 1 / len(lines)
        return found

    def _place(self) -> None:
        """Note which declaration each line belongs to, and which holds each declaration."""
        holding: list[int] = []
        last = len(self._at) - 1
        for place, one in enumerate(self.declared):
            while holding and self.declared[holding[-1]].end < one.line:
                holding.pop()
            self._owners.append(holding[-1] if holding else _NOWHERE)
            holding.append(place)
            end = min(one.end, last)
            if end >= one.line:
                self._at[one.line : end + 1] = array("i", [place]) * (end + 1 - one.line)


def _is_inner_value(one: Declaration) -> bool:
    return one.is_value and "." in one.qualified
