"""Blank comments, strings and the text of templates, so that patterns see code alone.

Linear, and of constant depth, whatever the text: this runs over files that are broken.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from ipuaro_jupyter.languages.tables import Comments

_BLANKS = bytes(code if code in b"\r\n" else 32 for code in range(256))
_UNDERSCORES = bytes(code if code in b"\r\n" else 95 for code in range(256))
_TEMPLATE = b"`"
_HOLE = b"${"
_TEXT = re.compile(rb"(?:[^`\\$]|\\[\s\S]|\$(?!\{))*+(?P<end>`|\$\{)?")
_ESCAPE = re.compile(rb"\\[\s\S]")
_REGEX = (
    rb"(?:[(,=:\[!&|?]|\breturn\b)[ \t]*+"
    rb"(?P<regex>/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,100}+\]){1,300}+/)"
)


@dataclass(frozen=True)
class Template:
    """A template string: one past its last byte, the ranges of its text, and those of its signs.

    ``texts`` leave out the quotes. ``holes`` has the place of ``${`` and of the brace that ends
    it, for each expression inside.
    """

    start: int
    end: int
    texts: tuple[tuple[int, int], ...]
    holes: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Masked:
    """A text of the same length as the file, lines kept, and the templates in it.

    Comments are blanks. Strings are underscores between their quotes; the text of templates,
    which keep their quotes and expressions, is blank. ``unclosed`` is the first byte of a template
    that does not end, None when all do.
    """

    text: bytes
    templates: tuple[Template, ...]
    unclosed: int | None = None


def mask(data: bytes, comments: Comments) -> Masked:
    """Return a file without what its comments, strings and templates say.

    A string that is not closed ends with its line, a template with the file.

    Args:
        data: The file.
        comments: How comments and strings begin and end; a backtick begins a template.
    """
    return _Masking(data, comments).run()


class _Masking:
    """One run over a file."""

    def __init__(self, data: bytes, comments: Comments) -> None:
        self._data = data
        self._code = _scanner(comments)
        self._out = bytearray(data)
        self._templates: list[Template] = []
        self._open: list[_Open] = []  # the templates around, the innermost last
        self._closes = _TEMPLATE in data
        self._unclosed: int | None = None

    def run(self) -> Masked:
        position = 0
        while position < len(self._data):
            found = self._code.search(self._data, position)
            if found is None:
                break
            position = self._read(found)
        if self._open and self._unclosed is None:
            self._unclosed = self._open[0].start
        return Masked(bytes(self._out), tuple(self._templates), self._unclosed)

    def _read(self, found: re.Match[bytes]) -> int:
        """Handle what was found in code; return where to go on."""
        kind = found.lastgroup
        if kind == "comment":
            self._blank(*found.span(kind))
        elif kind in {"string", "regex"}:
            start, end = found.span(kind)
            self._out[start + 1 : end - 1] = self._data[start + 1 : end - 1].translate(_UNDERSCORES)
        elif kind == "template":
            return self._begin(found.start())
        elif self._open and kind == "brace":
            return self._brace(found)
        return found.end()

    def _begin(self, start: int) -> int:
        if not self._closes:
            return start + 1
        self._open.append(_Open(start, [], [], 0))
        return self._text(start + 1)

    def _text(self, start: int) -> int:
        """Read the text of the innermost template up to an expression or the end."""
        found = _TEXT.match(self._data, start)
        if found is None or found["end"] is None:  # never closed: no template at all
            self._closes = False
            self._unclosed = self._open[0].start
            self._open.clear()
            return start
        top = self._open[-1]
        end = found.start("end")
        top.texts.append((start, end))
        self._blank(start, end)
        if found["end"] == _HOLE:
            top.holes.append(end)
            top.depth = 0
            return found.end()
        self._open.pop()
        holes = tuple(zip(top.holes[::2], top.holes[1::2], strict=True))
        self._templates.append(Template(top.start, end + 1, tuple(top.texts), holes))
        return end + 1

    def _brace(self, found: re.Match[bytes]) -> int:
        top = self._open[-1]
        if found.group() == b"{":
            top.depth += 1
        elif top.depth:
            top.depth -= 1
        else:
            top.holes.append(found.start())
            return self._text(found.end())
        return found.end()

    def _blank(self, start: int, end: int) -> None:
        self._out[start:end] = self._data[start:end].translate(_BLANKS)


@dataclass
class _Open:
    """A template that is being read; ``depth`` counts the braces open in its expression."""

    start: int
    texts: list[tuple[int, int]]
    holes: list[int]
    depth: int


def escapes(data: bytes, template: Template) -> list[tuple[int, int]]:
    """Return the ranges of the escape sequences in the text of a template."""
    return [
        found.span()
        for start, end in template.texts
        for found in _ESCAPE.finditer(data, start, end)
    ]


@lru_cache(maxsize=16)
def _scanner(comments: Comments) -> re.Pattern[bytes]:
    """Return a pattern for what matters in code; each of its parts ends at once or consumes."""
    signs = [re.escape(sign.encode()) + rb"[^\n]*+" for sign in comments.line]
    for start, end in comments.block:
        signs.append(
            re.escape(start.encode()) + rb"[\s\S]*?(?:" + re.escape(end.encode()) + rb"|\Z)"
        )
    quotes = [start.encode() for start, _ in comments.strings if len(start) == 1 and start != "`"]
    strings = [  # an apostrophe in a word is none
        (rb"(?<![\w$])" if quote == b"'" else b"")
        + (quote + rb"(?:[^\\\n" + quote + rb"]|\\[\s\S])*+(?:" + quote + rb"|(?=\n)|\Z)")
        for quote in quotes
    ]
    parts = [
        rb"(?P<comment>" + rb"|".join(signs) + rb")",
        rb"(?P<string>" + rb"|".join(strings) + rb")",
        rb"(?P<template>`)",
        rb"(?P<brace>[{}])",
        _REGEX,
    ]
    return re.compile(rb"|".join(parts))
