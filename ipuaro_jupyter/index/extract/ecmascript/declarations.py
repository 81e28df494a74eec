"""Read functions, methods and fields."""

from ipuaro_jupyter.index.extract.ecmascript.bindings import set_target
from ipuaro_jupyter.index.extract.ecmascript.signatures import (
    parameter_properties,
    parameters,
    type_text,
)
from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.naming import (
    binding_of,
    extend,
    name_declaration,
    name_value,
    set_lines,
)
from ipuaro_jupyter.index.extract.scope_stack import Facts, Frame
from ipuaro_jupyter.languages.language import Node

_HOLDERS = {"class", "class.broken", "interface", "type"}
_OF_FIELDS = {"interface", "type"}


def read_function(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a declaration of a function."""
    top = extraction.stack[-1]
    frame = extraction.push("function", node, start, end)
    own = extraction.source.child(node, "name")
    name_declaration(extraction, frame, top, own)
    frame.this = frame.path
    record = _function(extraction, frame, kind="function", own=own)
    record["is_exported"] = top.exported
    extraction.declare("functions", record, frame)
    _enter(extraction, frame, record)


def read_function_expression(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a function expression, named by its binding, else by itself, if at all."""
    own = extraction.source.child(node, "name")
    _read_value(extraction, node, start, end, kind="function", own=own)


def read_arrow(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read an arrow function, which has no name of its own."""
    if binding_of(extraction.stack[-1], start) is None:
        _enter(extraction, extraction.push("function", node, start, end), None)
        return
    _read_value(extraction, node, start, end, kind="arrow")


def _read_value(
    extraction: Extraction, node: Node, start: int, end: int, *, kind: str, own: Node | None = None
) -> None:
    stack = extraction.stack
    if own is not None and stack[-1].kind == "class.broken":
        stack.pop()  # a declaration, which ends the broken one
    bound = binding_of(stack[-1], start)
    frame = extraction.push("function", node, start, end)
    if not name_value(extraction, frame, bound, own):
        _enter(extraction, frame, None)
        return
    if kind == "function":
        frame.this = frame.path
    record = _function(extraction, frame, kind=kind, own=own)
    if bound is not None and bound.kind == "property" and bound.record is not None:
        record["is_static"] = bound.record["is_static"]
        bound.record["function"] = record
    else:
        record["is_exported"] = bound is not None and bound.exported
        extraction.declare("functions", record, frame)
    _enter(extraction, frame, record)


def _function(extraction: Extraction, frame: Frame, *, kind: str, own: Node | None) -> Facts:
    """The facts of a function whose frame is complete; ``own`` is the node of its own name."""
    source, node = extraction.source, frame.node
    modifiers = source.modifiers_before(own, node)
    if kind == "method" and modifiers:
        kind = next((word for word in ("getter", "setter") if word in modifiers), kind)
    return {
        "name": frame.name,
        "qualified": frame.path,
        "kind": kind,
        "line_start": frame.line,
        "line_end": frame.last_line,
        "params": parameters(source, node),
        "return_type": type_text(source, source.child(node, "return_type")),
        "is_async": "async" in modifiers,
        "is_generator": "generator" in modifiers,
        "is_exported": False,
        "is_static": "static" in modifiers,
        "is_abstract": "abstract" in modifiers,
        "has_body": source.child(node, "body") is not None,
        "cyclomatic": 1,
        "nesting": 0,
    }


def _enter(extraction: Extraction, frame: Frame, record: Facts | None) -> None:
    """Attribute everything inside the frame to its function."""
    frame.level += 1
    frame.base = len(extraction.blocks)
    frame.exported = False
    frame.function = record if record is not None else {"cyclomatic": 1, "nesting": 0}


def read_method(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a method of a class, interface, type alias or object."""
    source, top = extraction.source, extraction.stack[-1]
    frame = extraction.push("method", node, start, end)
    own = source.child(node, "name")
    extend(extraction, frame, own)
    holder = top.record if top.kind in _HOLDERS and start >= top.body else None
    set_lines(frame, top if holder is not None else None)
    record = _function(extraction, frame, kind="method", own=own)
    if holder is not None and frame.name in source.tables.constructors:
        record["kind"] = "constructor"
    if holder is None:
        extraction.declare("functions", record, frame)
    else:
        holder["methods"].append(record)
        extraction.place(frame)
        if record["kind"] == "constructor":
            for field, at in parameter_properties(source, node):
                holder["properties"].append(field)
                extraction.places.append((f"{top.path}.{field['name']}", at))
    _enter(extraction, frame, record)


def read_property(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a field of a class, interface or type alias."""
    source, top = extraction.source, extraction.stack[-1]
    name = source.child(node, "name")
    frame = extraction.push("property", node, start, end)
    if top.record is None or top.kind not in _HOLDERS or name is None:
        return
    extend(extraction, frame, name)
    set_lines(frame, top)
    value = source.child(node, "value")
    if value is not None:
        set_target(source, frame, value)
    modifiers = source.modifiers_before(name, node)
    frame.record = {
        "name": frame.name,
        "line_start": frame.line,
        "line_end": frame.last_line,
        "type": type_text(source, source.child(node, "type")),
        "is_static": "static" in modifiers,
        "is_readonly": "readonly" in modifiers,
        "function": None,
    }
    top.record["fields" if top.kind in _OF_FIELDS else "properties"].append(frame.record)
    extraction.place(frame)
