"""The facts of JavaScript and TypeScript files as the index has them, in rows.

    python our_facts.py ROOT < paths.txt > facts.jsonl

One path a line in, relative to ROOT; one object a line out, as syntax_facts.cjs writes it.
"""

import sys
from pathlib import Path
from typing import Any

import msgspec

from ipuaro_jupyter.index.extract import parse, postings
from ipuaro_jupyter.index.extract.facts import facts_of, postings_of
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.languages.syntax import Syntax, read_syntax

Row = list[Any]


def rows_of(path: str, data: bytes) -> dict[str, Any]:
    """Return the rows of a file by kind, with its ``path`` and ``parse_error``.

    Of a file that is not parsed there are no rows.
    """
    language = language_for(path)
    problem = parse._reason_unparsed(data, language)
    if problem is not None or language is None:
        return {"path": path, "parse_error": problem}
    syntax = read_syntax(language, data)
    facts, definitions = facts_of(syntax, data)
    functions = facts["functions"]
    holders = [*facts["classes"], *facts["interfaces"]]
    methods = [method for holder in holders for method in holder["methods"]]
    fields = [field for holder in facts["classes"] for field in holder["properties"]]
    inner = [field["function"] for field in fields if field["function"]]
    metrics = facts["metrics"]
    return {
        "path": path,
        "parse_error": None if syntax.error_line is None else f"line {syntax.error_line}",
        "imports": [[i["source"], i["line"], i["kind"], _names(i)] for i in facts["imports"]],
        "exports": [[e["name"], e["line"], e["local"], e["source"]] for e in facts["exports"]],
        "functions": [_function(function) for function in functions],
        "methods": [_function(method) for method in methods],
        "signatures": [
            [f["qualified"], f["line_start"], *_signature(f)] for f in (*functions, *methods)
        ],
        "complexity": [
            [f["qualified"], f["line_start"], f["cyclomatic"], f["nesting"]]
            for f in (*functions, *methods, *inner)
        ],
        "classes": [
            [*_lines(c), c["extends"], c["implements"], c["is_abstract"], c["is_exported"]]
            for c in facts["classes"]
        ],
        "properties": [_property(h, f) for h in facts["classes"] for f in h["properties"]],
        "interfaces": [[*_lines(i), i["extends"], i["is_exported"]] for i in facts["interfaces"]],
        "fields": [_property(h, f) for h in facts["interfaces"] for f in h["fields"]],
        "types": [[*_lines(t), t["text"], t["is_exported"]] for t in facts["types"]],
        "enums": [[*_lines(e), e["members"], e["is_exported"]] for e in facts["enums"]],
        "namespaces": [
            [n["qualified"], n["name"], n["line_start"], n["line_end"], n["is_exported"]]
            for n in facts["namespaces"]
        ],
        "variables": [
            [v["qualified"], v["kind"], v["line_start"], v["line_end"], v["is_exported"]]
            for v in facts["variables"]
        ],
        "definitions": _definitions(data, definitions),
        "identifiers": [
            list(pair) for pair in postings.counts(postings_of(facts, syntax, data, definitions))
        ],
        "comments": _comments(syntax),
        "metrics": [[metrics["loc"], metrics["nesting_depth"], metrics["cyclomatic_complexity"]]],
    }


def _names(found: dict[str, Any]) -> Row:
    return [[name["imported"], name["local"]] for name in found["names"]]


def _lines(found: dict[str, Any]) -> Row:
    return [found["qualified"], found["line_start"], found["line_end"]]


def _signature(found: dict[str, Any]) -> Row:
    params = [[p["name"], p["type"], p["is_optional"], p["is_rest"]] for p in found["params"]]
    return [params, found["return_type"]]


def _function(found: dict[str, Any]) -> Row:
    flags = ("is_async", "is_generator", "is_static", "is_abstract", "has_body", "is_exported")
    name, *lines = _lines(found)
    return [name, found["kind"], *lines, *(found[flag] for flag in flags)]


def _property(holder: dict[str, Any], field: dict[str, Any]) -> Row:
    function = field["function"]
    held = None
    if function is not None:
        names = ("qualified", "kind", "is_async", "is_generator")
        held = [*(function[name] for name in names), *_signature(function)]
    return [
        f"{holder['qualified']}.{field['name']}",
        *(field[name] for name in ("line_start", "line_end", "type", "is_static", "is_readonly")),
        held,
    ]


def _definitions(data: bytes, places: dict[str, list[int]]) -> list[Row]:
    rows = {
        (name, data.count(b"\n", 0, offset) + 1)
        for name, offsets in places.items()
        for offset in offsets
    }
    return [list(row) for row in sorted(rows)]


def _comments(syntax: Syntax) -> list[Row]:
    nodes = syntax.captures.get("comment", ())
    return sorted([node.start_point.row + 1, node.end_point.row + 1] for node in nodes)


if __name__ == "__main__":
    root = Path(sys.argv[1])
    for line in sys.stdin.read().splitlines():
        made = rows_of(line, (root / line).read_bytes())
        sys.stdout.buffer.write(msgspec.json.encode(made) + b"\n")
