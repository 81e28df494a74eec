"""Find the top-level keys of JSON, also with comments, single quotes and bare words (JSON5).

Nothing is refused: what is broken is passed over, in time that grows with the size of the file.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    rb'"(?:[^"\\\n]|\\[^\n])*+\\?(?:"|(?=\n)|\Z)'
    rb"|'(?:[^'\\\n]|\\[^\n])*+\\?(?:'|(?=\n)|\Z)"
    rb"|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
    rb"|[{}\[\],:]|[^\s\"'{}\[\],:/]++|/"
)
_ESCAPE = re.compile(r"\\(.)")


class Key(NamedTuple):
    """A key: its name, decoded, and in bytes where it stands and where its value ends."""

    name: str
    start: int
    end: int


def json_keys(data: bytes, start: int = 0) -> Iterator[Key]:
    """Yield the keys of the objects that are at the top of ``data``, from ``start`` on."""
    depth, inner = 0, ""
    key: tuple[str, int] | None = None  # has a colon
    last: tuple[bytes, int] | None = None  # may be a key
    end = start
    for found in _TOKEN.finditer(data, start):
        token = found.group()
        if token.startswith((b"//", b"/*")):
            continue
        if depth == 1 and inner == "{" and token in (b",", b"}", b"]"):
            if key is not None:
                yield Key(*key, end)
            key = last = None
        elif depth == 1 and token == b":" and last is not None and key is None:
            key = _decoded(last[0]), last[1]
        elif depth == 1 and key is None:
            last = None if token in (b"{", b"[") else (token, found.start())
        if token in (b"{", b"["):
            depth += 1
            inner = token.decode() if depth == 1 else inner
        elif token in (b"}", b"]"):
            depth = max(0, depth - 1)
        end = found.end()
    if key is not None:
        yield Key(*key, end)


def flow_end(data: bytes, start: int, limit: int) -> int | None:
    """Return where the bracket at ``start`` is closed; None when that is beyond ``limit``."""
    depth = 0
    for found in _TOKEN.finditer(data, start, limit):
        token = found.group()
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
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
