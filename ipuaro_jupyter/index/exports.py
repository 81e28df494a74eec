"""Read exports: statements, and assignments to what a CommonJS module exports."""

from ipuaro_jupyter.index.bindings import from_value, read_variables
from ipuaro_jupyter.index.frames import Facts, Frame, Source
from ipuaro_jupyter.index.sweep import Sweep
from ipuaro_jupyter.languages.language import Node


def read_export(sweeping: Sweep, node: Node, start: int, end: int) -> None:
    """Read an export statement; what is declared directly inside is exported."""
    source = sweeping.source
    if sweeping.stack[-1].level > 0:
        sweeping.leave_functions(node)
    frame = sweeping.push("export", node, start, end)
    frame.line, frame.last_line = node.start_point.row + 1, node.end_point.row + 1
    frame.exported = True
    frame.specifiers = []
    frame.name = "default" if "default" in source.modifiers(node) else ""
    for child in node.named_children if start < sweeping.astray else ():
        if child.type in source.tables.variables:
            read_variables(sweeping, child, child.start_byte, child.end_byte)


def read_export_all(sweeping: Sweep, node: Node, _start: int, _end: int) -> None:
    """Read ``*`` or ``* as name`` in an export."""
    top = sweeping.stack[-1]
    if top.kind == "export" and top.level == 0 and not top.path:
        inner = node.named_children
        name = sweeping.source.name(inner[-1]) if inner else "*"
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
    """Add the exports of values, and mark what any export names."""
    for frame, name, value in sweeping.exported_values:
        _export_value(sweeping, frame, name, sweeping.source.unwrapped(value))
    for export in sweeping.facts["exports"]:
        if export["source"] is None and export["local"] is not None:
            sweeping.marked.append(export["local"])
    sweeping.facts["exports"].sort(key=lambda export: int(export["line"]))
    for name in sweeping.marked:
        for record in sweeping.tops.get(name, ()):
            record["is_exported"] = True


def _export_value(sweeping: Sweep, frame: Frame, name: str, value: Node) -> None:
    """Add the export of what ``export default``, ``module.exports =`` or ``exports.a =`` is given.

    Args:
        sweeping: The facts so far.
        frame: The frame of the export or assignment.
        name: The exported name; "" for the whole module of CommonJS.
        value: What is exported.
    """
    source, line = sweeping.source, frame.line
    exported = name or "default"
    if value.type in source.tables.pattern_leaves:
        sweeping.export(exported, line, local=source.text(value))
    elif frame.claimed:
        local = frame.given if frame.given != "default" else None
        sweeping.export(exported, line, local=local)
    elif (module := _required(source, value)) is not None and name != "default":
        sweeping.export(name or "*", line, local="*", source=module)
    elif not name and value.type in source.tables.objects:
        _export_properties(sweeping, value)
    elif exported == "default":
        sweeping.export(exported, line)
    else:
        sweeping.export(exported, line, local=name)
        _declare_exported(sweeping, frame, name)


def _declare_exported(sweeping: Sweep, frame: Frame, name: str) -> None:
    """Add the variable that ``exports.a = 1`` makes."""
    if name not in sweeping.tops:
        record = {
            "name": name,
            "qualified": name,
            "line_start": frame.line,
            "line_end": frame.last_line,
            "kind": "variable",
            "is_exported": True,
        }
        sweeping.variables.append((frame.start, record))
        sweeping.remember(record, sweeping.stack[0])
        sweeping.places.append((name, frame.name_at))


def _export_properties(sweeping: Sweep, value: Node) -> None:
    """Add the exports of ``module.exports = { … }``."""
    source = sweeping.source
    for child in value.named_children:
        line = child.start_point.row + 1
        if child.type in source.tables.spreads:
            module = _required(source, source.unwrapped(child.named_children[0]))
            if module is not None:
                sweeping.export("*", line, local="*", source=module)
            continue
        key, given = source.child(child, "name"), source.child(child, "value")
        if key is None:
            if child.type in source.tables.shorthands:
                sweeping.export(source.text(child), line, local=source.text(child))
            continue
        name = source.name(key)
        local = source.text(given) if given and given.type in source.tables.pattern_leaves else name
        module = _required(source, given) if given is not None else None
        sweeping.export(name, line, local="*" if module else local, source=module)


def _required(source: Source, value: Node) -> str | None:
    """Return the module in ``require("x")``, None for any other expression."""
    call = source.call(value)
    if call is None or source.text(call[0]) not in source.tables.loaders:
        return None
    given = call[1].named_children
    return source.name(given[0]) if len(given) == 1 else None
