"""Find the top-level keys of JSON, comments, single quotes and bare words (JSON5) included.

No file is refused: broken parts are skipped, in time linear in the size of the file.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    rb'"(?>[^"\\\n]*(?:\\[^\n][^"\\\n]*)*)\\?(?:"|(?=\n)|\Z)'
    rb"|'(?>[^'\\\n]*(?:\\[^\n][^'\\\n]*)*)\\?(?:'|(?=\n)|\Z)"
    rb"|//[^\n]*+|/\*(?>[^*]*(?:\*(?!/)[^*]*)*)(?:\*/|\Z)"
    rb"|[{}\[\],:]|[^\s\"'{}\[\],:/]++|/"
)
_OPENING = (b"{", b"[")
_CLOSING = (b"}", b"]")
_SEPARATORS = (b",", *_CLOSING)
_QUOTES = (b'"', b"'")
_ESCAPE = re.compile(r"\\(.)")


class Key(NamedTuple):
    """A key: its decoded name, its byte offset, and the byte offset of its value's end."""

    name: str
    start: int
    end: int


def json_keys(
    data: bytes, start: int = 0, *, name: Callable[[bytes], str] | None = None
) -> Iterator[Key]:
    """Yield the keys of the objects at the top level of ``data``.

    Args:
        data: The file.
        start: Byte offset to begin at.
        name: Decodes a key as written; None: as JSON does. When given, a colon counts only before a
            blank or after a quote.
    """
    decode = name or _decoded
    key: tuple[str, int] | None = None  # has a colon
    first = -1  # start of a possible key
    end = start
    for token, at, stop, is_direct in _tokens(data, start):
        if is_direct and token in _SEPARATORS:
            if key is not None:
                yield Key(*key, end)
            key, first = None, -1
        elif is_direct and key is None:
            if token in _OPENING:
                first = -1
            elif first < 0:
                first = at
            elif token == b":" and (name is None or _is_colon(data, end, at)):
                key = decode(data[first:end]), first
        end = stop
    if key is not None:
        yield Key(*key, end)


def _tokens(data: bytes, start: int) -> Iterator[tuple[bytes, int, int, bool]]:
    """Yield each token with its offsets, and whether it is directly in a top-level object."""
    depth, inner = 0, b""
    for found in _TOKEN.finditer(data, start):
        token = found.group()
        if token.startswith((b"//", b"/*")):
            continue
        yield token, found.start(), found.end(), depth == 1 and inner == b"{"
        if token in _OPENING:
            depth += 1
            inner = token if depth == 1 else inner
        elif token in _CLOSING:
            depth = max(0, depth - 1)


def _is_colon(data: bytes, end: int, at: int) -> bool:
    """Whether the colon at ``at`` ends a YAML key; the token before it ends at ``end``."""
    return data[end - 1 : end] in _QUOTES or data[at + 1 : at + 2].isspace()


def flow_end(data: bytes, start: int, limit: int) -> int | None:
    """The offset where the bracket at ``start`` is closed; None when that is beyond ``limit``."""
    depth = 0
    for found in _TOKEN.finditer(data, start, limit):
        token = found.group()
        if token in _OPENING:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
            if depth == 0:
                return found.end()
    return None


def _decoded(token: bytes) -> str:
    """The name that a token stands for."""
    text = token.decode(errors="replace")
    if text[:1] == '"':
        try:
            name = str(json.loads(text))
        except ValueError:
            name = text.strip('"')
    elif text[:1] == "'":
        name = _ESCAPE.sub(r"\1", text.strip("'"))
    else:
        name = text
    return name.encode(errors="replace").decode()  # half of a surrogate pair cannot be encoded
