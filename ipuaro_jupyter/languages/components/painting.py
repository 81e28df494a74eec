"""The code of a template, each piece at its own place in a text that is blank otherwise."""

import re
from dataclasses import dataclass
from typing import NamedTuple

_NOT_A_LINE_END = re.compile(rb"[^\r\n]")
_STATEMENT = re.compile(rb"\s*(?:\{|(?:async\s+)?function\b|class\b|let\b|import\b)")
_LINE_END = b"\r\n"


class TemplateName(NamedTuple):
    """A name that a template binds: where it is written, and the range in which it is known."""

    name: str
    at: int
    start: int
    end: int


class Shorthand(NamedTuple):
    """A name that stands for an attribute and for its value: ``:id``, ``{id}``, ``bind:id``.

    When the value gets another name, ``form`` takes the place of the text from ``start`` to
    ``end``, with that name for ``{to}``.
    """

    start: int
    end: int
    form: str


def blank(data: bytes) -> bytearray:
    """Blanks of the same length, with the same line ends."""
    return bytearray(_NOT_A_LINE_END.sub(b" ", data))


@dataclass(frozen=True)
class Piece:
    """A painted range."""

    start: int
    end: int


class Painting:
    """Collects the code of a template.

    Where it is part of an expression, as markup is inside of code in Astro, its pieces are the
    elements of an array; elsewhere each is a statement.

    Args:
        data: The file.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.text = blank(data)
        self.pieces: list[Piece] = []
        self.names: list[TemplateName] = []
        self.shorthands: dict[int, Shorthand] = {}
        self.tags: set[int] = set()
        """The offsets of names of components."""
        self.depth = 0
        """How many arrays are open."""

    def code(self, start: int, end: int, *, statements: bool = False) -> None:
        """Paint an expression; the bytes before and behind it are free."""
        code = self.data[start:end]
        if not code.strip():
            return
        self.text[start:end] = code
        is_block = not self.depth and (statements or not _STATEMENT.match(code))
        if is_block:
            self._put(start - 1, b"{")
            self._put(end, b"}")
        else:
            sign = b"," if self.depth else b";"
            self._put(start - 1, b"(")
            self._put(end, b")")
            if start >= 2 and self.data[start - 2 : start - 1] == b"=":  # noqa: PLR2004
                self._put(start - 2, sign)
            if not self.depth and self.data[end + 1 : end + 2] in (b" ", b"\t", b">", b"/"):
                self._put(end + 1, sign)
        self._add(start - 1, end + 1)

    def name(self, at: int, name: bytes, length: int) -> None:
        """Paint a name on its own over ``length`` bytes that spell it, perhaps otherwise."""
        sign = b"," if self.depth else b";"
        self.text[at : at + length] = name.ljust(length)
        self._put(at - 1, sign)
        self._put(at + length, sign)
        self._add(at - 1, at + length + 1)

    def bind(self, name: str, at: int, start: int, end: int) -> None:
        """Add a name that the template binds, and paint it as a use of itself."""
        raw = name.encode()
        self.names.append(TemplateName(name, at, start, end))
        self.name(at, raw, len(raw))

    def blank(self, start: int, end: int) -> None:
        """Take back what was painted in a range."""
        self.text[start:end] = blank(self.data[start:end])

    def put(self, at: int, sign: bytes) -> None:
        """Paint a sign."""
        self._put(at, sign)

    def _put(self, at: int, sign: bytes) -> None:
        if 0 <= at < len(self.data) and self.data[at : at + 1] not in (b"\r", b"\n"):
            self.text[at : at + 1] = sign

    def _add(self, start: int, end: int) -> None:
        if not self.depth:
            self.pieces.append(Piece(max(start, 0), min(end, len(self.data))))
