"""Read bindings, which give a value its name: variables, assignments, object properties."""

from ipuaro_jupyter.index.extract.ecmascript.signatures import bound_names
from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.scope_stack import Facts, Frame, SourceBytes
from ipuaro_jupyter.languages.language import Node

_WRAPPED_DEPTH = 8


def set_target(source: SourceBytes, frame: Frame, value: Node) -> None:
    """Set the target of a binding: its value, or the function that a call wraps."""
    if value.kind_id not in source.language.wrapper_kinds:
        frame.target = value.start_byte
        return
    for _ in range(_WRAPPED_DEPTH):
        value = source.unwrapped(value)
        call = source.call(value)
        if call is None:
            break
        inner = _wrapped(source, *call)
        if inner is None:
            return
        value = inner
    frame.target = value.start_byte


def _wrapped(source: SourceBytes, callee: Node, arguments: Node) -> Node | None:
    """The function that a call wraps: its first argument, as in ``memo(() => …)``.

    A method of an ordinary object (``rows.map(row => …)``) does not wrap; a function of a module
    (``React.memo``, ``_.debounce``) does.
    """
    given = [child for child in arguments.named_children if not child.is_extra]
    if not given:
        return None
    member = source.member(callee)
    if member is not None:
        name = source.text(member[0])
        if not (name[:1].isupper() or name == "_"):
            return None
    else:
        if callee.type not in source.tables.pattern_leaves:
            return None
        name = source.text(callee)
    return None if name in source.tables.no_wrappers else given[0]


def read_binding(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a declarator, assignment or pair; everything inside belongs to its name."""
    source = extraction.source
    top = extraction.stack[-1]
    frame = extraction.push("binding", node, start, end)
    name_node, value = source.child(node, "name"), source.child(node, "value")
    if name_node is None or value is None:
        return
    exported = exported_name(source, name_node)
    if exported is None and name_node.type in source.tables.unnamed:
        return
    frame.line, frame.last_line = node.start_point.row + 1, node.end_point.row + 1
    if top.kind == "variables" and node.type in source.tables.declarators:
        frame.exported = top.exported
        if top.line:
            frame.line, frame.last_line = top.line, top.last_line
    if exported is not None:
        _name_export(extraction, frame, name_node, exported)
        extraction.exported_values.append((frame, exported, value))
    elif source.member(name_node) is not None:
        _name_member(extraction, frame, name_node)
    else:
        _name(frame, source.name(name_node))
        frame.name_at = name_node.start_byte
    set_target(source, frame, value)


def worth_reading(source: SourceBytes, nodes: list[Node]) -> list[Node]:
    """Those of ``nodes`` worth reading: they may name a function or class, or export a value."""
    data, tables = source.data, source.tables
    exports = tables.export_heads
    signs = tables.bound_sign
    kinds = source.language.bound_kinds
    found = []
    for node in nodes:
        field, wanted = kinds[node.kind_id]
        value = node.child_by_field_id(field)
        if value is None:
            continue
        if value.kind_id in wanted:
            if signs.search(data, value.start_byte, value.end_byte) or data.startswith(
                exports, node.start_byte
            ):
                found.append(node)
        elif data.startswith(exports, node.start_byte) and not _holds_function(source, value):
            found.append(node)
    return found


def _holds_function(source: SourceBytes, value: Node) -> bool:
    """Whether a value is a call whose first argument is a function."""
    call = source.call(value)
    given = call[1].named_child(0) if call is not None and call[1].named_child_count else None
    return given is not None and given.type in source.tables.functions


def _name(frame: Frame, name: str) -> None:
    frame.name = name
    frame.path = f"{frame.outer}.{name}" if frame.outer else name


def _name_export(extraction: Extraction, frame: Frame, target: Node, name: str) -> None:
    """Name a value assigned to ``exports.name``, or to ``module.exports`` ("")."""
    source = extraction.source
    frame.exported = True
    frame.name = name
    around = extraction.stack[-2]
    if not name and around.target == frame.start:  # const app = module.exports = …
        frame.outer, frame.name = around.outer, around.name
    frame.path = ".".join(part for part in (frame.outer, frame.name) if part)
    member = source.member(target)
    frame.name_at = member[1].start_byte if member is not None else target.start_byte


def _name_member(extraction: Extraction, frame: Frame, target: Node) -> None:
    """Name a value assigned to ``a.b.c``; ``this`` and ``prototype`` are left out of the name."""
    source = extraction.source
    text = "".join(source.text(target).split())
    member = source.member(target)
    if any(sign in text for sign in "([?"):
        parts = [source.text(member[1])] if member is not None else []
    else:
        parts = [part for part in text.split(".") if part not in source.tables.dropped_names]
    frame.name_at = member[1].start_byte if member is not None else -1
    if parts and parts[0] in source.tables.receivers:
        frame.outer = frame.this
        parts = parts[1:]
    frame.name = parts[-1] if parts else ""
    frame.path = ".".join(part for part in (frame.outer, *parts) if part)


def exported_name(source: SourceBytes, target: Node) -> str | None:
    """The name exported by an assignment to ``target``; "" for the module, None for no export.

    ``exports`` alone is a name like any other.
    """
    tables = source.tables
    if not source.data.startswith(tables.export_heads, target.start_byte):
        return None
    text = "".join(source.text(target).split())
    found = tables.export_target.fullmatch(text)
    if found is None:
        return None
    name = found["name"] or found["text"] or ""
    if not name and "." not in text:
        return None
    return name if name not in tables.unexported else None


def top_variables(source: SourceBytes, root: Node) -> list[Node]:
    """The variable declarations at the top of a file and of its namespaces."""
    variables, statements = source.language.variable_kinds, source.language.statement_kinds
    found = []
    open_ = [root]
    while open_:
        for child in open_.pop().named_children:
            kind = child.kind_id
            if kind in variables:
                found.append(child)
            elif kind in statements:
                open_.append(child)
    return found


def read_variables(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a declaration of variables at the top of a file or namespace."""
    source, top = extraction.source, extraction.stack[-1]
    frame = extraction.push("variables", node, start, end)
    frame.exported = top.kind == "export" and top.exported
    declarators = [
        child for child in node.named_children if child.type in source.tables.declarators
    ]
    is_constant = "constant" in source.modifiers(node)
    if len(declarators) == 1:
        around = top if frame.exported else frame
        frame.line = around.line if frame.exported else node.start_point.row + 1
        frame.last_line = node.end_point.row + 1
    for declarator in declarators:
        pattern = source.child(declarator, "name")
        for name, leaf in bound_names(source, pattern) if pattern is not None else ():
            path = f"{frame.path}.{name}" if frame.path else name
            record: Facts = {
                "name": name,
                "qualified": path,
                "line_start": frame.line or declarator.start_point.row + 1,
                "line_end": frame.last_line or declarator.end_point.row + 1,
                "kind": "const" if is_constant else "variable",
                "is_exported": frame.exported,
            }
            extraction.variables.append((declarator.start_byte, record))
            extraction.places.append((path, leaf.start_byte))
            extraction.remember(record, frame)
            if frame.exported and not frame.path:
                extraction.export(name, record["line_start"], local=name)
