"""Blank out comments, strings and the text of templates, so that patterns see code alone.

Linear in time and of constant depth for any text: this runs over broken files. Repeated groups are
atomic and not possessive: Python before 3.11.5 gets the latter wrong.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from ipuaro_jupyter.languages.tables import Comments

_BLANKS = bytes(code if code in b"\r\n" else 32 for code in range(256))
_UNDERSCORES = bytes(code if code in b"\r\n" else 95 for code in range(256))
_TEMPLATE = b"`"
_HOLE = b"${"
_TEXT = re.compile(rb"(?>[^`\\$]*(?:(?:\\[\s\S]|\$(?!\{))[^`\\$]*)*)(?P<end>`|\$\{)?")
_ESCAPE = re.compile(rb"\\[\s\S]")
_REGEX = re.compile(rb"/(?![*/])(?>(?:[^/\\\n\[]|\\.|\[(?>(?:[^\]\\\n]|\\.){0,100})\]){1,300})/")
_BEFORE_REGEX = re.compile(rb"(?:[(,=:\[!&|?]|\breturn)\Z")
_LONGEST_WORD = 7  # of the keywords before a regular expression, with the character in front
_LONGEST_BLANK = 200


@dataclass(frozen=True)
class Template:
    """A template string: one past its last byte, the ranges of its text, and of its braces.

    ``texts`` leave out the quotes. ``holes`` has the place of ``${`` and of the closing brace for
    each expression inside.
    """

    start: int
    end: int
    texts: tuple[tuple[int, int], ...]
    holes: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Masked:
    """A text of the same length as the file, lines kept, and the templates in it.

    Comments are blanks. Strings are underscores between their quotes; the text of templates,
    which keep their quotes and expressions, is blank.
    """

    text: bytes
    templates: tuple[Template, ...]


def mask(data: bytes, comments: Comments) -> Masked:
    """Mask the comments, strings and templates of a file.

    A string that is not closed ends with its line, a template with the file.

    Args:
        data: The file.
        comments: The language's signs of comments and strings; a backtick begins a template.
    """
    return _Masking(data, comments).run()


class _Masking:
    """One pass over a file."""

    def __init__(self, data: bytes, comments: Comments) -> None:
        self._data = data
        self._code = _scanner(comments, braces=False)
        self._code_in_template = _scanner(comments, braces=True)
        self._out = bytearray(data)
        self._templates: list[Template] = []
        self._open: list[_Open] = []  # the enclosing templates, the innermost last
        self._closes = _TEMPLATE in data

    def run(self) -> Masked:
        position = 0
        while position < len(self._data):
            code = self._code_in_template if self._open else self._code
            found = code.search(self._data, position)
            if found is None:
                break
            position = self._read(found)
        return Masked(bytes(self._out), tuple(self._templates))

    def _read(self, found: re.Match[bytes]) -> int:
        """Handle a match in code; return where to go on."""
        kind = str(found.lastgroup).partition("_")[0]
        if kind == "comment":
            self._blank(*found.span())
        elif kind == "string":
            self._underline(*found.span())
        elif kind == "slash":
            return self._slash(found.start())
        elif kind == "template":
            return self._begin(found.start())
        else:
            return self._brace(found)
        return found.end()

    def _slash(self, start: int) -> int:
        """Handle a slash that is not a comment; the code before it tells a regular expression."""
        found = _REGEX.match(self._data, start)
        before = self._data[max(0, start - _LONGEST_BLANK) : start].rstrip(b" \t")
        if found is None or _BEFORE_REGEX.search(before[-_LONGEST_WORD:]) is None:
            return start + 1
        self._underline(*found.span())
        return found.end()

    def _begin(self, start: int) -> int:
        if not self._closes:
            return start + 1
        self._open.append(_Open(start, [], [], 0))
        return self._text(start + 1)

    def _text(self, start: int) -> int:
        """Read the text of the innermost template up to an expression or the end."""
        found = _TEXT.match(self._data, start)
        if found is None or found["end"] is None:  # never closed: not a template
            self._closes = False
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

    def _underline(self, start: int, end: int) -> None:
        """Fill the space between quotes with underscores."""
        self._out[start + 1 : end - 1] = self._data[start + 1 : end - 1].translate(_UNDERSCORES)

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
    """The ranges of the escape sequences in the text of a template."""
    return [
        found.span()
        for start, end in template.texts
        for found in _ESCAPE.finditer(data, start, end)
    ]


@lru_cache(maxsize=32)
def _scanner(comments: Comments, *, braces: bool) -> re.Pattern[bytes]:
    """A pattern for the relevant parts of code; each alternative fails at once or consumes.

    Each begins with a distinctive character, so that the rest of the code is skipped quickly.
    """
    parts = [_part("comment", sign, rb"[^\n]*+") for sign in comments.line]
    parts += [_part("comment", start, _up_to(end)) for start, end in comments.block]
    for quote, _ in comments.strings:
        if len(quote) == 1 and quote != "`":
            sign = quote.encode()
            word = rb"(?<![\w$]')" if quote == "'" else b""  # an apostrophe in a word
            plain = rb"[^\\\n" + sign + rb"]*"
            text = rb"(?>" + plain + rb"(?:\\[\s\S]" + plain + rb")*)"
            rest = text + rb"(?:" + sign + rb"|(?=\n)|\Z)"
            parts.append(_part("string", quote, word + rest))
    parts += [rb"`(?P<template>)", rb"/(?P<slash>)"]
    if braces:
        parts += [rb"\{(?P<opening>)", rb"\}(?P<closing>)"]
    return re.compile(rb"|".join(parts))


def _part(kind: str, sign: str, rest: bytes) -> bytes:
    """A pattern that begins with a plain character; its group's name begins with the kind."""
    name = f"{kind}_{sign.encode().hex()}".encode()
    return (
        re.escape(sign[0].encode())
        + b"(?P<"
        + name
        + b">"
        + re.escape(sign[1:].encode())
        + rest
        + b")"
    )


def _up_to(end: str) -> bytes:
    """A pattern for text up to a sign or the end of the file."""
    first, rest, whole = (re.escape(part.encode()) for part in (end[0], end[1:], end))
    plain = rb"[^" + first + rb"]*"
    text = rb"(?>" + plain + rb"(?:" + first + rb"(?!" + rest + rb")" + plain + rb")*)"
    return text + rb"(?:" + whole + rb"|\Z)"
