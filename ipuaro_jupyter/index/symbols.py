"""The symbols that a file declares, and the names under which they are found."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from ipuaro_jupyter.records.code import SymbolKind


class Declared(msgspec.Struct, frozen=True, gc=False):
    """What is read of a declaration; see `records.code`."""

    name: str
    line_start: int
    line_end: int
    qualified: str = ""
    kind: str = ""
    members: list[str] = []
    function: dict[str, object] | None = None
    methods: list["Declared"] = []
    properties: list["Declared"] = []
    fields: list["Declared"] = []


class Declarations(msgspec.Struct, frozen=True, gc=False):
    """What is read of a file's facts to find its symbols."""

    functions: list[Declared]
    classes: list[Declared]
    interfaces: list[Declared]
    types: list[Declared]
    enums: list[Declared]
    namespaces: list[Declared]
    variables: list[Declared]


class Symbol(NamedTuple):
    """A declaration; the lines are 1-based, the last one included."""

    name: str
    qualified: str
    kind: SymbolKind
    line: int
    line_end: int

    @property
    def lookups(self) -> Iterator[str]:
        """The names it is found by: bare, qualified, and every end of the qualified name."""
        yield self.name
        rest = self.qualified
        if rest != self.name:
            yield rest
        while "." in rest and not any(sign in rest for sign in "\"'[`"):
            rest = rest.partition(".")[2]
            if rest != self.name:
                yield rest


def symbols_of(declarations: Declarations) -> Iterator[Symbol]:
    """Yield every symbol of a file, with its lines; members of enums have those of the enum."""
    for function in declarations.functions:
        yield _symbol(function, "function")
    for holder in declarations.classes:
        yield _symbol(holder, "class")
        yield from _members(holder)
    for holder in declarations.interfaces:
        yield _symbol(holder, "interface")
        yield from _members(holder)
    for alias in declarations.types:
        yield _symbol(alias, "type")
    for enum in declarations.enums:
        yield _symbol(enum, "enum")
        for member in enum.members:
            qualified = f"{enum.qualified}.{member}"
            yield Symbol(member, qualified, "property", enum.line_start, enum.line_end)
    for namespace in declarations.namespaces:
        yield _symbol(namespace, "namespace")
    for variable in declarations.variables:
        yield _symbol(variable, "const" if variable.kind == "const" else "variable")


def named_lines(
    symbols: Iterable[Symbol], definitions: Mapping[str, list[int]], data: bytes
) -> Iterator[Symbol]:
    """Yield the symbols with the lines that their names stand on.

    Args:
        symbols: The symbols of a file, with the lines where the declarations begin.
        definitions: Where names are, in bytes, by qualified name.
        data: The file.
    """
    line_at: dict[int, int] = {}
    line, last = 1, 0
    for offset in sorted({offset for offsets in definitions.values() for offset in offsets}):
        line += data.count(b"\n", last, offset)
        line_at[offset], last = line, offset
    lines_of = {
        name: sorted(line_at[offset] for offset in offsets) for name, offsets in definitions.items()
    }
    for symbol in symbols:
        lines = lines_of.get(symbol.qualified, [])
        place = bisect_left(lines, symbol.line)
        within = place < len(lines) and lines[place] <= symbol.line_end
        named = lines[place] if within else symbol.line
        yield symbol if named == symbol.line else symbol._replace(line=named)


def _members(holder: Declared) -> Iterator[Symbol]:
    for method in holder.methods:
        yield _symbol(method, "function")
    for field in (*holder.properties, *holder.fields):
        kind: SymbolKind = "property" if field.function is None else "function"
        qualified = f"{holder.qualified}.{field.name}"
        yield Symbol(field.name, qualified, kind, field.line_start, field.line_end)


def _symbol(declared: Declared, kind: SymbolKind) -> Symbol:
    return Symbol(declared.name, declared.qualified, kind, declared.line_start, declared.line_end)
