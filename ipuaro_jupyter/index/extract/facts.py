"""Extract the facts of a parsed file from the query's captures."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from ipuaro_jupyter.index.extract import extractor as reading
from ipuaro_jupyter.index.extract import postings
from ipuaro_jupyter.index.extract.ecmascript import (
    bindings,
    classes,
    declarations,
    exports,
    imports,
)
from ipuaro_jupyter.index.extract.ecmascript.lost_imports import add_lost_imports
from ipuaro_jupyter.index.extract.ecmascript.shadowing import Scopes, shadowed_places
from ipuaro_jupyter.index.extract.extractor import Extraction, Readers
from ipuaro_jupyter.index.extract.todos import MARKER, has_markers, todos_of_comment
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.syntax import Syntax

_READERS = Readers(
    {
        "export": exports.read_export,
        "import": imports.read_import,
        "decorator": classes.read_decorator,
        "variables": bindings.read_variables,
        "export.value": exports.read_export_value,
        "binding": bindings.read_binding,
        "binding.maybe": bindings.read_binding,
        "property": declarations.read_property,
        "extends": classes.read_extends,
        "implements": classes.read_implements,
        "namespace": classes.read_namespace,
        "interface": classes.read_interface,
        "enum": classes.read_enum,
        "type": classes.read_type,
        "class": classes.read_class,
        "class.expression": classes.read_class_expression,
        "class.broken": classes.read_broken_class,
        "function": declarations.read_function,
        "function.expression": declarations.read_function_expression,
        "function.arrow": declarations.read_arrow,
        "method": declarations.read_method,
        "member": classes.read_member,
        "import.source": imports.read_source,
        "import.default": imports.read_default,
        "import.all": imports.read_all,
        "import.name": imports.read_name,
        "import.equals": imports.read_equals,
        "import.alias": imports.read_alias,
        "load": imports.read_load,
        "export.all": exports.read_export_all,
        "export.name": exports.read_export_name,
        "branch": reading.read_branch,
        "branch.block": reading.read_block,
        "decision": reading.read_decision,
    }
)


Found = tuple[dict[str, Any], dict[str, list[int]]]
"""The facts of a file, and the offsets of its definitions.

The facts are lists, markers and metrics, named as in `FileFacts`; the offsets are those of the
definitions' names, in bytes, by qualified name.
"""

QuotedNames = Callable[[Syntax, bytes, Mapping[bytes, Sequence[int]]], Iterator[tuple[bytes, int]]]
"""Yields further names of a file with their places, given the places of the others."""
_BLANKS = b" \t\r\f\v"


def facts_of(syntax: Syntax, data: bytes) -> Found:
    """The facts of a file in a language with the reader ``declarations``."""
    captures = dict(syntax.captures)
    root = syntax.tree.root_node
    extraction = Extraction(data, syntax, _READERS)
    extraction.chained = {node.start_byte for node in captures.get("branch.chained", ())}
    source = extraction.source
    captures["binding.maybe"] = bindings.worth_reading(source, captures.get("binding.maybe", []))
    captures["variables"] = bindings.top_variables(source, root)
    captures["load"] = imports.loads(source, root)
    _READERS.read_all(extraction, captures)
    imports.add_patched(extraction, syntax.patched)
    exports.finish_exports(extraction)
    extraction.variables.sort(key=itemgetter(0))
    extraction.facts["variables"] = [
        record for start, record in extraction.variables if start not in extraction.claimed
    ]
    found = finished(extraction, captures, data)
    if syntax.error_line is not None:
        add_lost_imports(found[0], data, root)
    return found


def finished(extraction: Extraction, captures: Mapping[str, list[Node]], data: bytes) -> Found:
    """The facts that a sweep has collected, with markers and metrics added."""
    facts: dict[str, Any] = dict(extraction.facts)
    comments = sorted([(node.start_byte, node.end_byte) for node in captures.get("comment", ())])
    facts["todos"] = _todos(data, comments)
    facts["metrics"] = {
        "loc": count_code_lines(data, comments),
        "nesting_depth": extraction.deepest,
        "cyclomatic_complexity": 1 + extraction.decisions,
    }
    definitions: defaultdict[str, list[int]] = defaultdict(list)
    for qualified, place in sorted(set(extraction.places)):
        definitions[qualified].append(place)
    return facts, definitions


def _todos(data: bytes, comments: list[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return the markers in ``comments``, which are sorted."""
    found: list[dict[str, Any]] = []
    if has_markers(b"\n".join([data[start:end] for start, end in comments])):
        for start, end in comments:
            if MARKER.search(data, start, end):
                line = data.count(b"\n", 0, start) + 1
                found += todos_of_comment(data[start:end].decode(), line)
    return found


