"""The mentions in a question, such as ``@path:10-20``, ``@Symbol``, ``@error`` and ``@cell:3``.

What is code, an address or a quotation is no mention; whether a mention names something is decided
by `attaching`.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from ipuaro_jupyter.agent.context.answer_mentions import ENDINGS

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(
    r"^[ \t]*/\*.*?\*/|^[ \t]*/\*\*[^\n]*(?:\n[ \t]*\*[^\n]*)*|<!--.*?-->", re.MULTILINE | re.DOTALL
)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_TAG_LINE = re.compile(
    r"^[ \t]+\*[ \t]+@(?!(?:error|diff|cell)\b)[a-z]+(?![\w./:\\-]).*$", re.MULTILINE
)  # of a comment without its beginning
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{0,19}://\S+|\bmailto:\S+")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)")
_DECORATOR = re.compile(
    r"^[ \t]*@[\w.$]+(?:\([^\n]*)?[ \t]*\n"
    r"(?=[ \t]*(?:@[\w.$]+(?:\([^\n]*)?[ \t]*\n|(?:export[ \t]+)?(?:default[ \t]+)?"
    r"(?:(?:public|abstract|final)[ \t]+)?class[ \t]+\w+[^\n]*[:{(]"
    r"|(?:async[ \t]+)?def[ \t]+\w+\())",
    re.MULTILINE,
)
_WIDE_SIGNS = "\uff0c\u3002\u3001\uff1b\uff1a\uff1f\uff01"  # commas, stops and the like
_AT = re.compile(
    r'@(?:"(?P<quoted>[^"\n]{1,500})"(?P<at>[:#][\dL:-]*)?'
    rf'|(?P<run>[^\s"`<>|*?,;{_WIDE_SIGNS}]{{1,500}}))'
)
_CALLED = re.compile(r"([\w.$]+)\(")
_LINES = re.compile(r"(?::L?|#L)(?P<a>\d{1,7})(?:(?::\d+)?-L?(?P<b>\d{1,7})(?::\d+)?|:\d+)?$")
_SYMBOL = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[\w$]+)*")
_ENDS = ".:!)]}'*_~\u00bb\u201d\u2019\u2026\uff09\u3011\u300d\u300f\u300b"
_CELL = re.compile(r"cell:(\d{1,9})")
_BEFORE_NOT = frozenset("_.@/\\$-+%&=#:`~")
_STRINGS = frozenset("\"'")
_MOST = 60  # the others are text


class Mention(NamedTuple):
    """A mention in a question.

    Attributes:
        text: As typed, with its ``@``.
        readings: What may be meant, the longest reading first: what follows may be punctuation.
        is_quoted: Whether the name is in quotes, and so a path.
        is_code: Whether it stands like code: then it is one only if it names something.
    """

    text: str
    readings: tuple["MentionReading", ...]
    is_quoted: bool = False
    is_code: bool = False


class MentionReading(NamedTuple):
    """A name with its lines, 1-based, the last one included; ``typed`` is how it was written."""

    typed: str
    name: str
    first: int | None = None
    last: int | None = None

    @property
    def cell(self) -> int | None:
        """The number of a cell; None for anything else."""
        found = _CELL.fullmatch(self.typed)
        return int(found[1]) if found else None

    @property
    def is_name(self) -> bool:
        """Whether it has the form of a symbol's name."""
        return _SYMBOL.fullmatch(self.name.removesuffix("()")) is not None

    @property
    def is_symbol(self) -> bool:
        """Whether it may be the name of a symbol, which takes no lines."""
        return self.first is None and self.is_name

    @property
    def symbol(self) -> str:
        """The name as the index writes that of a symbol."""
        return re.sub(r"::|#", ".", self.name.removesuffix("()"))

    @property
    def is_path(self) -> bool:
        """Whether it has the form of a path: a slash, or the ending of a file."""
        _, dot, ending = self.name.rpartition(".")
        return "/" in self.name or "\\" in self.name or (bool(dot) and ending.lower() in ENDINGS)


def question_mentions(question: str) -> Iterator[Mention]:
    """Yield what looks like a mention, in order, each text once.

    Left out are code spans and blocks, comments, quoted lines, addresses, and decorators above a
    declaration.
    """
    text = question
    for pattern in (_FENCE, _COMMENT, _QUOTED_LINE, _TAG_LINE, _URL, _SPAN, _DECORATOR):
        text = pattern.sub(_blanks, text)
    seen: set[str] = set()
    for found in _AT.finditer(text):
        if not _begins_word(text, found.start()) or len(seen) >= _MOST:
            continue
        mention = _mention(text, found)
        if mention is not None and mention.text not in seen:
            seen.add(mention.text)
            yield mention


def _blanks(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _begins_word(text: str, start: int) -> bool:
    """Whether a sign begins a word: scripts without blanks between words may precede it."""
    before = text[start - 1 : start]
    if not before or before.isspace():
        return True
    return before not in _BEFORE_NOT and (not before.isalnum() or _is_wide(before))


def _is_wide(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) in "WF" or "\u0e00" <= letter <= "\u0eff"


def _mention(text: str, found: re.Match[str]) -> Mention | None:
    if (quoted := found["quoted"]) is not None:
        at = found["at"] or ""
        read = _reading(f"{quoted}{at.rstrip(':-')}")
        return Mention(found[0].rstrip(":-"), (read,), is_quoted=True)
    readings = tuple(dict.fromkeys(_readings(found["run"])))
    if not readings:
        return None
    shortest = readings[-1]
    is_called = _CALLED.match(found["run"]) is not None
    is_string = text[: found.start()][-1:] in tuple(_STRINGS)
    return Mention(f"@{shortest.typed}", readings, is_code=is_called or is_string)


def _readings(run: str) -> Iterator[MentionReading]:
    """Yield the readings of the text behind a sign, from the whole to its beginning."""
    if not re.match(r"[\w./~\\(\[$#-]", run):
        return
    yield _reading(run)
    bare = run.rstrip(_ENDS)
    called = _CALLED.match(bare)
    owned = re.sub(r"['\u2019]\w*$", "", bare)
    for short in (bare, owned, called[1] if called else ""):
        if short:
            yield _reading(short.rstrip(_ENDS) or short)
    narrow = next((at for at, one in enumerate(bare) if _is_wide(one)), 0)
    if narrow and bare[narrow - 1].isalnum():
        yield _reading(bare[:narrow])


def _reading(typed: str) -> MentionReading:
    lines = _LINES.search(typed)
    if lines is None:
        return MentionReading(typed, typed)
    first, last = int(lines["a"]), int(lines["b"] or lines["a"])
    return MentionReading(typed, typed[: lines.start()], min(first, last), max(first, last))
