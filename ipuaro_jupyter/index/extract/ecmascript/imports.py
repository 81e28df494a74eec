"""Read imports, and calls and types that refer to a module."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from ipuaro_jupyter.index.extract.ecmascript.module_statements import read_import_text
from ipuaro_jupyter.index.extract.ecmascript.signatures import bound_pairs
from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.scope_stack import Facts, Frame, SourceBytes
from ipuaro_jupyter.languages.language import Node

_LOADS_AMONG_ERRORS = 250  # finding a node is slow in an error with thousands of children
_DEPTH = 3  # import_statement, import_clause, named_imports, import_specifier
_PATH_OF_TYPE = 8  # import("x").A.B.C
_BLANK = rb"(?>(?:\s|/\*(?>(?:[^*]|\*(?!/))*)\*/|//[^\n]*+\n)*)"
_OPENED = re.compile(rb"(?:\s*\.\s*(?:defer|source)\b)?" + _BLANK + rb"\(" + _BLANK + rb"['\"`]")
_STATEMENTS = frozenset(b" " + bytes([code]) for code in b"{*'\"abcdefghijklmnopqrstuvwxyz")
"""The bytes after ``import`` in most statements; no call has them."""
_TYPE = re.compile(rb"(?:typeof\s+)?import" + _BLANK + rb"\(" + _BLANK + rb"(['\"])([^'\"\n]+)\1")


def read_import(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read an import statement."""
    source = extraction.source
    line = node.start_point.row + 1
    told = read_import_text(source.data[start:end]) if extraction.has_details else None
    if told is not None:
        kind = "type" if told.is_type else "import" if told.names else "side-effect"
        names = [{"imported": imported, "local": local} for imported, local in told.names]
        extraction.facts["imports"].append(
            {"source": told.source, "line": line, "kind": kind, "names": names}
        )
        return
    frame = extraction.push("import", node, start, end)
    is_type = "type_only" in source.modifiers(node)
    frame.record = {
        "source": "",
        "line": line,
        "kind": "type" if is_type else "side-effect",
        "names": [],
    }
    if extraction.has_details:
        extraction.read_details(node, depth=_DEPTH)


