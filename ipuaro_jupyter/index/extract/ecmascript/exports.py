"""Read export statements, and mark the declarations they export."""

from operator import itemgetter

from ipuaro_jupyter.index.extract.ecmascript.bindings import read_variables, set_target
from ipuaro_jupyter.index.extract.ecmascript.commonjs import export_values
from ipuaro_jupyter.index.extract.ecmascript.imports import add_re_export
from ipuaro_jupyter.index.extract.ecmascript.module_statements import (
    ExportList,
    is_declaration,
    read_export_text,
)
from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.scope_stack import Facts, Frame
from ipuaro_jupyter.languages.language import Node

_DEPTH = 2  # export_statement, export_clause, export_specifier


def read_export(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read an export statement; declarations directly inside are exported."""
    source = extraction.source
    if extraction.stack[-1].level > 0:
        extraction.leave_functions(node)
    frame = extraction.push("export", node, start, end)
    frame.line, frame.last_line = node.start_point.row + 1, node.end_point.row + 1
    frame.exported = True
    frame.specifiers = []
    is_astray = start < extraction.astray
    if extraction.has_details and not is_astray:
        if is_declaration(source.data, start):
            return
        told = read_export_text(source.data[start:end])
        if told is not None:
            _read_list(extraction, frame, told)
            return
    frame.name = "default" if "default" in source.modifiers(node) else ""
    for child in node.named_children if is_astray else ():
        if child.type in source.tables.variables:
            read_variables(extraction, child, child.start_byte, child.end_byte)
    if extraction.has_details:
        extraction.read_details(node, depth=_DEPTH)


def _read_list(extraction: Extraction, frame: Frame, told: ExportList) -> None:
    """Read ``export { … }`` or ``export *``."""
    for (local, name), line in zip(told.names, told.lines, strict=True):
        if not frame.path:
            _export(extraction, frame, name, local, line=frame.line + line)
        elif local != "*":  # of a namespace
            extraction.marked.append(f"{frame.path}.{local}")
    if told.source is not None:
        add_re_export(extraction, frame, told.source)


def read_export_all(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read ``*`` or ``* as name`` in an export."""
    top = extraction.stack[-1]
    if top.kind == "export" and top.level == 0 and not top.path:
        last = node.child(node.child_count - 1) if node.child_count else None
        name = extraction.source.name(last) if last is not None else "*"
        _export(extraction, top, name, "*", line=top.line)


def read_export_name(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read one name in ``export { … }``."""
    source, top = extraction.source, extraction.stack[-1]
    name, alias = source.child(node, "name"), source.child(node, "alias")
    if top.kind == "export" and name is not None:
        local = source.name(name)
        exported = source.name(alias) if alias is not None else local
        if top.path:  # of a namespace
            extraction.marked.append(f"{top.path}.{local}")
        else:
            _export(extraction, top, exported, local, line=node.start_point.row + 1)


def _export(extraction: Extraction, frame: Frame, name: str, local: str, *, line: int) -> None:
    """Add an export whose module, if it has one, is read later."""
    export: Facts = {"name": name, "line": line, "local": local, "source": None}
    extraction.facts["exports"].append(export)
    frame.specifiers.append(export)


def read_export_value(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read the value of ``export default`` or ``export =``."""
    source, top = extraction.source, extraction.stack[-1]
    if top.kind != "export":
        return
    frame = extraction.push("binding", node, start, end)
    frame.line, frame.last_line, frame.exported = top.line, top.last_line, True
    frame.name = "default"
    frame.path = f"{frame.outer}.default" if frame.outer else "default"
    set_target(source, frame, node)
    if top.level == 0 and not top.path:
        extraction.exported_values.append((frame, "default", node))


def finish_exports(extraction: Extraction) -> None:
    """Add the exports of values, and mark the declarations that any export names."""
    if extraction.exported_values or b"exports" in extraction.source.data:
        export_values(extraction)
    for export in extraction.facts["exports"]:
        if export["source"] is None and export["local"] is not None:
            extraction.marked.append(export["local"])
    extraction.facts["exports"].sort(key=itemgetter("line"))
    for name in extraction.marked:
        for record in extraction.tops.get(name, ()):
            record["is_exported"] = True
