"""Read the imports and exports of a Python file."""

from collections.abc import Iterator

from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.python.python_extractor import PythonExtraction
from ipuaro_jupyter.index.extract.scope_stack import Facts, SourceBytes
from ipuaro_jupyter.languages.language import Node

_MOST_STATEMENTS = 200  # about ``__all__`` in one file
_MOST_NAMES = 20_000
_ADDING = frozenset({"append", "extend", "insert"})


def read_types_only(extraction: Extraction, _node: Node, _start: int, end: int) -> None:
    """Read a block that only type checkers evaluate."""
    if isinstance(extraction, PythonExtraction):
        extraction.types_end = max(extraction.types_end, end)


def read_import(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read ``from module import …``; the captures inside it complete it."""
    frame = extraction.push("import", node, start, end)
    frame.record = _import(extraction, node, "", [])


def read_source(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read the module of a ``from`` import."""
    record = extraction.stack[-1].record
    if extraction.stack[-1].kind == "import" and record is not None:
        record["source"] = _dotted(extraction.source, node)
        extraction.facts["imports"].append(record)


def read_name(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read one name that is imported."""
    source, record = extraction.source, extraction.stack[-1].record
    if extraction.stack[-1].kind == "import" and record is not None:
        name, alias = source.child(node, "name"), source.child(node, "alias")
        imported = _dotted(source, name if name is not None else node)
        local = source.text(alias) if alias is not None else imported
        _note_passed_on(extraction, alias, imported)
        record["names"].append({"imported": imported, "local": local})


def read_star(extraction: Extraction, _node: Node, _start: int, _end: int) -> None:
    """Read the ``*`` of a star import."""
    top = extraction.stack[-1]
    if top.kind == "import" and top.record is not None and isinstance(extraction, PythonExtraction):
        top.record["names"].append({"imported": "*", "local": "*"})
        if top.level == 0 and not top.path:
            extraction.stars.append(top.record)


def read_module(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read one module of ``import a.b, c as d``."""
    source = extraction.source
    name, alias = source.child(node, "name"), source.child(node, "alias")
    module = _dotted(source, name if name is not None else node)
    local = source.text(alias) if alias is not None else module
    _note_passed_on(extraction, alias, module)
    names = [{"imported": "*", "local": local}]
    extraction.facts["imports"].append(_import(extraction, node, module, names))


def _note_passed_on(extraction: Extraction, alias: Node | None, imported: str) -> None:
    top = extraction.stack[-1]
    is_top = top.level == 0 and not top.path
    if alias is None or not is_top or not isinstance(extraction, PythonExtraction):
        return
    if extraction.source.text(alias) == imported:
        extraction.re_exported.append((imported, alias.start_point.row + 1))


def _import(extraction: Extraction, node: Node, module: str, names: list[Facts]) -> Facts:
    is_typed = isinstance(extraction, PythonExtraction) and node.start_byte < extraction.types_end
    kind = "type" if is_typed else "import"
    return {"source": module, "line": node.start_point.row + 1, "kind": kind, "names": names}


def _dotted(source: SourceBytes, node: Node) -> str:
    """A dotted name without the blanks inside it."""
    return "".join(source.text(node).replace("\\", " ").split())


def add_exports(extraction: PythonExtraction, identifiers: list[Node]) -> None:
    """Add the exports of a file: the names in ``__all__``, else its public names.

    Public are the names declared at the top without a leading underscore, and those re-exported by
    ``import a as a`` and ``from a import *``.

    Args:
        extraction: The facts of the file, complete but for this.
        identifiers: All identifiers of the file.
    """
    listed = _listed(extraction, identifiers)
    if listed is None:
        _export_public(extraction)
    else:
        for name, line in listed.items():
            extraction.export(name, line, local=name)
    for star in extraction.stars:
        if listed is None:
            extraction.export("*", star["line"], local="*", source=star["source"])
    exported = {export["name"] for export in extraction.facts["exports"]}
    for name in exported & extraction.tops.keys():
        for record in extraction.tops[name]:
            record["is_exported"] = True
    extraction.facts["exports"].sort(key=lambda export: int(export["line"]))


def _export_public(extraction: PythonExtraction) -> None:
    for name, records in extraction.tops.items():
        if not name.startswith("_") and "." not in name:
            extraction.export(name, records[0]["line_start"], local=name)
    for name, line in extraction.re_exported:
        extraction.export(name, line, local=name)


def _listed(extraction: PythonExtraction, identifiers: list[Node]) -> dict[str, int] | None:
    """The names in ``__all__`` with their lines; None when there is no such list."""
    source, data = extraction.source, extraction.source.data
    wanted = {name.encode() for name in source.tables.export_lists}
    if not any(name in data for name in wanted):
        return None
    found = [node for node in identifiers if data[node.start_byte : node.end_byte] in wanted]
    found.sort(key=lambda node: node.start_byte)
    names: dict[str, int] | None = None
    for node in found[:_MOST_STATEMENTS]:
        given = listed_values(source, node)
        if given is None or _is_inside(extraction, node):
            continue
        names = {} if names is None else names
        for value in given:
            _add_names(extraction, value, names)
    return names


def listed_values(source: SourceBytes, node: Node) -> list[Node] | None:
    """The values that a statement adds to the list at ``node``; None for other uses.

    Args:
        source: The file.
        node: The name of the list, such as ``__all__``.
    """
    parent = node.parent
    if parent is None:
        return None
    member = source.member(parent)
    if member is not None:
        if member[0] != node or parent.parent is None:
            return None
        call = source.call(parent.parent)
        is_adding = source.text(member[1]) in _ADDING
        return call[1].named_children if call is not None and is_adding else None
    value = source.child(parent, "value")
    if value is None or source.child(parent, "name") != node:
        return None
    return [value]


def _is_inside(extraction: PythonExtraction, node: Node) -> bool:
    """Whether a node is inside a function or class."""
    around = node.parent
    while around is not None:
        if around.id in extraction.scopes:
            return True
        around = around.parent
    return False


def _add_names(extraction: PythonExtraction, value: Node, names: dict[str, int]) -> None:
    """Add the strings in a list, tuple or sum of them; ``a.__all__`` stands for all of ``a``."""
    source = extraction.source
    for node in listed_parts(source, value):
        if len(names) >= _MOST_NAMES:
            break
        if node.type in source.tables.strings:
            names.setdefault(source.name(node), node.start_point.row + 1)
        else:
            _add_all_of(extraction, node)


def listed_parts(source: SourceBytes, value: Node) -> Iterator[Node]:
    """Yield what is in a list, tuple or sum of them, in order: strings and other values."""
    open_ = [value]
    while open_:
        node = open_.pop()
        if node.type in source.tables.sequences:
            open_.extend(reversed(node.named_children))
        else:
            yield node


def _add_all_of(extraction: PythonExtraction, node: Node) -> None:
    """Export the names of the module whose ``__all__`` is added to the file's own."""
    source = extraction.source
    member = source.member(node)
    if member is None or source.text(member[1]) not in source.tables.export_lists:
        return
    text = source.flat(member[0])
    for record in extraction.facts["imports"]:
        for name in record["names"]:
            if name["local"] == text:
                module = record["source"]
                if name["imported"] != "*":
                    dot = "" if module.endswith(".") else "."
                    module = f"{module}{dot}{name['imported']}"
                line = node.start_point.row + 1
                extraction.export("*", line, local="*", source=module)