def read_source(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read the module specifier of an import or export."""
    top = extraction.stack[-1]
    name = extraction.source.name(node)
    if top.kind == "import" and top.record is not None:
        top.record["source"] = name
        extraction.facts["imports"].append(top.record)
    elif top.kind == "export":
        add_re_export(extraction, top, name)


def add_re_export(extraction: Extraction, frame: Frame, source: str) -> None:
    """Add the import that a re-export implies."""
    names = [{"imported": export["local"], "local": export["name"]} for export in frame.specifiers]
    for export in frame.specifiers:
        export["source"] = source
    extraction.facts["imports"].append(
        {"source": source, "line": frame.line, "kind": "re-export", "names": names}
    )


def read_default(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read the local name of a default import."""
    _bind(extraction, "default", extraction.source.text(node))


def read_all(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read the local name of a namespace import."""
    _bind(extraction, "*", extraction.source.text(node))


def read_equals(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read the name in ``import name = require("x")``."""
    name, top = extraction.source.text(node), extraction.stack[-1]
    _bind(extraction, "*", name, kind="import-equals")
    if top.kind == "import" and not top.path and extraction.source.is_exported(top.start):
        extraction.export(name, node.start_point.row + 1, local=name)


def read_name(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read one name of an import."""
    source = extraction.source
    name, alias = source.child(node, "name"), source.child(node, "alias")
    if name is not None:
        imported = source.name(name)
        _bind(extraction, imported, source.name(alias) if alias is not None else imported)


def _bind(extraction: Extraction, imported: str, local: str, *, kind: str = "import") -> None:
    top = extraction.stack[-1]
    if top.kind == "import" and top.record is not None:
        top.record["names"].append({"imported": imported, "local": local})
        if top.record["kind"] == "side-effect" or kind == "import-equals":
            top.record["kind"] = kind


def read_alias(extraction: Extraction, node: Node, start: int, _end: int) -> None:
    """Read the name in ``import Name = Other.Name``."""
    frame, name = extraction.stack[-1], extraction.source.text(node)
    line = node.start_point.row + 1
    record: Facts = {
        "name": name,
        "qualified": f"{frame.path}.{name}" if frame.path else name,
        "line_start": line,
        "line_end": line,
        "kind": "const",
        "is_exported": frame.exported,
    }
    extraction.variables.append((start, record))
    extraction.remember(record, frame)
    extraction.places.append((record["qualified"], start))
    if frame.kind == "export" and not frame.path:
        extraction.export(name, line, local=name)


def loads(source: SourceBytes, root: Node) -> list[Node]:
    """The strings in calls that load a module, such as ``require("x")`` and ``import("x")``."""
    found = []
    limit = _LOADS_AMONG_ERRORS if root.has_error else None
    for name in source.tables.loaders:
        for start, end in islice(_calls(source.data, name.encode()), limit):
            string = root.descendant_for_byte_range(end - 1, end)
            while string is not None and string.end_byte == end:  # the quote alone
                string = string.parent
            arguments = string.parent if string is not None else None
            call = arguments.parent if arguments is not None else None
            parts = source.call(call) if call is not None else None
            if string and parts and parts[0].start_byte == start and parts[1] == arguments:
                found.append(string)
    return found


def _calls(data: bytes, name: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start of ``name`` and the end of the quote after its parenthesis."""
    size = len(name)
    start = data.find(name)
    while start >= 0:
        if data[start + size : start + size + 2] not in _STATEMENTS:
            found = _OPENED.match(data, start + size)
            if found is not None:
                yield start, found.end()
        start = data.find(name, start + size)


def add_patched(extraction: Extraction, ranges: Iterable[tuple[int, int]]) -> None:
    """Add the modules of ``import("x").T`` and ``typeof import("x")`` not seen as types."""
    data = extraction.source.data
    for start, end in ranges:
        found = _TYPE.match(data, start, end)
        if found is not None:
            name = found[2].decode()
            line = data.count(b"\n", 0, start) + 1
            extraction.facts["imports"].append(
                {"source": name, "line": line, "kind": "type-query", "names": []}
            )
    if ranges:
        extraction.facts["imports"].sort(key=lambda found: int(found["line"]))


def read_load(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read the module of a call that loads it, or of an import type."""
    source = extraction.source
    name = source.name(node)
    call = node.parent.parent if node.parent is not None else None
    parts = source.call(call) if call is not None else None
    if call is None or parts is None or "${" in name:
        return
    kind = source.tables.loaders[source.text(parts[0])]
    if _is_type(source, call):
        kind = "type-query"
    line, names = node.start_point.row + 1, _names_of_call(extraction, node)
    extraction.facts["imports"].append({"source": name, "line": line, "kind": kind, "names": names})


def _names_of_call(extraction: Extraction, node: Node) -> list[Facts]:
    """The names that ``const { a } = require("x")`` and the like bind, which are imports."""
    source, frame = extraction.source, extraction.stack[-1]
    if frame.kind != "binding":
        return []
    pattern, value = source.child(frame.node, "name"), source.child(frame.node, "value")
    if pattern is None or value is None or source.member(pattern) is not None:
        return []
    value = source.unwrapped(value)
    member = source.member(value)
    if member is not None:
        value = source.unwrapped(member[0])
    call = source.call(value)
    if call is None or call[1] != node.parent:
        return []
    extraction.claimed.add(frame.start)
    pairs = bound_pairs(source, pattern)
    if member is not None:
        pairs = [(source.text(member[1]), name) for key, name in pairs if key == "*"]
    return [{"imported": key, "local": name} for key, name in pairs]


def _is_type(source: SourceBytes, call: Node) -> bool:
    """Whether ``import("x").A.B`` is in the place of a type."""
    place = call.parent
    for _ in range(_PATH_OF_TYPE):
        if place is None or source.member(place) is None:
            break
        place = place.parent
    if place is None or place.type in source.tables.type_contexts:
        return place is not None
    return source.data.startswith(b"typeof", place.start_byte)  # typeof import("x")
