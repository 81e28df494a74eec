"""Find the comments of a file without a grammar, by the signs that its language uses."""

import re
from collections.abc import Iterator
from functools import lru_cache

from ipuaro_jupyter.languages.tables import Comments

_MULTILINE_QUOTE = 3  # of as many characters: """ may go on over lines


def comments_of(text: str, signs: Comments) -> Iterator[tuple[int, str]]:
    """Yield the 1-based line and the text of each comment, signs included.

    What looks like a comment inside a string is none, as far as strings are simple: a string ends
    with its line unless its quotes say otherwise, and nothing is known of what is embedded.
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
    """Return what may stand in a string that begins with ``quote``."""
    spans_lines = len(quote) >= _MULTILINE_QUOTE or quote == "`"
    return r"[^\\]" if spans_lines else r"[^\n\\]"
