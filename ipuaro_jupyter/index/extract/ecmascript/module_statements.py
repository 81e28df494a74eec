"""Read simple imports and exports of ECMAScript from their text.

Most are simple: their names are words, with no comment between them. For all others the result is
None, and the syntax tree must be used.
"""

import re
from typing import NamedTuple

_NAME = rb"[A-Za-z_$][\w$]*"
_MODULE = rb"(?P<quote>['\"])(?P<source>[^'\"\\\s]*)(?P=quote)"
_NAMED = re.compile(rb"import (type )?\{([\w$,\s]*)\} from (?:'([^'\"\\\s]*)'|\"([^'\"\\\s]*)\");?")
_IMPORT = re.compile(
    rb"import\b\s*(?:(?P<type>type\b)\s*(?!from\s*['\"]))?"
    rb"(?:(?P<default>" + _NAME + rb")\s*(?:,\s*|(?=from\b)))?"
    rb"(?:\*\s*as\s+(?P<all>" + _NAME + rb")\s*|\{(?P<names>[\w$,\s]*)\}\s*)?"
    rb"(?:from\b\s*)?" + _MODULE + rb"\s*;?"
)
_EXPORT = re.compile(
    rb"export\b\s*(?:type\b\s*)?(?:\*(?:\s*as\s+(?P<all>" + _NAME + rb"))?|"
    rb"\{(?P<names>[\w$,\s]*)\})\s*(?:from\b\s*" + _MODULE + rb")?\s*;?"
)
_DECLARATION = re.compile(
    rb"export\s+(?:declare\s+)?(?:type\s+" + _NAME + rb"\s*[=<]|(?:const|let|var|function|class|"
    rb"async\s+function|abstract\s+class|interface|enum|namespace)\b)"
)

Pairs = list[tuple[str, str]]


class ImportStatement(NamedTuple):
    """An import statement: its module, whether it is type-only, and its bindings."""

    source: str
    is_type: bool
    names: Pairs


class ExportList(NamedTuple):
    """The content of ``export {…}`` or ``export *``: each local name and its exported name.

    ``lines`` are those of the names, 0-based, from the start of the statement. ``source`` is None
    when the names are the file's own.
    """

    names: Pairs
    lines: list[int]
    source: str | None


def read_import_text(text: bytes) -> ImportStatement | None:
    """Parse an import statement; None when it is not simple."""
    found = _NAMED.fullmatch(text)
    if found is not None:
        type_, listed, single, double = found.groups()
        default, all_, source = None, None, single or double or b""
    else:
        found = _IMPORT.fullmatch(text)
        if found is None:
            return None
        type_, default, all_, listed, _, source = found.groups()
    pairs = [] if listed is None else _pairs(listed.decode())
    if pairs is None:
        return None
    if default is not None:
        pairs.insert(0, ("default", default.decode()))
    if all_ is not None:
        pairs.append(("*", all_.decode()))
    return ImportStatement(source.decode(), type_ is not None, pairs)


def read_export_text(text: bytes) -> ExportList | None:
    """Parse an export statement without a declaration; None when it is not simple."""
    found = _EXPORT.fullmatch(text)
    if found is None:
        return None
    all_, listed, _, source = found.groups()
    module = None if source is None else source.decode()
    if listed is None:
        return ExportList([("*", "*" if all_ is None else all_.decode())], [0], module)
    pairs = _pairs(listed.decode())
    if pairs is None:
        return None
    return ExportList(pairs, _lines(text, *found.span("names"), count=len(pairs)), module)


def is_declaration(data: bytes, start: int) -> bool:
    """Whether the export at ``start`` certainly contains a declaration."""
    return _DECLARATION.match(data, start) is not None


def _pairs(listed: str) -> Pairs | None:
    """The names before and after each ``as``; None when an item is not simple."""
    names = listed.replace(",", " ").split()
    if "as" not in names and "type" not in names:
        return list(zip(names, names, strict=True))
    pairs = []
    for item in listed.split(","):
        words = item.split()
        if len(words) > 1 and words[0] == "type":
            words = words[1:]
            if "as" in (words[0], words[-1]):  # the meaning of `as` depends on what follows
                return None
        if len(words) == 1:
            pairs.append((words[0], words[0]))
        elif len(words) == len(("a", "as", "b")) and words[1] == "as":
            pairs.append((words[0], words[2]))
        elif words:
            return None
    return pairs


def _lines(text: bytes, start: int, end: int, *, count: int) -> list[int]:
    """Return the lines of the items of a list in a text."""
    line = text.count(b"\n", 0, start)
    if text.find(b"\n", start, end) < 0:
        return [line] * count
    lines = []
    for item in text[start:end].split(b","):
        name = item.lstrip()
        if name:
            lines.append(line + item.count(b"\n", 0, len(item) - len(name)))
        line += item.count(b"\n")
    return lines