def postings_of(
    facts: Mapping[str, Any],
    syntax: Syntax,
    data: bytes,
    definitions: Mapping[str, list[int]],
    *,
    unsure: Callable[[int], bool] | None = None,
    quoted: QuotedNames | None = None,
    whole: str = "",
) -> bytes:
    """The postings of a file: where each name occurs; see `postings`.

    Args:
        facts: The facts of the file.
        syntax: Its syntax tree.
        data: Its bytes.
        definitions: Byte offsets of its declared names, by qualified name.
        unsure: Tells whether only the syntax tree can resolve a name at an offset.
        quoted: Finds the names in quotes that are no data.
        whole: A name for the whole file, which counts as declared at its first byte.
    """
    captures = syntax.captures
    places: defaultdict[bytes, list[int]] = defaultdict(list)
    _place(places, data, captures.get("identifier.type", ()))
    for builtin in syntax.language.tables.builtin_types:
        places.pop(builtin.encode(), None)
    _place(places, data, captures.get("identifier", ()))
    for node in captures.get("identifier.member", ()):
        start = node.start_byte
        places[data[start : node.end_byte]].append(start << postings.ROLE_BITS | postings.MEMBER)
    if syntax.language.reader == "grammar":  # its scopes are not known: names are names
        return postings.encode(places)
    root = syntax.tree.root_node
    known = [(node.start_byte, node.end_byte) for node in syntax.captures.get("import", ())]
    members = {name.encode() for enum in facts["enums"] for name in enum["members"]}
    for name, told_apart in shadowed_places(
        Scopes(syntax.language, root, data),
        definitions,
        names=_shared(facts),
        members=members,
        places=places,
        imports=known,
    ):
        places[name] = told_apart
    if unsure is not None:
        for name, found in places.items():
            places[name] = [_role(place, unsure) for place in found]
    if quoted is not None:
        for name, place in list(quoted(syntax, data, places)):
            places[name].append(place)
    if whole:
        places[whole.encode()].append(postings.place_of(0))
    return postings.encode(places)


def _role(place: int, unsure: Callable[[int], bool]) -> int:
    """A place with the role that its name has where some can only be resolved by the tree."""
    is_known = postings.role_of(place) == postings.MEMBER or not unsure(postings.offset_of(place))
    return place if is_known else place | postings.UNSURE


def _place(places: defaultdict[bytes, list[int]], data: bytes, nodes: Iterable[Node]) -> None:
    """Add the occurrences of names, without roles, to ``places``."""
    for node in nodes:
        start = node.start_byte
        places[data[start : node.end_byte]].append(start << postings.ROLE_BITS)


def _shared(facts: Mapping[str, Any]) -> set[bytes]:
    """The names that a file imports, and those of its own that others may import.

    A renamed import or export is here under both names.
    """
    names = {name["local"] for item in facts["imports"] for name in item["names"]}
    names |= {name["imported"] for item in facts["imports"] for name in item["names"]}
    for item in facts["exports"]:
        if item["source"] is None:
            names |= {item["local"], item["name"]}
    return {name.encode() for name in names if name}


def count_code_lines(data: bytes, comments: Iterable[tuple[int, int]]) -> int:
    """The number of lines that hold a token of code.

    Args:
        data: The file. Lines end with LF or CRLF.
        comments: Start and end of each comment, in bytes, ascending; they do not overlap.
    """
    kept: list[bytes] = []
    position = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    for start, end in comments:
        kept.append(data[position:start])
        if data.find(b"\n", start, end) >= 0:  # code on both sides stands on two lines
            kept.append(b"\n")
        position = end
    kept.append(data[position:])
    lines = b"".join(kept).translate(None, _BLANKS)
    return len(lines.split())  # only ends of lines are left to split at
