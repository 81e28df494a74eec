"""The declarations of a file, and the words in them."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.file_words import line_words
from ipuaro_jupyter.index.extract.symbols import symbols_of
from ipuaro_jupyter.records.code import SymbolKind

_VALUES = frozenset({"const", "variable", "property"})


class Declaration(NamedTuple):
    """A declaration: lines are 1-based, the last one is included."""

    name: str
    qualified: str
    kind: SymbolKind
    line: int
    end: int

    @property
    def is_whole(self) -> bool:
        """Whether it holds others: a class, an interface."""
        return self.kind in {"class", "interface", "namespace"}


class FileDeclarations:
    """The declarations of a file, and where each of its words is.

    Args:
        blob: The facts of the file, as stored.
        text: The text that its lines refer to.
    """

    def __init__(self, blob: bytes, text: bytes) -> None:
        self.text = text
        self._blob = blob
        self.lines_of: Mapping[int, Sequence[int]]
        self.lines_of, counts = _lines_of(text)
        self._before = [0, *accumulate(counts)]

    @cached_property
    def declared(self) -> tuple[Declaration, ...]:
        """The declarations in the order of the file; of fields, only those with a function."""
        found: dict[tuple[str, int], Declaration] = {}
        for name, qualified, kind, line, end in symbols_of(unpack_facts(self._blob)):
            if kind == "property" or (kind in _VALUES and "." in qualified):
                continue
            found.setdefault((qualified, line), Declaration(name, qualified, kind, line, end))
        return tuple(sorted(found.values(), key=lambda one: (one.line, -one.end)))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text, without their ends."""
        return tuple(self.text.decode(errors="replace").splitlines())

    def count(self, word: int, line: int, end: int) -> int:
        """How often a word occurs in some lines, by its number."""
        lines = self.lines_of.get(word, ())
        return bisect_right(lines, end) - bisect_left(lines, line)

    def length(self, line: int, end: int) -> int:
        """The number of words in some lines."""
        last = len(self._before) - 1
        return self._before[min(end, last)] - self._before[min(line - 1, last)]


def _lines_of(text: bytes) -> tuple[Mapping[int, Sequence[int]], list[int]]:
    """The 1-based lines of each word, ascending, and how many words each line has."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    counts = []
    for number, words in enumerate(line_words(text), 1):
        counts.append(len(words))
        for word in words:
            found[word].append(number)
    return found, counts
