r"""Commands that are continued over lines or given as a list of words, as one line each.

``curl \``, ``-u \`` and ``app:…`` in three lines, ``["curl", "-u", "app:…"]`` and a list of YAML
all mean the same command, of which the forms of secrets know the first spelling.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from ipuaro_jupyter.agent.redaction.lines import lead_width, line_start
from ipuaro_jupyter.agent.redaction.secret_values import Secret

_CONTINUES = re.compile(r"(?:\\|(?<=[ \t])[`^])\r?$", re.MULTILINE)
_OPTION_IN_LIST = re.compile(r"[\"']-{1,2}[A-Za-z]")
_NEXT_WORD = re.compile(r"[\"'][ \t]{0,8},\s{0,80}[\"']")
_OPTION_OF_YAML = re.compile(r"- [\"']?-{1,2}[A-Za-z]")
_ITEM = re.compile(r"[ \t]{0,80}-[ \t]{1,8}[\"']?(?P<word>[^\r\n]{0,600}?)[\"']?[ \t]{0,20}\r?$")
_MOST_LINES, _LONGEST_LINE, _LONGEST_LIST = 60, 2000, 1000


class OneLine(NamedTuple):
    """A command in one line, and where each of its characters is in the whole text."""

    text: str
    places: list[int]

    def origin(self, found: Secret) -> Secret | None:
        """Where a secret of the line is in the whole text; None for one of several pieces."""
        start, last = self.places[found.start], self.places[found.end - 1]
        is_whole = last - start == found.end - 1 - found.start
        return Secret(start, last + 1, found.kind) if is_whole else None


def one_lines(text: str) -> Iterator[OneLine]:
    """Yield the commands of a text that are not in one line, in it or as a list."""
    for groups in (_continued(text), _lists(text), _items(text)):
        for pieces in groups:
            places: list[int] = []
            for start, end in pieces:
                places += range(start, end + 1)  # the blank between two stands for what follows
            yield OneLine(" ".join(text[start:end] for start, end in pieces), places)


def _continued(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the pieces of each command whose lines end in a sign that the next one belongs to it.

    The sign is a backslash, or the one of PowerShell or cmd.
    """
    done = 0
    for found in _CONTINUES.finditer(text):
        if found.start() < done:
            continue
        start = max(text.rfind("\n", 0, found.start()) + 1, found.start() - _LONGEST_LINE)
        pieces = []
        for begin, line in _lines_from(text, start):
            sign = _CONTINUES.search(line)
            body = line[: sign.start() if sign else len(line)]
            lead = lead_width(line, text[start : start + _LONGEST_LINE]) if begin > start else 0
            inner = body[lead:]
            begins = begin + lead + len(inner) - len(inner.lstrip())
            pieces.append((begins, max(begins, begin + len(body.rstrip()))))
            done = begin + len(line)
            if sign is None:
                break
        yield pieces


def _lines_from(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield where lines begin, and their texts; of one that is too long, its beginning as last."""
    for _ in range(_MOST_LINES):
        newline = text.find("\n", start, start + _LONGEST_LINE)
        yield start, text[start : newline if newline >= 0 else start + _LONGEST_LINE]
        if newline < 0:
            return
        start = newline + 1


def _lists(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the words of each list of quoted words of which one is an option."""
    done = 0
    for option in _OPTION_IN_LIST.finditer(text):
        if option.start() < done:
            continue
        least = max(done, option.start() - _LONGEST_LIST)
        start = max(text.rfind("[", least, option.start()), text.rfind("(", least, option.start()))
        if start < 0:
            continue
        end = text.find("]" if text[start] == "[" else ")", option.end(), start + 2 * _LONGEST_LIST)
        done = end if end >= 0 else min(len(text), start + 2 * _LONGEST_LIST)
        between = [(start + 1, start + 1)]
        between += [word.span() for word in _NEXT_WORD.finditer(text, start, done)]
        yield [(a[1], b[0]) for a, b in pairwise([*between, (done, done)])]


def _items(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the words of each list of YAML of which one is an option."""
    done = 0
    for option in _OPTION_OF_YAML.finditer(text):
        if option.start() < done:
            continue
        start = line_start(text, option.start())
        first = line_start(text, start - 1) if start > 0 else start
        if first < 0:
            continue
        pieces = []
        for begin, line in _lines_from(text, first):
            item = _ITEM.match(line, lead_width(line, text[first : first + _LONGEST_LINE]))
            if item:
                pieces.append((begin + item.start("word"), begin + item.end("word")))
            elif begin > first:
                break
            done = begin + len(line)
        yield pieces
