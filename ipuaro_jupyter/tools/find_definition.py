"""Find where a symbol is defined."""

from typing import ClassVar

from ipuaro_jupyter.index.binding.definitions import bare_name
from ipuaro_jupyter.records.code import SymbolKind, SymbolLocation
from ipuaro_jupyter.records.outputs import Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.records.unread import IncompleteOutput
from ipuaro_jupyter.tools.declaring_files import not_declared
from ipuaro_jupyter.tools.source_lines import SourceLines, is_notebook, opened_at, where
from ipuaro_jupyter.tools.tool import Project, tool


class Definition(Record):
    """One definition. ``context`` holds the lines from ``context_start`` (1-based) on.

    In a notebook, ``cell`` is the 1-based number of the cell with the lines.
    """

    path: str
    cell: int | None = None
    line: int
    type: SymbolKind
    name: str
    context: tuple[str, ...]
    context_start: int


class Suggestion(Record):
    """A symbol with a similar name."""

    name: str
    path: str
    cell: int | None = None
    line: int


class Definitions(IncompleteOutput):
    """All definitions of a symbol, by path and line; suggestions when there is none."""

    rows_of: ClassVar[str] = "definitions"

    symbol: str
    definitions: tuple[Definition, ...]
    suggestions: tuple[Suggestion, ...] = ()

    def text(self) -> str:
        """Each definition with its lines, or suggestions."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The definitions one by one."""
        if not self.definitions:
            told = [f"Symbol {self.symbol!r} not found."]
            if self.suggestions:
                told += ["", "Did you mean?"]
                told += [
                    f"  - {s.name} ({where(s.path, s.line, s.cell)})" for s in self.suggestions
                ]
            return Parts(entries=tuple(told), tail=self.unread_line)
        count = len(self.definitions)
        return Parts(
            head=f"Symbol: {self.symbol}\nFound {count} definition{'s' * (count > 1)}:",
            entries=tuple(
                f"\n{where(found.path, found.line, found.cell)} ({found.type})\n{_lines(found)}"
                for found in self.definitions
            ),
            brief=tuple(
                f"{where(found.path, found.line, found.cell)} ({found.type})"
                for found in self.definitions
            ),
            without="lines are left out: read them with get_lines",
            groups=tuple(found.path for found in self.definitions),
            note="{left} more {inside}: name it as Class.method",
            tail=self.unread_line,
        )

    def shape(self) -> Table:
        """A row per definition, or per suggestion."""
        rows: tuple[tuple[str | int, ...], ...]
        if self.definitions:
            rows = tuple((where(d.path, d.line, d.cell), d.type, d.name) for d in self.definitions)
            return Table(
                title=f"Definitions of {self.symbol}",
                columns=("where", "kind", "name"),
                rows=rows,
                kinds={"where": "path"},
                note=self.unread_remark,
                places=tuple(opened_at(d.path, d.line, d.cell) for d in self.definitions),
            )
        rows = tuple((s.name, where(s.path, s.line, s.cell)) for s in self.suggestions)
        return Table(
            title=f"{self.symbol} is not defined here; similar names",
            columns=("name", "where"),
            rows=rows,
            kinds={"where": "path"},
            note=self.unread_remark,
            places=tuple(opened_at(s.path, s.line, s.cell) for s in self.suggestions),
        )


def _lines(found: Definition) -> str:
    return "\n".join(f"  {n:4d}: {t}" for n, t in enumerate(found.context, found.context_start))


@tool(
    aliases=("go_to_definition", "goto_definition", "get_definition", "find_symbol"),
    rare=("declared_in",),
    names={"symbol": "symbol", "declared_in": "file"},
)
def find_definition(project: Project, symbol: str, declared_in: str = "") -> Definitions:
    """Find where a function, class, method, type or constant is defined.

    Args:
        symbol: Name, or Class.method.
        declared_in: The file that declares it, if several do.
    """
    found = []
    locations = project.index.definitions(symbol)
    if declared_in:
        declared_in = project.workspace.relative(declared_in)
        locations = [place for place in locations if place.path == declared_in]
        if not locations:
            raise not_declared(project, symbol, declared_in)
    lines = SourceLines(project.workspace, project.index.texts({at.path for at in locations}))
    for location in locations:
        start, context = lines.around(location.path, location.line, after=2)
        cell, line = lines.place(location.path, location.line)
        found.append(
            Definition(
                path=location.path,
                cell=cell,
                line=line,
                type=location.kind,
                name=location.qualified,
                context=context,
                context_start=start,
            )
        )
    unread = project.index.unread.of(bare_name(symbol))
    similar = () if found else project.index.similar(symbol)
    return Definitions(
        symbol=symbol,
        definitions=tuple(found),
        suggestions=tuple(_suggestion(lines, place) for place in similar),
        not_looked_at=unread.kinds,
        unread_with_name=unread.naming,
    )


def _suggestion(lines: SourceLines, place: SymbolLocation) -> Suggestion:
    cell, line = (
        lines.place(place.path, place.line) if is_notebook(place.path) else (None, place.line)
    )
    return Suggestion(name=place.qualified, path=place.path, cell=cell, line=line)
