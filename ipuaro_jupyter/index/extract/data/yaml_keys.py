"""Find the top-level keys of YAML, line by line.

A top-level key begins a line, in the column of its document's first key. Templates (Helm, Jinja)
and errors are skipped; no file is refused, and the time is linear in its size.
"""

import re
from collections.abc import Iterator

from ipuaro_jupyter.index.extract.data.json_keys import Key, flow_end, json_keys

_FLOW_BYTES = 20_000  # how far the end of a flow value is searched for
_MOST_UNCLOSED = 20  # flow values in one file whose end was not found
_KEY_BYTES = 1024  # YAML's own limit
_BOM = b"\xef\xbb\xbf"
_MARK = re.compile(rb"^(?:---|\.\.\.)(?=\s|\Z)", re.MULTILINE)
_PROPERTIES = re.compile(rb"(?>(?:[&!][^\s,\[\]{}]*+[ \t]++)*)")
_DOUBLE = re.compile(rb'"((?>[^"\\]*(?:\\[\s\S][^"\\]*)*))"')
_SINGLE = re.compile(rb"'((?>[^']*(?:''[^']*)*))'")
_COLON = re.compile(rb"[ \t]*:(?=\s|\Z)")
_PLAIN_END = re.compile(rb":(?=\s|\Z)|(?<=[ \t])#|\n|\r")
_FIRST = re.compile(
    rb"(?>(?:[ \t\r\n]++|#[^\n]*+|\{\{[^\n]*+|(?<=[ \t])[&!][^\s,\[\]{}]*+(?=[ \t]))*)"
)
_SCALAR = (b"|", b">", b'"', b"'")
_NO_KEY = (b"#", b"- ", b"%", b"{", b"[", b"}", b"]", b",", b"*", b"|", b">", b"@", b"`", b": ")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r?\n[ \t]*|[\s\S])")
_ESCAPES = dict(zip("0abtnvfreN_LP", "\0\a\b\t\n\v\f\r\x1b\x85\xa0\u2028\u2029", strict=True))


def yaml_keys(data: bytes) -> Iterator[Key]:
    """Yield the keys of the top-level mappings of a file's documents."""
    begin = len(_BOM) if data.startswith(_BOM) else 0
    for end, following in [*_ends(data), (len(data), 0)]:
        for name, start, stop in _keys(data[begin:end]):
            yield Key(name, begin + start, begin + stop)
        begin = following


def _ends(data: bytes) -> list[tuple[int, int]]:
    """The (end, next start) offsets of the documents."""
    return [found.span() for found in _MARK.finditer(data)]


def _keys(data: bytes) -> Iterator[Key]:
    """Yield the keys of one document."""
    first = _FIRST.match(data)
    start = first.end() if first is not None else 0
    if data.startswith((b"{", b"["), start) and not data.startswith(b"{{", start):
        yield from json_keys(data, start, name=_flow_name)
        return
    if data.startswith(_SCALAR, start) and _key_at(data, start, _line_end(data, start)) is None:
        return
    yield from _block_keys(data)


def _block_keys(data: bytes) -> Iterator[Key]:
    """Yield the keys of a document that is a block mapping; nothing for any other."""
    column: int | None = None
    open_: tuple[str, int] | None = None
    position = end = unclosed = 0
    while position < len(data):
        stop = _line_end(data, position)
        line = data[position:stop].rstrip()
        text = line.lstrip(b" ")
        indent = len(line) - len(text)
        is_level = text and (column is None or indent == column)
        found = _key_at(data, position + indent, stop) if is_level else None
        if found is not None:
            if open_ is not None:
                yield Key(*open_, end)
            open_, column = found[:2], indent
            value_end = _value_end(data, found[2], stop) if unclosed < _MOST_UNCLOSED else stop
            unclosed += value_end is None
            stop = value_end or stop
        if text and not text.startswith(b"#"):
            end = position + len(data[position:stop].rstrip())
        position = stop + 1
    if open_ is not None:
        yield Key(*open_, end)


def _line_end(data: bytes, position: int) -> int:
    """The end of the line that ``position`` is in."""
    stop = data.find(b"\n", position)
    return len(data) if stop < 0 else stop


def _key_at(data: bytes, start: int, stop: int) -> tuple[str, int, int] | None:
    """A key in a line: its name, its offset and the offset after the colon; None without one."""
    stop_key = min(stop, start + _KEY_BYTES)
    if data.startswith(b"? ", start):
        start += 2
    properties = _PROPERTIES.match(data, start, stop_key)
    start = properties.end() if properties is not None else start
    for pattern, decode in ((_DOUBLE, _double), (_SINGLE, _single)):
        quoted = pattern.match(data, start, stop_key)
        if quoted is not None:
            colon = _COLON.match(data, quoted.end(), stop_key)
            is_key = colon is not None or data.startswith(b"? ", start - 2)
            after = colon.end() if colon is not None else quoted.end()
            return (decode(quoted[1]), start + 1, after) if is_key else None
    if data.startswith(_NO_KEY, start) or data[start:stop] in (b"-", b"?", b":"):
        return None
    found = _PLAIN_END.search(data, start, stop_key)
    at = found.start() if found is not None else stop
    is_explicit = data.startswith(b"? ", max(0, start - 2))
    if not is_explicit and (found is None or found.group() != b":"):
        return None
    name = data[start:at].strip()
    if not name or b"{{" in name or name[:1] in (b'"', b"'"):
        return None
    return name.decode(errors="replace"), start, min(at + 1, stop)


def _value_end(data: bytes, after: int, stop: int) -> int | None:
    """The end of the line in which the value after a colon ends.

    None when the end of a quote or bracket is not found.
    """
    value = after + len(data[after:stop]) - len(data[after:stop].lstrip())
    limit = min(len(data), value + _FLOW_BYTES)
    end: int | None = stop
    if data.startswith((b'"', b"'"), value):
        pattern = _DOUBLE if data.startswith(b'"', value) else _SINGLE
        quoted = pattern.match(data, value, limit)
        end = quoted.end() if quoted is not None else None
    elif data.startswith((b"{", b"["), value) and not data.startswith(b"{{", value):
        end = flow_end(data, value, limit)
    if end is None or end <= stop:
        return None if end is None else stop
    return _line_end(data, end)


def _flow_name(written: bytes) -> str:
    """The name of a key in a flow mapping."""
    written = written.removeprefix(b"? ")
    for pattern, decode in ((_DOUBLE, _double), (_SINGLE, _single)):
        quoted = pattern.fullmatch(written)
        if quoted is not None:
            return decode(quoted[1])
    return written.decode(errors="replace")


def _double(text: bytes) -> str:
    """The decoded content of a double-quoted string."""

    def replaced(found: re.Match[str]) -> str:
        sign = found[1]
        if sign[0] in "xuU" and len(sign) > 1:
            code = int(sign[1:], 16)
            return chr(code) if code < 0x110000 else "\ufffd"  # noqa: PLR2004 - the end of Unicode
        return _ESCAPES.get(sign, "" if sign[-1] == "\n" or sign[0] in "\r\n" else sign)

    name = _ESCAPE.sub(replaced, text.decode(errors="replace"))
    return name.encode(errors="replace").decode()


def _single(text: bytes) -> str:
    """The decoded content of a single-quoted string."""
    return text.decode(errors="replace").replace("''", "'")
