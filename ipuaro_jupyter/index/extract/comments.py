"""Find the comments of a file without a grammar, by its language's comment signs."""

import re
from collections.abc import Iterator
from functools import lru_cache

from ipuaro_jupyter.languages.tables import Comments

_MULTILINE_QUOTE = 3  # `"""`: a string in these may span lines


def comments_of(text: str, signs: Comments) -> Iterator[tuple[int, str]]:
    """Yield the 1-based line and the text of each comment, signs included.

    Comment signs inside a string do not count, as far as strings are simple: a string ends with its
    line unless its quotes are multi-line ones, and embedded expressions are not understood.
    """
    if not (signs.line or signs.block):
        return
    line, position = 1, 0
    for found in _scanner(signs).finditer(text):
        if found.lastgroup == "comment":
            line += text.count("\n", position, found.start())
            position = found.start()
            yield line, found.group()


@lru_cache(maxsize=64)
def _scanner(signs: Comments) -> re.Pattern[str]:
    """Return a pattern that matches strings and, in the group ``comment``, comments."""
    blank = r"(?<!\S)" if signs.after_blank else ""
    word = r"(?<!\w)" if signs.after_blank else ""
    comments = [
        *(rf"{re.escape(start)}[\s\S]*?(?:{re.escape(end)}|\Z)" for start, end in signs.block),
        *(rf"{blank}{re.escape(sign)}[^\n]*" for sign in signs.line),
    ]
    strings = [
        rf"{word}{re.escape(start)}(?:\\[\s\S]|(?!{re.escape(end)}){_inside(start)})*{re.escape(end)}"
        for start, end in signs.strings
    ]
    return re.compile("|".join([f"(?P<comment>{'|'.join(comments)})", *strings]))


def _inside(quote: str) -> str:
    """The pattern for the inside of a string that begins with ``quote``."""
    spans_lines = len(quote) >= _MULTILINE_QUOTE or quote == "`"
    return r"[^\\]" if spans_lines else r"[^\n\\]"
