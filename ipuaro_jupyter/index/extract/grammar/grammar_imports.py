"""Read the imports that a query captures: strings that name a module, and paths of names."""

import re
from collections.abc import Mapping, Sequence

from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.grammar.grammar_extraction import GrammarExtraction
from ipuaro_jupyter.index.extract.scope_stack import Facts
from ipuaro_jupyter.languages.language import Node

_EVERYTHING = "*"
_TYPES = ("classes", "interfaces", "enums")
_QUOTES = "\"'`"


def _grammar(extraction: Extraction) -> GrammarExtraction:
    assert isinstance(extraction, GrammarExtraction)  # noqa: S101 - these readers are listed for no other
    return extraction


def read_import(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read an import statement: the paths inside it belong to it."""
    grammar = _grammar(extraction)
    grammar.prefixes.clear()
    grammar.push("import", node, start, end).exported = grammar.is_marked("exported", start, end)


def read_source(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read the string that names a module."""
    grammar = _grammar(extraction)
    _add(grammar, node, grammar.source.text(node).strip(_QUOTES), None)


def read_within(extraction: Extraction, node: Node, start: int, end: int) -> None:
    """Read a list of imports below a common path."""
    grammar = _grammar(extraction)
    path = grammar.source.child(node, "path")
    below = _joined(grammar, grammar.source.flat(path) if path is not None else "", start)
    grammar.prefixes.append((end, below))


def read_name(extraction: Extraction, node: Node, start: int, _end: int) -> None:
    """Read a path whose last part is what it imports."""
    grammar = _grammar(extraction)
    source, tables = grammar.source, grammar.source.tables
    alias = source.child(node, "alias")
    path = source.child(node, "path") if alias is not None else node
    if path is None:
        return
    whole = _joined(grammar, source.flat(path), start)
    module, _, last = whole.rpartition(tables.separator)
    if last in tables.own_module:  # a::{self}
        module, last = "", module or last
    local = source.text(alias) if alias is not None else last.rpartition(tables.separator)[2]
    if module:
        _add(grammar, node, module, {"imported": last, "local": local})
    else:
        _add(grammar, node, last, {"imported": _EVERYTHING, "local": local})


def read_all(extraction: Extraction, node: Node, start: int, _end: int) -> None:
    """Read an import of everything below a path."""
    grammar = _grammar(extraction)
    path = grammar.source.child(node, "path")
    if path is None and node.named_child_count:
        path = node.named_children[0]
    module = _joined(grammar, grammar.source.flat(path) if path is not None else "", start)
    _add(grammar, node, module, {"imported": _EVERYTHING, "local": _EVERYTHING})


def read_module(extraction: Extraction, node: Node, start: int, _end: int) -> None:
    """Read a declaration of a module that is a file of its own."""
    grammar = _grammar(extraction)
    text = grammar.source.text(grammar.source.child(node, "name") or node)
    own = next(iter(grammar.source.tables.own_module), "")
    path = f"{own}{grammar.source.tables.separator}{text}"
    module = grammar.module_file or _joined(grammar, path, start)
    grammar.module_file = ""
    _add(grammar, node, module, {"imported": _EVERYTHING, "local": text})


def read_file(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read an attribute that names the file of the module behind it."""
    grammar = _grammar(extraction)
    grammar.module_file = grammar.source.text(node).strip(_QUOTES)


def read_path(extraction: Extraction, node: Node, start: int, _end: int) -> None:
    """Read a path in the code; each is listed once, when the file has been read."""
    grammar = _grammar(extraction)
    if any(frame.kind == "import" for frame in grammar.stack):
        return
    kinds, whole = grammar.source.language.path_kinds, node
    while (around := whole.parent) is not None and around.kind_id in kinds:
        if around.start_byte != start:
            return  # the arguments of a type
        whole = around
    if node.kind_id in kinds:
        path = _joined(grammar, grammar.source.flat(whole), start)
    else:  # in a macro, where only its signs are known
        sign = grammar.source.tables.separator
        found = re.compile(rf"\w+(?:\s*+{re.escape(sign)}\s*+\w+)*".encode()).match(
            grammar.source.data, start
        )
        path = _joined(grammar, found[0].decode() if found else "", start) + f"{sign}_"
    if not path[:1].isupper() and "<" not in path:
        grammar.paths.setdefault(path, node.start_point.row + 1)


def add_paths(grammar: GrammarExtraction) -> None:
    """Add the paths in the code as imports that bind nothing, unless an import explains them."""
    sign = grammar.source.tables.separator
    bound = {name["local"] for item in grammar.facts["imports"] for name in item["names"]}
    bound -= grammar.source.tables.own_module | grammar.source.tables.outer_module
    listed = {item["source"] for item in grammar.facts["imports"]}
    for path, line in grammar.paths.items():
        module = path.rpartition(sign)[0]
        if path.partition(sign)[0] not in bound and module not in listed:
            listed.add(module)
            grammar.facts["imports"].append(
                {"source": module, "line": line, "kind": "import", "names": []}
            )


def read_package(extraction: Extraction, node: Node, _start: int, _end: int) -> None:
    """Read the package of the file; its types are imported when the file has been read."""
    grammar = _grammar(extraction)
    _add(grammar, node, _joined(grammar, grammar.source.flat(node), node.start_byte), None)
    grammar.package = grammar.facts["imports"][-1]


def add_package(grammar: GrammarExtraction, captures: Mapping[str, Sequence[Node]]) -> None:
    """Let the package and the imports of everything give the types that the file mentions.

    Which of them are there is known to whoever knows the files.
    """
    imports = grammar.facts["imports"]
    whole = [item for item in imports if any(n["imported"] == _EVERYTHING for n in item["names"])]
    if grammar.package is not None:
        whole.append(grammar.package)
    elif grammar.source.language.modules != "java":
        return
    data = grammar.source.data
    nodes = (*captures.get("identifier.type", ()), *captures.get("identifier", ()))
    heads = (*captures.get("import", ()), *captures.get("import.package", ()))
    begin = max((node.end_byte for node in heads), default=0)
    named = {
        data[node.start_byte : node.end_byte].decode() for node in nodes if node.start_byte > begin
    }
    known = {name["local"] for item in imports for name in item["names"]}
    known |= {one["name"] for kind in _TYPES for one in grammar.facts[kind]}
    names = [
        {"imported": name, "local": name} for name in sorted(named - known) if name[:1].isupper()
    ]
    for item in whole:
        item["names"] += names


def _joined(grammar: GrammarExtraction, path: str, at: int) -> str:
    """A path behind that of the list around it, from the module that is the file."""
    tables = grammar.source.tables
    sign = tables.separator
    while grammar.prefixes and grammar.prefixes[-1][0] <= at:
        grammar.prefixes.pop()
    below = grammar.prefixes[-1][1] if grammar.prefixes else ""
    whole = "".join(path.split()).removeprefix(sign) if sign else path
    if below:
        return f"{below}{sign}{whole}" if whole else below
    inner = [frame.name for frame in grammar.stack if frame.kind == "namespace"]
    first, _, rest = whole.partition(sign)
    if not inner or first not in tables.own_module | tables.outer_module:
        return whole
    own = next(iter(tables.own_module))
    while first in tables.outer_module and inner:
        inner.pop()
        if not inner and rest.partition(sign)[0] in tables.outer_module:
            return rest
        if rest.partition(sign)[0] not in tables.outer_module:
            break
        first, _, rest = rest.partition(sign)
    return sign.join(filter(None, (own, *inner, rest)))


def _add(grammar: GrammarExtraction, node: Node, module: str, name: Facts | None) -> None:
    """Add an import, or a name to that of the same module in the statement."""
    statement = next((f for f in reversed(grammar.stack) if f.kind == "import"), None)
    line = (statement.node if statement is not None else node).start_point.row + 1
    if grammar.source.tables.separator == "":
        line = node.start_point.row + 1
    passed_on = statement is not None and statement.exported
    if name is not None and passed_on:
        grammar.export(name["local"], line, local=name["imported"], source=module)
    kind = "re-export" if passed_on else "import"
    last = grammar.facts["imports"][-1] if grammar.facts["imports"] else None
    if last is not None and name is not None:
        same = {"source": module, "line": line, "kind": kind}
        if all(last[key] == value for key, value in same.items()):
            last["names"].append(name)
            return
    names = [name] if name is not None else []
    grammar.facts["imports"].append({"source": module, "line": line, "kind": kind, "names": names})
