"""The symbols that a file declares, and the names under which they are found."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Facts = dict[str, Any]
Symbol = tuple[str, str, str, int, int]
"""Name, qualified name, `SymbolKind`, first and last line (1-based, last included)."""

SymbolRow = tuple[str, int, str, str]
"""Name, its line (1-based), `SymbolKind`, and qualified name."""

_QUOTES = "\"'[`"
_KIND_OF_VARIABLE = {"const": "const", "variable": "variable", "key": "property"}


def symbol_rows(facts: Facts, definitions: Mapping[str, list[int]], data: bytes) -> list[SymbolRow]:
    """The symbols of a file.

    Args:
        facts: The declarations of the file.
        definitions: Byte offsets of the declared names, by qualified name.
        data: The file.
    """
    line_at = _lines(definitions, data)
    repeated: dict[str, list[int]] = {}
    rows = []
    for name, qualified, kind, first, last in symbols_of(facts):
        line = first
        offsets = definitions.get(qualified)
        if offsets is not None:
            if len(offsets) == 1:
                named = line_at[offsets[0]]
            else:
                lines = repeated.get(qualified)
                if lines is None:
                    lines = repeated[qualified] = sorted(line_at[offset] for offset in offsets)
                place = bisect_left(lines, first)
                named = lines[place] if place < len(lines) else 0
            if first <= named <= last:
                line = named
        rows.append((name, line, kind, qualified))
    return rows


def ends_of(symbol: str) -> list[str]:
    """The bare names of a symbol: the whole of it, and the part after each dot."""
    found = [symbol]
    while "." in symbol:
        symbol = symbol.partition(".")[2]
        found.append(symbol)
    return found


def is_called(symbol: str, name: str, qualified: str) -> bool:
    """Whether a symbol has this bare name, qualified name, or end of a qualified name."""
    if symbol in (name, qualified):
        return True
    return qualified.endswith(f".{symbol}") and not any(sign in qualified for sign in _QUOTES)


def symbols_of(facts: Facts) -> Iterator[Symbol]:
    """Yield every symbol of a file with its lines; enum members have those of the enum."""
    for function in facts["functions"]:
        yield _symbol(function, "function")
    for holder in facts["classes"]:
        yield _symbol(holder, "class")
        yield from _members(holder, holder["properties"])
    for holder in facts["interfaces"]:
        yield _symbol(holder, "interface")
        yield from _members(holder, holder["fields"])
    for alias in facts["types"]:
        yield _symbol(alias, "type")
        yield from _members(alias, alias["fields"])
    for enum in facts["enums"]:
        yield _symbol(enum, "enum")
        first, last = enum["line_start"], enum["line_end"]
        for member in enum["members"]:
            yield member, f"{enum['qualified']}.{member}", "property", first, last
    for namespace in facts["namespaces"]:
        yield _symbol(namespace, "namespace")
    for variable in facts["variables"]:
        yield _symbol(variable, _KIND_OF_VARIABLE[variable["kind"]])


def _lines(definitions: Mapping[str, list[int]], data: bytes) -> dict[int, int]:
    """The 1-based lines of the offsets."""
    line_at: dict[int, int] = {}
    line, last = 1, 0
    count = data.count
    for offset in sorted({offset for offsets in definitions.values() for offset in offsets}):
        line += count(b"\n", last, offset)
        line_at[offset], last = line, offset
    return line_at


def _members(holder: Facts, fields: Iterable[Facts]) -> Iterator[Symbol]:
    for method in holder["methods"]:
        yield _symbol(method, "function")
    around = holder["qualified"]
    for field in fields:
        name = field["name"]
        kind = "property" if field["function"] is None else "function"
        yield name, f"{around}.{name}", kind, field["line_start"], field["line_end"]


def _symbol(record: Facts, kind: str) -> Symbol:
    return (
        record["name"],
        record["qualified"],
        kind,
        record["line_start"],
        record["line_end"],
    )
