"""Read classes, interfaces, enums, type aliases and namespaces."""

from ipuaro_jupyter.index.bindings import binding_of
from ipuaro_jupyter.index.declarations import declare_export, extend, set_lines
from ipuaro_jupyter.index.frames import Facts, Frame
from ipuaro_jupyter.index.sweep import Sweep
from ipuaro_jupyter.languages.language import Node


def read_class(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read a declaration of a class."""
    top = sweeping.stack[-1]
    name_node = sweeping.source.child(node, "name")
    name = sweeping.source.name(name_node) if name_node is not None else "default"
    frame = sweeping.push("class", node, start, end)
    extend(frame, name)
    set_lines(frame, node, top)
    _declare_class(sweeping, frame, node, is_exported=top.exported)
    declare_export(sweeping, top, name, frame.line)


def read_class_expression(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read a class that is a value: it has the name it is bound to, or its own, or none."""
    source = sweeping.source
    bound = binding_of(sweeping.stack[-1], start)
    own = source.child(node, "name")
    frame = sweeping.push("class", node, start, end)
    if bound is None and own is None:
        return  # its methods belong to what is around
    set_lines(frame, node, None)
    if bound is not None and not (own is not None and bound.name in {"", "default"}):
        frame.path, frame.name = bound.path or "default", bound.name or "default"
    elif own is not None:
        frame.path = bound.outer if bound is not None else frame.path
        extend(frame, source.name(own))
    if bound is not None:
        frame.line, frame.last_line = bound.line, bound.last_line
        bound.claimed, bound.given = True, frame.path
        sweeping.claimed.add(bound.start)
    _declare_class(sweeping, frame, node, is_exported=bound is not None and bound.exported)


def read_broken_class(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read the name of a class that is broken; its members follow up to the end of the error."""
    error = node.parent
    frame = sweeping.push("class.broken", node, start, end if error is None else error.end_byte)
    extend(frame, sweeping.source.name(node))
    set_lines(frame, node if error is None else error, None)
    frame.line = node.start_point.row + 1
    _declare_class(sweeping, frame, None, is_exported=False)


def _declare_class(sweeping: Sweep, frame: Frame, node: Node | None, *, is_exported: bool) -> None:
    source = sweeping.source
    body = source.child(node, "body") if node is not None else None
    frame.body = body.start_byte if body is not None else frame.start
    frame.this = frame.path
    frame.record = {
        "name": frame.name,
        "qualified": frame.path,
        "line_start": frame.line,
        "line_end": frame.last_line,
        "extends": None,
        "implements": [],
        "is_abstract": node is not None and source.has(source.words(node), "abstract"),
        "is_exported": is_exported,
        "methods": [],
        "properties": [],
    }
    sweeping.declare("classes", frame.record, frame)
    frame.exported = False


def read_interface(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read a declaration of an interface."""
    frame, record = _declared(sweeping, node, start, end, kind="interface")
    record.update({"extends": [], "fields": [], "methods": []})
    frame.record = record
    sweeping.declare("interfaces", record, frame)


def read_enum(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read a declaration of an enum."""
    frame, record = _declared(sweeping, node, start, end, kind="enum")
    record["members"] = []
    frame.record = record
    sweeping.declare("enums", record, frame)


def read_type(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read a declaration of a type alias."""
    frame, record = _declared(sweeping, node, start, end, kind="type")
    value = sweeping.source.child(node, "value")
    record["text"] = sweeping.source.text(value) if value is not None else ""
    sweeping.declare("types", record, frame)


def read_namespace(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read a namespace or module block."""
    frame, record = _declared(sweeping, node, start, end, kind="namespace")
    sweeping.declare("namespaces", record, frame)


def _declared(
    sweeping: Sweep, node: Node, start: int, end: int, *, kind: str
) -> tuple[Frame, Facts]:
    """Open the frame of a declaration and return it with the facts that all kinds have."""
    top = sweeping.stack[-1]
    name_node = sweeping.source.child(node, "name")
    name = sweeping.source.name(name_node) if name_node is not None else "default"
    frame = sweeping.push(kind, node, start, end)
    extend(frame, name)
    set_lines(frame, node, top)
    declare_export(sweeping, top, name, frame.line)
    return frame, {
        "name": frame.name,
        "qualified": frame.path,
        "line_start": frame.line,
        "line_end": frame.last_line,
        "is_exported": top.exported,
    }


def read_extends(sweeping: Sweep, node: Node, _start: int, _end: int) -> None:
    """Read what a class or interface extends, with the type arguments."""
    top = sweeping.stack[-1]
    if top.record is None:
        return
    text = sweeping.source.flat(node).removeprefix("extends ")
    if isinstance(top.record.get("extends"), list):
        top.record["extends"].append(text)
    elif top.kind == "class":
        top.record["extends"] = text


def read_implements(sweeping: Sweep, node: Node, _start: int, _end: int) -> None:
    """Read one of the interfaces that a class implements."""
    top = sweeping.stack[-1]
    if top.kind == "class" and top.record is not None:
        top.record["implements"].append(sweeping.source.flat(node))


def read_member(sweeping: Sweep, node: Node, _start: int, _end: int) -> None:
    """Read the name of a member of an enum."""
    top = sweeping.stack[-1]
    if top.kind == "enum" and top.record is not None:
        top.record["members"].append(sweeping.source.name(node))


def read_decorator(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read a decorator: the member that follows begins with it."""
    top = sweeping.stack[-1]
    if top.kind == "class" and start >= top.body and not top.decorated:
        top.decorated = node.start_point.row + 1
    sweeping.push("decorator", node, start, end)
