"""Read declarations: functions, classes and their members, interfaces, enums, types, namespaces."""

from ipuaro_jupyter.index.bindings import binding_of, from_value
from ipuaro_jupyter.index.frames import Facts, Frame
from ipuaro_jupyter.index.signatures import parameter_properties, parameters, type_text
from ipuaro_jupyter.index.sweep import Sweep
from ipuaro_jupyter.languages.language import Node

_CLASSES = {"class", "class.broken"}
_HOLDERS = {*_CLASSES, "interface"}


def read_function(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read a declaration of a function."""
    top = sweeping.stack[-1]
    frame = sweeping.push("function", node, start, end)
    name_node = sweeping.source.child(node, "name")
    name = sweeping.source.name(name_node) if name_node is not None else "default"
    if name_node is None and not top.exported:
        _enter(sweeping, frame, None)
        return
    extend(frame, name)
    frame.this = frame.path
    set_lines(frame, node, top)
    _declare_function(sweeping, frame, node, "function", top)
    declare_export(sweeping, top, name, frame.line)


def read_function_expression(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read a function that is a value: it has the name it is bound to, or its own, or none."""
    _read_value(sweeping, node, start, end, kind="function")


def read_arrow(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read a function that is a value and has no name of its own."""
    _read_value(sweeping, node, start, end, kind="arrow")


def _read_value(sweeping: Sweep, node: Node, start: int, end: int, *, kind: str) -> None:
    stack, source = sweeping.stack, sweeping.source
    if stack[-1].kind == "class.broken":
        stack.pop()
    top = stack[-1]
    bound = binding_of(top, start)
    frame = sweeping.push("function", node, start, end)
    own = source.child(node, "name") if kind == "function" else None
    if bound is None and own is None:
        _enter(sweeping, frame, None)
        return
    if bound is not None and not (own is not None and bound.name in {"", "default"}):
        frame.path, frame.name = bound.path, bound.name or "default"
        frame.path = frame.path or "default"
    elif own is not None:
        frame.path = bound.outer if bound is not None else frame.path
        extend(frame, source.name(own))
    if kind == "function":
        frame.this = frame.path
    holder = bound if bound is not None else frame
    if bound is None:
        set_lines(frame, node, None)
    frame.line, frame.last_line, frame.exported = holder.line, holder.last_line, holder.exported
    if bound is not None:
        bound.claimed, bound.given = True, frame.path
        sweeping.claimed.add(bound.start)
    if bound is not None and bound.kind == "property" and bound.record is not None:
        bound.record["function"] = _function(sweeping, frame, node, kind)
        _enter(sweeping, frame, bound.record["function"])
        return
    _declare_function(sweeping, frame, node, kind, bound)


def _declare_function(
    sweeping: Sweep, frame: Frame, node: Node, kind: str, around: Frame | None
) -> None:
    """Add a function that belongs to no class."""
    record = _function(sweeping, frame, node, kind)
    record["is_exported"] = around is not None and around.exported
    sweeping.declare("functions", record, frame)
    _enter(sweeping, frame, record)


def _function(sweeping: Sweep, frame: Frame, node: Node, kind: str) -> Facts:
    """Return the facts of a function whose frame is complete."""
    source = sweeping.source
    words = source.words(node)
    return {
        "name": frame.name,
        "qualified": frame.path,
        "kind": kind,
        "line_start": frame.line,
        "line_end": frame.last_line,
        "params": parameters(source, node),
        "return_type": type_text(source, source.child(node, "return_type")),
        "is_async": source.has(words, "async"),
        "is_generator": source.has(words, "generator"),
        "is_exported": False,
        "is_static": source.has(words, "static"),
        "is_abstract": source.has(words, "abstract"),
        "has_body": source.child(node, "body") is not None,
        "cyclomatic": 1,
        "nesting": 0,
    }


def _enter(sweeping: Sweep, frame: Frame, record: Facts | None) -> None:
    """Let what follows inside the frame count for its function."""
    frame.level += 1
    frame.base = len(sweeping.blocks)
    frame.exported = False
    frame.function = record if record is not None else {"cyclomatic": 1, "nesting": 0}


def extend(frame: Frame, name: str) -> None:
    """Name what the frame holds, inside the path around it."""
    frame.name = name.rpartition(".")[2] if name[:1] not in "['\"" else name
    frame.path = f"{frame.path}.{name}" if frame.path else name


def set_lines(frame: Frame, node: Node, around: Frame | None) -> None:
    """Set the lines of a declaration: from ``export`` or a decorator on."""
    frame.line = node.start_point.row + 1
    frame.last_line = node.end_point.row + 1
    if around is not None and around.kind == "export":
        frame.line = around.line
        frame.last_line = max(frame.last_line, around.last_line)
    elif around is not None and around.decorated:
        frame.line = around.decorated
        around.decorated = 0


def declare_export(sweeping: Sweep, around: Frame, name: str, line: int) -> None:
    """Add the export of a declaration that stands directly in an export statement."""
    if around.kind == "export" and around.exported and around.level == 0 and not around.path:
        is_default = around.name == "default"
        local = None if is_default and name == "default" else name
        sweeping.export("default" if is_default else name, line, local=local)


def read_method(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read a method of a class, interface or object."""
    source, top = sweeping.source, sweeping.stack[-1]
    name_node = source.child(node, "name")
    frame = sweeping.push("method", node, start, end)
    words = source.words(node)
    is_member = top.kind in _HOLDERS and start >= top.body and top.record is not None
    extend(frame, source.name(name_node) if name_node is not None else "default")
    frame.name = source.name(name_node) if name_node is not None else "default"
    set_lines(frame, node, top if is_member else None)
    kind = "method"
    if source.has(words, "getter"):
        kind = "getter"
    elif source.has(words, "setter"):
        kind = "setter"
    elif is_member and frame.name in source.tables.constructors:
        kind = "constructor"
    record = _function(sweeping, frame, node, kind)
    if is_member and top.record is not None:
        top.record["methods"].append(record)
        if kind == "constructor" and "properties" in top.record:
            top.record["properties"] += parameter_properties(source, node)
    else:
        sweeping.declare("functions", record, frame)
    _enter(sweeping, frame, record)


def read_property(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read a field of a class or interface."""
    source, top = sweeping.source, sweeping.stack[-1]
    name_node = source.child(node, "name")
    frame = sweeping.push("property", node, start, end)
    if top.record is None or top.kind not in _HOLDERS or name_node is None:
        return
    extend(frame, source.name(name_node))
    frame.name = source.name(name_node)
    set_lines(frame, node, top)
    words = source.words(node)
    value = source.child(node, "value")
    if value is not None:
        from_value(source, frame, value)
    frame.record = {
        "name": frame.name,
        "line_start": frame.line,
        "line_end": frame.last_line,
        "type": type_text(source, source.child(node, "type")),
        "is_static": source.has(words, "static"),
        "is_readonly": source.has(words, "readonly"),
        "function": None,
    }
    top.record["fields" if top.kind == "interface" else "properties"].append(frame.record)
