"""Source lines with their tokens coloured by the theme's own editor colours.

Pygments is imported when there is something to colour: that takes long.
"""

import html
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ipuaro_jupyter.views.markup import visible

if TYPE_CHECKING:
    from pygments.lexer import Lexer

MAX_CHARACTERS = 60_000
_CLASSES = (
    ("Comment", "c"),
    ("Keyword", "k"),
    ("Literal.String", "s"),
    ("Literal.Number", "m"),
    ("Literal", "s"),
    ("Name.Function", "f"),
    ("Name.Class", "f"),
    ("Name.Builtin", "b"),
    ("Name.Decorator", "b"),
    ("Name.Tag", "t"),
    ("Name.Attribute", "a"),
    ("Operator.Word", "k"),
    ("Generic.Inserted", "i"),
    ("Generic.Deleted", "d"),
    ("Generic.Heading", "k"),
    ("Generic.Subheading", "c"),
)
"""Names of Pygments' token types; the first that a type equals or belongs to sets its class."""


class HighlightToken(NamedTuple):
    """Some characters of a line; ``kind`` is the token's CSS class after "ipuaro-", or ""."""

    kind: str
    text: str


Line = tuple[HighlightToken, ...]


def highlighted(lines: Sequence[str], language: str, *, wanted: int | None = None) -> list[Line]:
    """Source lines as pieces; plain ones when the language is unknown or the text is long.

    Args:
        lines: Without line ends.
        language: A language's name, a file extension or a file's name.
        wanted: How many lines, from the first; None: all. The others are not returned, and are read
            only as far as a token that began earlier extends.
    """
    shown = [visible(line).replace("\n", "[U+000A]") for line in lines]
    plain: list[Line] = [(HighlightToken("", line),) for line in shown[:wanted]]
    lexer = _lexer(language)
    if lexer is None or sum(map(len, shown)) > MAX_CHARACTERS:
        return plain
    coloured = _split(_tokens(lexer, "\n".join(shown)), len(plain))
    same = ["".join(piece.text for piece in line) for line in coloured] == shown[:wanted]
    return coloured if same else plain


@lru_cache(maxsize=64)
def _lexer(language: str) -> "Lexer | None":
    if not language:
        return None
    from pygments.lexers import (  # noqa: PLC0415 - slow to import
        find_lexer_class_for_filename,
        get_lexer_by_name,
    )
    from pygments.util import ClassNotFound  # noqa: PLC0415 - the same

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        name = language if "." in language else f"file.{language}"
        found = find_lexer_class_for_filename(name.rpartition("/")[2])
        return found(stripnl=False, ensurenl=False) if found else None


def _tokens(lexer: "Lexer", text: str) -> Iterator[HighlightToken]:
    from pygments import lex  # noqa: PLC0415 - slow to import

    for token, value in lex(text, lexer):
        yield HighlightToken(_kind(token), value)


@cache
def _kind(token: Any) -> str:
    from pygments.token import string_to_tokentype  # noqa: PLC0415 - slow to import

    return next((name for kind, name in _CLASSES if token in string_to_tokentype(kind)), "")


def _split(pieces: Iterator[HighlightToken], wanted: int) -> list[Line]:
    """The first ``wanted`` lines of the pieces, consuming no more than that needs."""
    lines: list[list[HighlightToken]] = [[]]
    for kind, text in pieces:
        if len(lines) > wanted:
            break
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append(HighlightToken(kind, part))
    return [tuple(line) for line in lines[:wanted]]


def line_html(line: Line, marks: Sequence[tuple[int, int]] = ()) -> str:
    """A line as HTML.

    Args:
        line: Pieces, as `highlighted` returns them.
        marks: Character ranges to mark as changed words: start and end, the end excluded, sorted,
            not overlapping.
    """
    parts: list[str] = []
    at = 0
    for kind, text in line:
        inner = ""
        for start, end, marked in _cuts(at, at + len(text), marks):
            cut = html.escape(text[start - at : end - at])  # a part is visible if the line is
            inner += f"<mark>{cut}</mark>" if marked else cut
        parts.append(f'<span class="ipuaro-{kind}">{inner}</span>' if kind else inner)
        at += len(text)
    return "".join(parts)


def _cuts(
    start: int, end: int, marks: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, bool]]:
    """Cut the range at the borders of the marks; yield start, end and whether it is marked."""
    for mark_start, mark_end in marks:
        low, high = max(start, mark_start), min(end, mark_end)
        if low >= high:
            continue
        if start < low:
            yield start, low, False
        yield low, high, True
        start = high
    if start < end:
        yield start, end, False
