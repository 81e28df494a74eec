"""The declarations of a file, and the words in them."""

import re
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from ipuaro_jupyter.index.extract.facts_format import Span, declared_spans
from ipuaro_jupyter.index.extract.file_words import BLANKS, number_of, numbers_of
from ipuaro_jupyter.index.extract.split_words import words_in

_IN_NAME, _IN_OWNER = 3.0, 1.0
_HOLDING = frozenset({"class", "interface", "namespace"})
_VALUES = frozenset({"const", "variable"})
_NOWHERE = -1
_NAME = re.compile(r"[^\W\d]\w*")
_LINE = re.compile(rb"[^\n]*(?:\n|\Z)")


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
        self.declared = _merged(declared_spans(blob))
        self._ends = [match.end() for match in _LINE.finditer(text)]
        self._lines_of: dict[int, list[int]] = {}
        self._owners: list[int] = []
        self._at = array("i", [_NOWHERE]) * (len(self._ends) + 1)
        self._place()
        self._named: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
        self._names: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, (name, qualified, *_) in enumerate(self.declared):
            self._names[name].append((place, _IN_NAME))
            if name != qualified:
                self._names[qualified.rpartition(".")[0]].append((place, _IN_OWNER))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text, without their ends."""
        return tuple(self.text.decode(errors="replace").split("\n"))

    def lengths(self) -> Sequence[int]:
        """The number of bytes in each declaration."""
        ends = [0, *self._ends]
        last = len(ends) - 1
        return [ends[min(one.end, last)] - ends[min(one.line - 1, last)] for one in self.declared]

    def counts(self, words: Mapping[int, str]) -> Mapping[int, Mapping[int, float]]:
        """How often words occur in declarations, more for those of names.

        By the place of a declaration and the number of a word; what a declaration holds is part of
        it.

        Args:
            words: By their numbers.
        """
        self._look_for(
            {number: word for number, word in words.items() if number not in self._lines_of}
        )
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

    def _look_for(self, words: Mapping[int, str]) -> None:
        """Note the lines and declared names with words: what may have one is split into its own."""
        beginnings = _beginnings(frozenset(words.values()))
        for name, places in self._names.items():
            if beginnings.search(name.lower().encode()):
                for number in set(map(number_of, words_in(name))) & words.keys():
                    self._named[number] += places
        found: dict[int, list[int]] = {number: [] for number in words}
        blanked = self.text.translate(BLANKS)
        end = line = 0
        for match in beginnings.finditer(blanked.lower()):
            if match.start() >= end:
                start = blanked.rfind(b" ", 0, match.start()) + 1
                end = blanked.find(b" ", match.end())
                end = len(blanked) if end < 0 else end
                line = bisect_right(self._ends, start, line and line - 1) + 1
                for number in numbers_of(blanked[start:end]):
                    if number in found:
                        found[number].append(line)
        self._lines_of |= found

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


@lru_cache(maxsize=8)
def _beginnings(words: frozenset[str]) -> re.Pattern[bytes]:
    """Finds where words may begin, in lower case as far as that is ASCII; "retri" is "retry"."""
    parts = {word.removesuffix("i") for word in words}
    forms = {
        form
        for part in parts
        for form in (part, *(() if part.isascii() else (part.title(), part.upper())))
    }
    return re.compile(b"|".join(re.escape(form.encode()) for form in sorted(forms)) or b"(?!)")


def _merged(spans: Iterable[Span]) -> tuple[Declaration, ...]:
    """Declarations in order; those of one name that follow each other, as overloads do, as one."""
    found: list[Declaration] = []
    for span in sorted(set(spans), key=lambda span: (span[3], -span[4])):
        one, last = Declaration._make(span), found[-1] if found else None
        if one.is_value and "." in one.qualified:
            continue
        if last is not None and last.qualified == one.qualified and last.kind == one.kind:
            found[-1] = last._replace(end=max(last.end, one.end))
        else:
            found.append(one)
    return tuple(found)
