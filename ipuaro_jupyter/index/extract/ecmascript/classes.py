"""Read classes, interfaces, enums, type aliases and namespaces."""

from operator import attrgetter

from ipuaro_jupyter.index.extract.ecmascript.declarations import read_method, read_property
from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.naming import (
    binding_of,
    extend,
    name_declaration,
    name_value,
    set_lines,
)
from ipuaro_jupyter.index.extract.scope_stack import Facts, Frame, uncommented
from ipuaro_jupyter.languages.language import Node


def read_class(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a declaration of a class."""
    top = extraction.stack[-1]
    frame = extraction.push("class", node, start, end)
    name_declaration(extraction, frame, top, extraction.source.child(node, "name"))
    _declare_class(extraction, frame, is_exported=top.exported)


def read_class_expression(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a class expression, named by its binding, else by itself, if at all."""
    bound = binding_of(extraction.stack[-1], start)
    frame = extraction.push("class", node, start, end)
    if name_value(extraction, frame, bound, extraction.source.child(node, "name")):
        _declare_class(extraction, frame, is_exported=bound is not None and bound.exported)


def read_broken_class(extraction: Extraction, node: Node, start: int, _end: int) -> None:
    """Read the name of a broken class; its members extend to the end of the error."""
    error = node.parent or node
    frame = extraction.push("class.broken", error, start, error.end_byte)
    extend(extraction, frame, node)
    set_lines(frame, None)
    frame.line = node.start_point.row + 1
    _declare_class(extraction, frame, is_exported=False)


def _declare_class(extraction: Extraction, frame: Frame, *, is_exported: bool) -> None:
    source = extraction.source
    body = source.child(frame.node, "body")
    is_whole = frame.kind == "class"
    frame.body = body.start_byte if body is not None else frame.start
    frame.this = frame.path
    frame.record = {
        "name": frame.name,
        "qualified": frame.path,
        "line_start": frame.line,
        "line_end": frame.last_line,
        "extends": None,
        "implements": [],
        "is_abstract": is_whole and "abstract" in source.modifiers(frame.node),
        "is_exported": is_exported,
        "methods": [],
        "properties": [],
    }
    extraction.declare("classes", frame.record, frame)


def read_interface(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a declaration of an interface."""
    frame, record = _declared(extraction, node, start, end, kind="interface")
    record.update({"extends": [], "fields": [], "methods": []})
    frame.record = record
    extraction.declare("interfaces", record, frame)


def read_enum(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a declaration of an enum."""
    frame, record = _declared(extraction, node, start, end, kind="enum")
    record["members"] = []
    frame.record = record
    extraction.declare("enums", record, frame)


def read_type(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a declaration of a type alias."""
    frame, record = _declared(extraction, node, start, end, kind="type")
    value = extraction.source.child(node, "value")
    text = extraction.source.type(value) if value is not None else ""
    record.update({"text": text, "fields": [], "methods": []})
    frame.record = record
    extraction.declare("types", record, frame)
    if value is not None and "{" in text:
        _read_type_members(extraction, value)


def _read_type_members(extraction: Extraction, value: Node) -> None:
    """Read the members of the object types that an alias is made of."""
    kinds = extraction.source.tables.type_parts
    open_, members = [value], list[Node]()
    while open_:
        node = open_.pop()
        if kinds.get(node.type) == "parts":
            open_ += node.named_children
        elif node.type in kinds:
            members.append(node)
    for member in sorted(members, key=attrgetter("start_byte")):
        read = read_property if kinds[member.type] == "property" else read_method
        read(extraction, member, member.start_byte, member.end_byte)
        extraction.stack.pop()


def read_namespace(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a namespace or module block: ``namespace A.B`` is named B and has the path A.B."""
    frame, record = _declared(extraction, node, start, end, kind="namespace")
    name = extraction.source.child(node, "name")
    if name is not None and "." in frame.name and not _is_quoted(extraction, name):
        record["name"] = frame.name.rpartition(".")[2]
        frame.name_at = name.end_byte - len(record["name"].encode())
    extraction.declare("namespaces", record, frame)


def _is_quoted(extraction: Extraction, name: Node) -> bool:
    return extraction.source.data[name.start_byte] in b"'\""


def _declared(
    extraction: Extraction, node: Node, start: int, end: int, *, kind: str
) -> tuple[Frame, Facts]:
    """Open the frame of a declaration; return it with the facts common to all kinds."""
    top = extraction.stack[-1]
    frame = extraction.push(kind, node, start, end)
    name_declaration(extraction, frame, top, extraction.source.child(node, "name"))
    return frame, {
        "name": frame.name,
        "qualified": frame.path,
        "line_start": frame.line,
        "line_end": frame.last_line,
        "is_exported": top.exported,
    }


def read_extends(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read the superclass or superinterface, type arguments included."""
    top = extraction.stack[-1]
    if top.record is None:
        return
    text = extraction.source.text(node)
    if text.startswith("extends") and not text[7:8].isidentifier():
        text = text[7:].lstrip()
    text = " ".join(uncommented(text).split())
    if isinstance(top.record.get("extends"), list):
        top.record["extends"].append(text)
    elif top.kind == "class":
        top.record["extends"] = text


def read_implements(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read one of the interfaces that a class implements."""
    top = extraction.stack[-1]
    if top.kind == "class" and top.record is not None:
        top.record["implements"].append(extraction.source.flat(node))


def read_member(extraction: Extraction, node: Node, start: int, _end: int) -> None:
    """Read the name of a member of an enum."""
    top = extraction.stack[-1]
    if top.kind == "enum" and top.record is not None:
        name = extraction.source.name(node)
        top.record["members"].append(name)
        extraction.places.append((f"{top.path}.{name}", start))


def read_decorator(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a decorator: it belongs to the enclosing declaration or the member after it."""
    top = extraction.stack[-1]
    frame = extraction.push("decorator", node, start, end)
    if top.kind == "property" or (top.kind == "class" and start < top.body):
        frame.path = top.outer
    elif top.kind == "class" and not top.decorated:
        top.decorated = node.start_point.row + 1
