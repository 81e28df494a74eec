"""Read the exports of a CommonJS module: assignments, and calls that compilers emit."""

from collections.abc import Iterator, Mapping
from itertools import islice

from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.scope_stack import Frame, SourceBytes
from ipuaro_jupyter.languages.language import Node

_ANNOUNCED = {"void 0", "undefined"}
_CHAINED = 60
_MOST_CALLS = 10_000


def export_values(extraction: Extraction) -> None:
    """Add the exports of values; ``exports.a = void 0`` only announces a later ``a``."""
    source, modules = extraction.source, _required_names(extraction)
    defined = {name for name in _export_definitions(extraction, modules) if name}
    announced = []
    for frame, name, given in extraction.exported_values:
        value = _last_value(source, given)
        if name and source.text(value) in _ANNOUNCED:
            announced.append((frame, name, value))
        else:
            defined.add(name or "default")
            _export_value(extraction, frame, name, value, modules)
    for frame, name, value in announced:
        if name not in defined:
            _export_value(extraction, frame, name, value, modules)


def _last_value(source: SourceBytes, value: Node) -> Node:
    """The value at the end of a chain such as ``exports.a = exports.b = value``."""
    for _ in range(_CHAINED):
        value = source.unwrapped(value)
        inner = source.child(value, "value")
        if inner is None or source.child(value, "name") is None:
            break
        value = inner
    return value


def _required_names(extraction: Extraction) -> dict[str, str]:
    """The modules of ``const name = require("x")``, by name."""
    return {
        name["local"]: found["source"]
        for found in extraction.facts["imports"]
        if found["kind"] == "require"
        for name in found["names"]
        if name["imported"] == "*"
    }


def _export_value(
    extraction: Extraction, frame: Frame, name: str, value: Node, modules: Mapping[str, str]
) -> None:
    """Add the export made by ``export default``, ``module.exports =`` or ``exports.a =``.

    Args:
        extraction: The facts so far.
        frame: The frame of the export or assignment.
        name: The exported name; "" for the whole CommonJS module.
        value: The exported value.
        modules: The required modules, by local name.
    """
    source, line = extraction.source, frame.line
    exported = name or "default"
    member = source.member(value)
    if member is not None and name != "default" and source.text(member[0]) in modules:
        required = modules[source.text(member[0])]
        extraction.export(exported, line, local=source.text(member[1]), source=required)
        return
    if value.type in source.tables.pattern_leaves:
        extraction.export(exported, line, local=source.text(value))
    elif frame.claimed:
        local = frame.given if frame.given != "default" else None
        extraction.export(exported, line, local=local)
    elif (module := _required(source, value)) is not None and name != "default":
        extraction.export(name or "*", line, local="*", source=module)
    elif not name and value.type in source.tables.objects:
        _export_properties(extraction, value)
    elif exported == "default":
        extraction.export(exported, line)
    else:
        extraction.export(exported, line, local=name)
        _declare_exported(extraction, frame, name)


def _declare_exported(extraction: Extraction, frame: Frame, name: str) -> None:
    """Add the variable that ``exports.a = 1`` declares."""
    if name not in extraction.tops:
        record = {
            "name": name,
            "qualified": name,
            "line_start": frame.line,
            "line_end": frame.last_line,
            "kind": "variable",
            "is_exported": True,
        }
        extraction.variables.append((frame.start, record))
        extraction.remember(record, extraction.stack[0])
        extraction.places.append((name, frame.name_at))


def _export_properties(extraction: Extraction, value: Node) -> None:
    """Add the exports of ``module.exports = { … }``."""
    source = extraction.source
    for child in value.named_children:
        line = child.start_point.row + 1
        if child.type in source.tables.spreads:
            module = _required(source, source.unwrapped(child.named_children[0]))
            if module is not None:
                extraction.export("*", line, local="*", source=module)
            continue
        key, given = source.child(child, "name"), source.child(child, "value")
        if key is None:
            if child.type in source.tables.shorthands:
                extraction.export(source.text(child), line, local=source.text(child))
            continue
        name = source.name(key)
        local = source.text(given) if given and given.type in source.tables.pattern_leaves else name
        module = _required(source, given) if given is not None else None
        extraction.export(name, line, local="*" if module else local, source=module)


def _required(source: SourceBytes, value: Node) -> str | None:
    """The module in ``require("x")``; None for any other expression."""
    call = source.call(value)
    if call is None or source.text(call[0]) not in source.tables.loaders:
        return None
    given = call[1].named_children
    return source.name(given[0]) if len(given) == 1 and _is_string(source, given[0]) else None


def _is_string(source: SourceBytes, node: Node) -> bool:
    return source.data[node.start_byte] in b"'\"`"


def _export_definitions(extraction: Extraction, modules: Mapping[str, str]) -> Iterator[str]:
    """Add the exports of calls: ``Object.defineProperty(exports, "a", …)`` and the like.

    Yields:
        The names that were exported.
    """
    source = extraction.source
    root = extraction.stack[0].node
    for found in islice(source.tables.export_call.finditer(source.data), _MOST_CALLS):
        callee = root.descendant_for_byte_range(*found.span("callee"))
        call = callee.parent if callee is not None else None
        if call is not None and source.member(call) is not None:  # tslib.__exportStar
            call = call.parent
        parts = source.call(call) if call is not None else None
        if call is None or parts is None or parts[0].end_byte != found.end("callee"):
            continue
        given = [child for child in parts[1].named_children if not child.is_extra]
        line = call.start_point.row + 1
        if found["definer"]:
            yield _define_export(extraction, given, line, modules)
        else:
            for module in (_required(source, value) for value in given):
                if module is not None:
                    extraction.export("*", line, local="*", source=module)


def _define_export(
    extraction: Extraction, given: list[Node], line: int, modules: Mapping[str, str]
) -> str:
    """Add the export of ``(exports, "name", { get: () => local })``; return its name."""
    source = extraction.source
    if len(given) != len(("exports", "name", "how")) or not _is_string(source, given[1]):
        return ""
    name = source.name(given[1])
    if (
        source.text(given[0]) not in source.tables.export_objects
        or name in source.tables.unexported
    ):
        return ""
    value = _defined_value(source, given[2])
    member = source.member(value) if value is not None else None
    if member is not None and source.text(member[0]) in modules:
        module = modules[source.text(member[0])]
        extraction.export(name, line, local=source.text(member[1]), source=module)
    elif value is not None and value.type in source.tables.pattern_leaves:
        extraction.export(name, line, local=source.text(value))
    else:
        extraction.export(name, line, local=name)
    return name


def _defined_value(source: SourceBytes, how: Node) -> Node | None:
    """The value in a property descriptor, or the one its getter returns."""
    for child in how.named_children:
        key = source.child(child, "name")
        role = source.name(key) if key is not None else ""
        value = source.child(child, "value")
        if role == "value":
            return value
        if role == "get":
            body = source.child(value if value is not None else child, "body")
            if body is None or source.data[body.start_byte] not in b"{":
                return body
            inner = body.named_children[0] if body.named_child_count == 1 else None
            return inner.named_children[0] if inner and inner.named_child_count == 1 else None
    return None
