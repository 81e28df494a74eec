"""Read the declarations that a query captures: types, functions, fields, constants."""

import re
from collections.abc import Iterator

from ipuaro_jupyter.index.extract.ecmascript.signatures import type_text
from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.grammar.grammar_extraction import HOLDERS, GrammarExtraction
from ipuaro_jupyter.index.extract.naming import extend
from ipuaro_jupyter.index.extract.scope_stack import Facts, Frame
from ipuaro_jupyter.languages.language import Node

_REFERRED = re.compile(r"(?:&|'\w+\s|mut\s|\s)*(?:\w+::)*(\w+)\s*(?:<.*)?$")
_LAST_NAME = re.compile(rb"\W*(?:\w+\W+)*?(\w+)\s*(?:[<\[].*)?$", re.DOTALL)


def _grammar(extraction: Extraction) -> GrammarExtraction:
    assert isinstance(extraction, GrammarExtraction)  # noqa: S101 - these readers are listed for no other
    return extraction


def read_class(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a type with fields and methods."""
    grammar = _grammar(extraction)
    frame, record = _type(grammar, "class", node, start, end)
    record.update(extends=None, implements=[], methods=[], properties=[])
    record["is_abstract"] = grammar.is_marked("abstract", start, frame.name_at + 1)
    grammar.declare_at("classes", record, frame)


def read_interface(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a type with methods only."""
    grammar = _grammar(extraction)
    frame, record = _type(grammar, "interface", node, start, end)
    record.update(extends=[], fields=[], methods=[])
    grammar.declare_at("interfaces", record, frame)


def read_enum(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a type that lists its values."""
    grammar = _grammar(extraction)
    frame, record = _type(grammar, "enum", node, start, end)
    record["members"] = []
    grammar.declare_at("enums", record, frame)


def read_type(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a type that stands for another."""
    grammar = _grammar(extraction)
    frame, record = _type(grammar, "type", node, start, end)
    value = grammar.source.child(node, "type")
    text = grammar.source.flat(value) if value is not None else ""
    record.update({"text": text, "methods": [], "fields": []})
    grammar.declare_at("types", record, frame)


def read_namespace(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a module inside a file."""
    grammar = _grammar(extraction)
    frame, record = _type(grammar, "namespace", node, start, end)
    grammar.declare_at("namespaces", record, frame)


def _type(
    grammar: GrammarExtraction, kind: str, node: Node, start: int, end: int
) -> tuple[Frame, Facts]:
    """Open the frame of a type; return it with the facts that all types have."""
    frame = grammar.push(kind, node, start, end)
    extend(grammar, frame, grammar.source.child(node, "name"))
    frame.record = {
        "name": frame.name,
        "qualified": frame.path,
        "line_start": grammar.first_line(frame.node),
        "line_end": node.end_point.row + 1,
        "is_exported": grammar.is_exported(frame.name, start, frame.name_at + 1),
    }
    return frame, frame.record


def read_methods(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a block with the methods of a type that is declared elsewhere."""
    grammar = _grammar(extraction)
    frame = grammar.push("methods", node, start, end)
    type_ = grammar.source.child(node, "type")
    holder = grammar.holder_in(start, type_.end_byte if type_ is not None else end)
    if not holder and type_ is not None:
        text = grammar.source.flat(type_)
        named = _REFERRED.match(text)
        holder = named[1] if named is not None else text.replace(".", "")
    frame.name = holder
    frame.path = ".".join(filter(None, (frame.outer, holder)))


def read_extends(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read a type that the enclosing one extends."""
    grammar = _grammar(extraction)
    top, text = grammar.stack[-1], grammar.source.flat(node)
    if top.kind == "interface" and top.record is not None:
        top.record["extends"].append(text)
    elif top.kind == "class" and top.record is not None:
        top.record["extends"] = ", ".join(filter(None, (top.record["extends"], text)))


def read_implements(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read a type that the enclosing one, or the one of a block of methods, implements."""
    grammar = _grammar(extraction)
    top, text = grammar.stack[-1], grammar.source.flat(node)
    if top.kind == "class" and top.record is not None:
        top.record["implements"].append(text)
    elif top.kind == "methods":
        line = node.start_point.row + 1
        grammar.members.append((top.path, "implements", {"name": text, "line_start": line}))


def read_function(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a function, or a method when it stands in a type or names one."""
    grammar = _grammar(extraction)
    source, top = grammar.source, grammar.stack[-1]
    frame = grammar.push("function", node, start, end)
    name = source.child(node, "name")
    head = name.end_byte if name is not None else end
    receiver = "" if name is None else grammar.holder_in(start, name.start_byte)
    if receiver:
        frame.path = ".".join(filter(None, (frame.path, receiver)))
    holder = frame.path if receiver or (top.kind in HOLDERS and top.path) else ""
    extend(grammar, frame, name)
    record = _function(grammar, frame, head, is_method=bool(holder))
    if holder:
        grammar.members.append((holder, "methods", record))
        grammar.place(frame)
    else:
        grammar.declare_at("functions", record, frame)
    frame.level += 1
    frame.base = len(grammar.blocks)
    frame.function = record


def read_closure(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a function without a name: what it does belongs to the function around it."""
    frame = _grammar(extraction).push("closure", node, start, end)
    frame.level += 1


def _function(grammar: GrammarExtraction, frame: Frame, head: int, *, is_method: bool) -> Facts:
    source, node, start = grammar.source, frame.node, frame.start
    body = source.child(node, "body")
    has_body = body is not None or source.child(node, "parameters") is None  # a macro
    is_constructor = node.type in source.tables.constructors
    kind = "constructor" if is_constructor else "method" if is_method else "function"
    return {
        "name": frame.name,
        "qualified": frame.path,
        "kind": kind,
        "line_start": grammar.first_line(frame.node),
        "line_end": node.end_point.row + 1,
        "params": list(_parameters(grammar, node)),
        "return_type": type_text(source, source.child(node, "return_type")),
        "is_async": grammar.is_marked("async", start, head),
        "is_generator": False,
        "is_exported": grammar.is_exported(frame.name, start, head),
        "is_static": grammar.is_marked("static", start, head),
        "is_abstract": is_method and not has_body,
        "has_body": has_body,
        "cyclomatic": 1,
        "nesting": 0,
    }


def _parameters(grammar: GrammarExtraction, node: Node) -> Iterator[Facts]:
    """The parameters of a function; a group of names with one type is one for each name."""
    source = grammar.source
    listed = source.child(node, "parameters")
    for child in listed.named_children if listed is not None else ():
        how = source.tables.parameters.get(child.type)
        if how is None:
            continue
        names = child.children_by_field_name(how.name) if how.name else [child]
        if how.place is not None and child.named_child_count:
            names = [child.named_children[how.place]]
        type_ = child.child_by_field_name(how.type) if how.type else None
        for name in [source.flat(one) for one in names] or ["_"]:
            yield {
                "name": name,
                "type": type_text(source, type_),
                "is_optional": how.optional,
                "is_rest": how.rest,
            }


def read_property(extraction: Extraction, node: Node, start: int, _end: int) -> None:
    """Read a field of a type; a declaration may have several names."""
    grammar = _grammar(extraction)
    top, source = grammar.stack[-1], grammar.source
    around = node.parent if node.type in source.tables.declarators else None
    whole = around if around is not None else node
    if top.kind not in HOLDERS:
        return
    type_ = whole.child_by_field_id(source.field(whole.kind_id, "type"))
    for text, at in _names(grammar, node, type_):
        record: Facts = {
            "name": text,
            "line_start": grammar.first_line(whole),
            "line_end": whole.end_point.row + 1,
            "type": type_text(source, type_),
            "is_static": grammar.is_marked("static", whole.start_byte, at),
            "is_readonly": grammar.is_marked("readonly", whole.start_byte, at),
            "function": None,
        }
        grammar.members.append((top.path, "properties", record))
        grammar.places.append((f"{top.path}.{text}", at))
    del start


def _names(grammar: GrammarExtraction, node: Node, type_: Node | None) -> list[tuple[str, int]]:
    """The names of a declaration with their first bytes; without any, that of its type."""
    number = grammar.source.field(node.kind_id, "name")
    nodes = node.children_by_field_id(number) if number else []
    if not nodes:
        return _named_by_type(type_)
    return [
        (grammar.source.name(name), name.start_byte)
        for name in nodes
        if name.is_named and grammar.source.text(name) not in grammar.source.tables.unnamed
    ]


def _named_by_type(type_: Node | None) -> list[tuple[str, int]]:
    """The name of a field that is called as its type: the last part, without type arguments."""
    if type_ is None or type_.text is None:
        return []
    found = _LAST_NAME.match(type_.text)
    return [(found[1].decode(), type_.start_byte + found.start(1))] if found else []


def read_member(extraction: Extraction, node: Node, start: int, _end: int) -> None:
    """Read the name of a value of an enum."""
    grammar = _grammar(extraction)
    top = grammar.stack[-1]
    if top.kind == "enum" and top.record is not None:
        name = grammar.source.name(node)
        top.record["members"].append(name)
        grammar.places.append((f"{top.path}.{name}", start))


def read_constant(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a constant at the top of a file, of a module or of a type."""
    _read_variable(_grammar(extraction), node, "const", (start, end))


def read_variable(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a variable at the top of a file or of a module."""
    _read_variable(_grammar(extraction), node, "variable", (start, end))


def _read_variable(
    grammar: GrammarExtraction, node: Node, kind: str, place: tuple[int, int]
) -> None:
    top = grammar.stack[-1]
    if top.kind in HOLDERS:
        read_property(grammar, node, *place)
        return
    if top.kind not in {"file", "namespace"}:
        return
    before = place[0]
    for text, at in _names(grammar, node, None):
        record: Facts = {
            "name": text,
            "qualified": f"{top.path}.{text}" if top.path else text,
            "line_start": grammar.first_line(node),
            "line_end": node.end_point.row + 1,
            "kind": kind,
            "is_exported": grammar.is_exported(text, before, at + 1),
        }
        grammar.facts["variables"].append(record)
        grammar.places.append((record["qualified"], at))
        grammar.export_top(record)
        before = at + 1
