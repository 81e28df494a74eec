"""Find the markers in comments: TODO, FIXME, HACK, XXX, BUG and NOTE."""

import re
from typing import Any

_WORDS = "TODO|FIXME|HACK|XXX|BUG|NOTE"
MARKER = re.compile(_WORDS.encode())
"""The word of a marker, regardless of its surroundings."""
_NO_CAPITALS = bytes(code for code in range(256) if not 65 <= code <= 90)  # noqa: PLR2004 - A, Z
_BYTES = [word.encode() for word in _WORDS.split("|")]
_MARKER = re.compile(
    rf"(?<![\w$'\"`])(?P<type>{_WORDS})(?![\w$'\"`])"
    r"(?P<who>\s*\([^()\n]*\))?(?P<colon>\s*:)?"
)
_SIGNS = re.compile(r"[^\w'\"`]*")  # of the comment, of a list, of a tag: //, *, -, @
_AFTER = re.compile(r"[\s\-–—:!\]]*(?:\s|$)")  # noqa: RUF001 - dashes that people type
_CLOSING = re.compile(r"\s*(?:\*+/|--+!?>|%>)\s*\}?\s*$")


def has_markers(data: bytes) -> bool:
    """Whether the word of a marker may occur in ``data``: a cheap first look.

    True when its capital letters occur in a row, even inside another word.
    """
    capitals = data.translate(None, _NO_CAPITALS)
    return any(word in capitals for word in _BYTES)


def todos_of_comment(text: str, line: int) -> list[dict[str, Any]]:
    """Return the markers of one comment as dicts of `records.code.Todo`.

    A marker is a whole upper-case word that begins a line of the comment (after signs such as ``*``
    and ``-``) or is followed by ``:`` or ``(who)``.

    Args:
        text: The comment with its signs.
        line: The 1-based line of its first character.
    """
    found = []
    for number, part in enumerate(text.split("\n"), line):
        marker = _marker(part.rstrip("\r"))
        if marker is not None:
            kind, said = marker
            found.append({"line": number, "type": kind, "text": said})
    return found


def _marker(part: str) -> tuple[str, str] | None:
    """The type and text of the first marker in a line, or None."""
    for found in _MARKER.finditer(part):
        begins = _SIGNS.fullmatch(part, 0, found.start()) is not None
        inside = part[found.start() - 1 : found.start()] in {".", "-", "/"}  # of a path, a word
        if begins or ((found["who"] or found["colon"]) and not inside):
            after = _AFTER.match(part, found.end())
            text = part[after.end() if after else found.end() :]
            return found["type"], _CLOSING.sub("", text).strip()
    return None
