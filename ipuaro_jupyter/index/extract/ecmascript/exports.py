"""Read export statements, and mark the declarations they export."""

from operator import itemgetter

from ipuaro_jupyter.index.extract.ecmascript.bindings import from_value, read_variables
from ipuaro_jupyter.index.extract.ecmascript.commonjs import export_values
from ipuaro_jupyter.index.extract.ecmascript.imports import add_re_export
from ipuaro_jupyter.index.extract.ecmascript.module_statements import (
    ExportList,
    is_declaration,
    read_export_text,
)
from ipuaro_jupyter.index.extract.extractor import Sweep
from ipuaro_jupyter.index.extract.scope_stack import Facts, Frame
from ipuaro_jupyter.languages.language import Node

_DEPTH = 2  # export_statement, export_clause, export_specifier


def read_export(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read an export statement; declarations directly inside are exported."""
    source = sweeping.source
    if sweeping.stack[-1].level > 0:
        sweeping.leave_functions(node)
    frame = sweeping.push("export", node, start, end)
    frame.line, frame.last_line = node.start_point.row + 1, node.end_point.row + 1
    frame.exported = True
    frame.specifiers = []
    is_astray = start < sweeping.astray
    if sweeping.has_details and not is_astray:
        if is_declaration(source.data, start):
            return
        told = read_export_text(source.data[start:end])
        if told is not None:
            _read_list(sweeping, frame, told)
            return
    frame.name = "default" if "default" in source.modifiers(node) else ""
    for child in node.named_children if is_astray else ():
        if child.type in source.tables.variables:
            read_variables(sweeping, child, child.start_byte, child.end_byte)
    if sweeping.has_details:
        sweeping.read_details(node, depth=_DEPTH)


def _read_list(sweeping: Sweep, frame: Frame, told: ExportList) -> None:
    """Read ``export { … }`` or ``export *``."""
    for (local, name), line in zip(told.names, told.lines, strict=True):
        if not frame.path:
            _export(sweeping, frame, name, local, line=frame.line + line)
        elif local != "*":  # of a namespace
            sweeping.marked.append(f"{frame.path}.{local}")
    if told.source is not None:
        add_re_export(sweeping, frame, told.source)


def read_export_all(sweeping: Sweep, node: Node, _start: int, _end: int) -> None:
    """Read ``*`` or ``* as name`` in an export."""
    top = sweeping.stack[-1]
    if top.kind == "export" and top.level == 0 and not top.path:
        last = node.child(node.child_count - 1) if node.child_count else None
        name = sweeping.source.name(last) if last is not None else "*"
        _export(sweeping, top, name, "*", line=top.line)


def read_export_name(sweeping: Sweep, node: Node, _start: int, _end: int) -> None:
    """Read one name in ``export { … }``."""
    source, top = sweeping.source, sweeping.stack[-1]
    name, alias = source.child(node, "name"), source.child(node, "alias")
    if top.kind == "export" and name is not None:
        local = source.name(name)
        exported = source.name(alias) if alias is not None else local
        if top.path:  # of a namespace
            sweeping.marked.append(f"{top.path}.{local}")
        else:
            _export(sweeping, top, exported, local, line=node.start_point.row + 1)


def _export(sweeping: Sweep, frame: Frame, name: str, local: str, *, line: int) -> None:
    """Add an export whose module, if it has one, is read later."""
    export: Facts = {"name": name, "line": line, "local": local, "source": None}
    sweeping.facts["exports"].append(export)
    frame.specifiers.append(export)


def read_export_value(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read the value of ``export default`` or ``export =``."""
    source, top = sweeping.source, sweeping.stack[-1]
    if top.kind != "export":
        return
    frame = sweeping.push("binding", node, start, end)
    frame.line, frame.last_line, frame.exported = top.line, top.last_line, True
    frame.name = "default"
    frame.path = f"{frame.outer}.default" if frame.outer else "default"
    from_value(source, frame, node)
    if top.level == 0 and not top.path:
        sweeping.exported_values.append((frame, "default", node))


def finish_exports(sweeping: Sweep) -> None:
    """Add the exports of values, and mark the declarations that any export names."""
    if sweeping.exported_values or b"exports" in sweeping.source.data:
        export_values(sweeping)
    for export in sweeping.facts["exports"]:
        if export["source"] is None and export["local"] is not None:
            sweeping.marked.append(export["local"])
    sweeping.facts["exports"].sort(key=itemgetter("line"))
    for name in sweeping.marked:
        for record in sweeping.tops.get(name, ()):
            record["is_exported"] = True
