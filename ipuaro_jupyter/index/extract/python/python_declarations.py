"""Read the declarations of a Python file: functions, classes, attributes, variables, types."""

from ipuaro_jupyter.index.extract.ecmascript.signatures import parameters, type_text
from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.naming import binding_of, extend, name_value
from ipuaro_jupyter.index.extract.python.python_extractor import (
    PythonExtraction,
    last_name,
    targets,
)
from ipuaro_jupyter.index.extract.scope_stack import Facts, Frame
from ipuaro_jupyter.languages.language import Node


def _python(extraction: Extraction) -> PythonExtraction:
    assert isinstance(extraction, PythonExtraction)  # noqa: S101 - these readers are listed for no other
    return extraction


def read_decorator(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a decorator: the declaration after it begins with it."""
    python = _python(extraction)
    python.decorated = python.decorated or node.start_point.row + 1
    name = last_name(python.source.flat(node).lstrip("@ "))
    said = python.source.tables.decorators.get(name)
    if said is not None:
        python.decorators.append(said)
    python.push("decorator", node, start, end)


def read_function(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a function, or a method when it stands directly in a class."""
    python = _python(extraction)
    top = python.stack[-1]
    frame = python.push("function", node, start, end)
    extend(python, frame, python.source.child(node, "name"))
    python.scopes.add(node.id)
    said = python.take_decorators(frame)
    holder = top.record if top.kind == "class" and start >= top.body else None
    record = _function(python, frame, "function" if holder is None else "method", said)
    if holder is None:
        python.declare("functions", record, frame)
    else:
        _add_method(python, frame, record, top, said)
    _enter(frame, record, python)


def _add_method(
    python: PythonExtraction, frame: Frame, record: Facts, top: Frame, said: list[str]
) -> None:
    holder = top.record
    assert holder is not None  # noqa: S101 - the caller has looked
    if frame.name in python.source.tables.constructors:
        record["kind"] = "constructor"
    holder["methods"].append(record)
    holder["is_abstract"] = holder["is_abstract"] or record["is_abstract"]
    python.place(frame)
    first = next(iter(record["params"]), None)
    if first is not None and not first["is_rest"] and "static" not in said:
        is_class = "class" in said or frame.name == "__new__"
        python.leave_methods(frame.start)
        python.selves.append((frame.end, first["name"], top, is_class))


def _function(python: PythonExtraction, frame: Frame, kind: str, said: list[str]) -> Facts:
    source, node = python.source, frame.node
    if kind == "method":
        kind = next((word for word in said if word in {"getter", "setter"}), kind)
    modifiers = source.modifiers(node)
    return {
        "name": frame.name,
        "qualified": frame.path,
        "kind": kind,
        "line_start": frame.line,
        "line_end": frame.last_line,
        "params": parameters(source, node),
        "return_type": type_text(source, source.child(node, "return_type")),
        "is_async": "async" in modifiers,
        "is_generator": False,
        "is_exported": False,
        "is_static": not {"static", "class"}.isdisjoint(said),
        "is_abstract": "abstract" in said,
        "has_body": "no body" not in said,
        "cyclomatic": 1,
        "nesting": 0,
    }


def _enter(frame: Frame, record: Facts | None, python: PythonExtraction) -> None:
    """Attribute everything inside the frame to its function."""
    frame.level += 1
    frame.base = len(python.blocks)
    frame.function = record if record is not None else {"cyclomatic": 1, "nesting": 0}


def read_lambda(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a lambda; it is named by its binding, if any."""
    python = _python(extraction)
    bound = binding_of(python.stack[-1], start)
    frame = python.push("function", node, start, end)
    if bound is None:
        _enter(frame, None, python)
        return
    name_value(python, frame, bound, None)
    record = _function(python, frame, "arrow", [])
    if bound.record is not None:  # an attribute
        bound.record["function"] = record
    else:
        python.declare("functions", record, frame)
    _enter(frame, record, python)


def read_yield(extraction: Extraction, _node: Node, _start: int, _end: int) -> None:
    """Read a ``yield``, which makes the enclosing function a generator."""
    extraction.stack[-1].function["is_generator"] = True


def read_class(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a class."""
    python = _python(extraction)
    frame = python.push("class", node, start, end)
    extend(python, frame, python.source.child(node, "name"))
    python.scopes.add(node.id)
    python.take_decorators(frame)
    body = python.source.child(node, "body")
    frame.body = body.start_byte if body is not None else start
    frame.record = {
        "name": frame.name,
        "qualified": frame.path,
        "line_start": frame.line,
        "line_end": frame.last_line,
        "extends": None,
        "implements": [],
        "is_abstract": False,
        "is_exported": False,
        "methods": [],
        "properties": [],
    }
    python.declare("classes", frame.record, frame)


def read_extends(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read a base of a class; the bases are listed in source order."""
    python = _python(extraction)
    record = python.stack[-1].record
    if python.stack[-1].kind == "class" and record is not None:
        text = python.source.flat(node)
        record["extends"] = f"{record['extends']}, {text}" if record["extends"] else text
        _read_abstract(python, record, text)


def read_class_keyword(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read a keyword of a class statement, such as a metaclass."""
    python = _python(extraction)
    record = python.stack[-1].record
    if python.stack[-1].kind == "class" and record is not None:
        _read_abstract(python, record, python.source.flat(node))


def _read_abstract(python: PythonExtraction, record: Facts, text: str) -> None:
    if last_name(text) in python.source.tables.abstract_bases:
        record["is_abstract"] = True


def read_type(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read ``type Name = …``."""
    python = _python(extraction)
    scope = python.scope
    name, value = python.source.child(node, "name"), python.source.child(node, "value")
    frame = python.push("type", node, start, end)
    if name is not None:
        while name.named_child_count and name.type not in python.source.tables.pattern_leaves:
            name = name.named_children[0]  # of a generic alias, the name without parameters
        _declare_type(python, scope, name, frame.node, value)


def _declare_type(
    python: PythonExtraction, scope: Frame, name: Node, node: Node, value: Node | None
) -> None:
    text = python.source.text(name)
    path = f"{scope.path}.{text}" if scope.path else text
    record: Facts = {
        "name": text,
        "qualified": path,
        "line_start": node.start_point.row + 1,
        "line_end": node.end_point.row + 1,
        "text": python.source.flat(value) if value is not None else "",
        "is_exported": False,
        "methods": [],
        "fields": [],
    }
    python.facts["types"].append(record)
    python.remember(record, scope)
    python.places.append((path, name.start_byte))


def read_binding(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read an assignment or a bare annotation."""
    python = _python(extraction)
    source, scope = python.source, python.scope
    frame = python.push("binding", node, start, end)
    pattern, value = source.child(node, "name"), source.child(node, "value")
    if pattern is None:
        return
    type_ = type_text(source, source.child(node, "type"))
    if type_ is not None and last_name(type_) in source.tables.alias_types:
        _declare_type(python, scope, pattern, node, value)
        return
    found = list(targets(source, pattern))
    for object_, name in found:
        record = _bind(python, scope, node, object_, name, type_=type_)
        if len(found) == 1 and value is not None:
            _name(python, frame, scope, object_, name)
            frame.record = record if record is not None and "is_static" in record else None
            frame.target = source.unwrapped(value).start_byte


def _name(
    python: PythonExtraction, frame: Frame, scope: Frame, object_: Node | None, name: Node
) -> None:
    """Name a function after its binding."""
    text = python.source.text(name)
    outer = scope.path
    if object_ is not None:
        holder = python.holder_of(python.source.text(object_), name.start_byte)
        outer = holder[0].path if holder is not None else python.source.flat(object_)
    frame.name, frame.path = text, f"{outer}.{text}" if outer else text
    frame.name_at = name.start_byte
    frame.line, frame.last_line = frame.node.start_point.row + 1, frame.node.end_point.row + 1


def read_target(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read the targets of a loop, a ``with`` or a named expression."""
    python = _python(extraction)
    scope = python.scope
    for object_, name in targets(python.source, node):
        _bind(python, scope, node, object_, name)


def _bind(
    python: PythonExtraction,
    scope: Frame,
    node: Node,
    object_: Node | None,
    name: Node,
    *,
    type_: str | None = None,
) -> Facts | None:
    """Declare a name or attribute at its first binding; return its facts, else None."""
    text = python.source.text(name)
    if object_ is not None:
        found = python.holder_of(python.source.text(object_), name.start_byte)
        if found is None:
            return None
        return _attribute(python, found[0], node, name, type_=type_, is_static=found[1])
    if scope.kind == "class":
        tables = python.source.tables
        is_static = type_ is None or last_name(type_) in tables.shared_types
        return _attribute(python, scope, node, name, type_=type_, is_static=is_static)
    if scope.kind == "file" and text not in python.tops and python.binds(scope, text):
        return _variable(python, scope, node, name, type_=type_)
    return None


def _variable(
    python: PythonExtraction, scope: Frame, node: Node, name: Node, *, type_: str | None
) -> Facts:
    text = python.source.text(name)
    is_final = type_ is not None and last_name(type_) in python.source.tables.final_types
    record: Facts = {
        "name": text,
        "qualified": text,
        "line_start": node.start_point.row + 1,
        "line_end": node.end_point.row + 1,
        "kind": "const" if is_final or text.isupper() else "variable",
        "is_exported": False,
    }
    python.variables.append((node.start_byte, record))
    python.remember(record, scope)
    python.places.append((text, name.start_byte))
    return record


def _attribute(
    python: PythonExtraction,
    holder: Frame,
    node: Node,
    name: Node,
    *,
    type_: str | None,
    is_static: bool,
) -> Facts | None:
    text, record = python.source.text(name), holder.record
    if record is None or not python.binds(holder, text):
        return None
    if any(method["name"] == text for method in record["methods"]):
        return None
    said = last_name(type_) if type_ is not None else ""
    field: Facts = {
        "name": text,
        "line_start": node.start_point.row + 1,
        "line_end": node.end_point.row + 1,
        "type": type_,
        "is_static": is_static,
        "is_readonly": said in python.source.tables.final_types,
        "function": None,
    }
    record["properties"].append(field)
    python.places.append((f"{holder.path}.{text}", name.start_byte))
    return field
