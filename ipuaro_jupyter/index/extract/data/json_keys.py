"""Find the top-level keys of JSON, also with comments, single quotes and bare words (JSON5).

Nothing is refused: what is broken is passed over, in time that grows with the size of the file.
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
    """A key: its name, decoded, and in bytes where it stands and where its value ends."""

    name: str
    start: int
    end: int


def json_keys(
    data: bytes, start: int = 0, *, name: Callable[[bytes], str] | None = None
) -> Iterator[Key]:
    """Yield the keys of the objects that are at the top of ``data``.

    Args:
        data: The file.
        start: Where to begin.
        name: Returns the name of a key as it is written; None: as in JSON. With another one, a
            colon counts only before a blank or behind a quote.
    """
    decode = name or _decoded
    key: tuple[str, int] | None = None  # has a colon
    first = -1  # where begins what may be a key
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
    """Yield each token with its place, and whether it is directly in an object at the top."""
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
    """Return whether the colon at a place ends a key of YAML, what is before ending at ``end``."""
    return data[end - 1 : end] in _QUOTES or data[at + 1 : at + 2].isspace()


def flow_end(data: bytes, start: int, limit: int) -> int | None:
    """Return where the bracket at ``start`` is closed; None when that is beyond ``limit``."""
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
    """Return the name that a token stands for."""
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
    return name.encode(errors="replace").decode()  # half of a surrogate pair is no text
