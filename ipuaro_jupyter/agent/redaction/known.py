"""Secrets known from a whole text, of which the model is shown a part.

A part may lack what tells of the secret: the name in the line above, the file that it is from, or
the rest of a line that was cut.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ipuaro_jupyter.agent.redaction.finder import secrets_in
from ipuaro_jupyter.agent.redaction.lines import NUMBER
from ipuaro_jupyter.agent.redaction.secret_values import Secret, is_secret
from ipuaro_jupyter.agent.redaction.wording import is_passphrase

_LEAD = re.compile(
    rf"[^\s:]{{1,300}}[:-]\d{{1,7}}[:-]|{NUMBER}|[+-]", re.ASCII
)  # what precedes a line of a file where it is shown
_WORD = re.compile(r"\w")
_STRONG = 8
_PIECE = re.compile(r"[^\s\"'`,;:=<>(){}\[\]]{8,512}")
_NAME = re.compile(r"[a-z]+\d|[A-Za-z]+\d{0,3}(?:[_.-](?:[A-Za-z]+\d{0,3}|\d{1,3}))+")
_LONG_NAME = 40  # characters
_MOST_VALUES = 500
_LONG_LINE = 200
_CUT = "…"


class Known(NamedTuple):
    """The secrets of some texts: the lines that hold them, and their values.

    Attributes:
        lines: By the text of a line without the blanks around, the places in it, and their kinds.
        values: Those that are told from other words wherever they are, with their kinds.
        cut: The others that are in lines so long that they are shown in part.
    """

    lines: dict[str, tuple[Secret, ...]]
    values: dict[str, str]
    cut: dict[str, str]

    def within(self, text: str) -> Iterator[Secret]:
        """Yield where they are in a part of the texts."""
        if self.lines:
            yield from self._by_line(text)
        for value, kind in self.values.items():
            yield from _places(text, value, kind)
        if self.values:
            yield from self._by_piece(text)
        for value, kind in self.cut.items() if _CUT in text else ():
            for found in _places(text, value, kind):
                begin = text.rfind("\n", 0, found.start) + 1
                end = text.find("\n", found.end)
                # A note on what is left out of the line is in the next one.
                if text.find(_CUT, begin, end + len("\n[…") if end >= 0 else len(text)) >= 0:
                    yield found

    def _by_piece(self, text: str) -> Iterator[Secret]:
        """Yield words that are a piece of a value, as a command prints of a line that it cuts."""
        values = "\n".join(self.values)
        for word in _PIECE.finditer(text):
            if _is_strong(word[0]) and word[0] in values:
                kind = next(kind for value, kind in self.values.items() if word[0] in value)
                yield Secret(*word.span(), kind)

    def _by_line(self, text: str) -> Iterator[Secret]:
        at = 0
        for line in text.split("\n"):
            for begin in (0, *(lead.end() for lead in (_LEAD.match(line),) if lead)):
                inner = line[begin:]
                if there := self.lines.get(inner.strip()):
                    first = at + begin + len(inner) - len(inner.lstrip())
                    yield from (Secret(first + a, first + b, kind) for a, b, kind in there)
                    break
            at += len(line) + 1


NOTHING = Known({}, {}, {})


def known_in(texts: Iterable[tuple[str, str]]) -> Known:
    """The secrets of texts, each with the path of the file that it is; "" for none."""
    known = Known({}, {}, {})
    for text, path in texts:
        _add(known, text, secrets_in(text, path))
    return known


def _add(known: Known, text: str, found: Iterable[Secret]) -> None:
    by_line: dict[tuple[int, int], list[Secret]] = {}
    for secret in found:
        start = text.rfind("\n", 0, secret.start) + 1
        end = text.find("\n", secret.end)
        by_line.setdefault((start, end if end >= 0 else len(text)), []).append(secret)
    for (start, end), secrets in by_line.items():
        line = text[start:end]
        first = start + len(line) - len(line.lstrip())
        places = tuple(Secret(a - first, b - first, kind) for a, b, kind in secrets)
        known.lines.setdefault(line.strip(), places)
        for a, b, kind in secrets:
            value = text[a:b]
            into = known.values if _is_strong(value) else known.cut
            if len(into) < _MOST_VALUES and (into is known.values or end - start > _LONG_LINE):
                into.setdefault(value, kind)


def _is_strong(value: str) -> bool:
    """Whether a value is told from a word of the text by itself: no word, and no name.

    ``test_user`` and ``package.json`` are names.
    """
    if len(value) < _STRONG or (len(value) <= _LONG_NAME and _NAME.fullmatch(value)):
        return False
    return is_passphrase(value) or is_secret(value, "password")


def _places(text: str, value: str, kind: str) -> Iterator[Secret]:
    """Yield where a value is, but for where it is a part of a longer word."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        inside = _WORD.match(value[0]) and _WORD.match(text[max(0, at - 1) : at])
        inside = inside or (_WORD.match(value[-1]) and _WORD.match(text[end : end + 1]))
        if not inside:
            yield Secret(at, end, kind)
        at = text.find(value, end)
