"""The functions of a file, ordered by complexity."""

from collections.abc import Iterator
from typing import Any

from ipuaro_jupyter.index.extract.facts_format import unpack_facts


def complex_functions(blob: bytes) -> list[dict[str, Any]]:
    """The functions and methods of a file, the most complex first.

    Ordered by what nesting and decisions add to a file's score, then by line. The fields are named
    as in `records.code.Function`; signatures are left out.

    Args:
        blob: The facts of the file, as stored.
    """
    functions = [found for found in _functions(unpack_facts(blob)) if found["has_body"]]
    return sorted(functions, key=lambda found: (-_weight(found), found["line_start"]))


def _functions(facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from facts["functions"]
    for holder in facts["classes"]:
        yield from holder["methods"]
        yield from (field["function"] for field in holder["properties"] if field.get("function"))


def _weight(function: dict[str, Any]) -> int:
    return int(function["nesting"]) * 15 + int(function["cyclomatic"]) * 10
