"""Find where a symbol is defined."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from ipuaro_jupyter.index.binding.definitions import bare_name, plain_name
from ipuaro_jupyter.index.extract.facts_format import LineRange, declared_range
from ipuaro_jupyter.index.installed.installed_packages import InstalledAnswer, InstalledDeclaration
from ipuaro_jupyter.records.code import SymbolKind, SymbolLocation
from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.records.outputs import Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.records.unread import IncompleteOutput
from ipuaro_jupyter.tools.declaring_files import not_declared
from ipuaro_jupyter.tools.source_lines import (
    BODY_LINES,
    SourceLines,
    is_notebook,
    opened_at,
    where,
)
from ipuaro_jupyter.tools.tool import Project, tool


class Definition(Record):
    """One definition. ``context`` holds the lines from ``context_start`` (1-based) on.

    Of the only one, it holds all lines if they are at most 40; ``line_end`` is then the last one,
    and also where there are more. Of several, ``context`` is the lines around the name.

    In a notebook, ``cell`` is the 1-based number of the cell with the lines. ``package`` is the
    installed package, with its version, that has it; None: it is in the project. ``by_name`` is
    True when no import leads to it for certain, and only name and package are right.
    """

    path: str
    cell: int | None = None
    line: int
    line_end: int | None = None
    type: SymbolKind
    name: str
    context: tuple[str, ...]
    context_start: int
    package: str | None = None
    by_name: Literal[True] | None = None

    @property
    def kind(self) -> str:
        """What it is, and the package that has it."""
        return f"{self.type}, {self.package}" if self.package else self.type


class Suggestion(Record):
    """A symbol with a similar name."""

    name: str
    path: str
    cell: int | None = None
    line: int


class Definitions(IncompleteOutput):
    """All definitions of a symbol, by path and line; suggestions when there is none.

    ``imported_from`` lists the packages that the symbol is imported from when it was not found
    there.
    """

    rows_of: ClassVar[str] = "definitions"

    symbol: str
    definitions: tuple[Definition, ...]
    suggestions: tuple[Suggestion, ...] = ()
    imported_from: tuple[str, ...] = ()

    @property
    def lead(self) -> str:
        """What it is and where, if there is just one in the project."""
        own = [found for found in self.definitions if not found.package]
        if len(own) != 1:
            return ""
        found = own[0]
        place = where(found.path, found.line, found.cell)
        article = "an" if found.type[0] in "aei" else "a"
        return f"`{found.name}` is {article} {found.type}, declared in {place}."

    def text(self) -> str:
        """Each definition with its lines, or suggestions."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The definitions one by one."""
        if not self.definitions:
            told = [f"Symbol {self.symbol!r} not found."]
            if self.imported_from:
                told.append(f"It is imported from {self._not_found_there}")
            if self.suggestions:
                told += ["", "Did you mean?"]
                told += [
                    f"  - {s.name} ({where(s.path, s.line, s.cell)})" for s in self.suggestions
                ]
            return Parts(entries=tuple(told), tail=self.unread_line)
        also = f"\n\nFiles also import it from {self._not_found_there}" * bool(self.imported_from)
        return Parts(
            head=f"Symbol: {self.symbol}\n{self._heading}",
            entries=tuple(
                f"\n{where(found.path, found.line, found.cell)} ({found.kind})\n{_lines(found)}"
                for found in self.definitions
            ),
            brief=tuple(
                f"{where(found.path, found.line, found.cell)} ({found.kind})"
                for found in self.definitions
            ),
            without="lines are left out: read them with get_lines",
            groups=tuple(found.path for found in self.definitions),
            note="{left} more {inside}: name it as Class.method",
            tail=also + self.unread_line,
        )

    @property
    def _not_found_there(self) -> str:
        return (
            f"{named(self.imported_from, 4)}, which is not installed in this folder, or does not"
            " declare it in a way that is understood here."
        )

    @property
    def _heading(self) -> str:
        own = [found for found in self.definitions if not found.package]
        ones = {(found.path, found.name) for found in own or self.definitions}
        count = counted(len(ones), "definition")
        if len(ones) < len(own or self.definitions):  # overloads, accessors, branches
            count += f" in {len(own or self.definitions):,} places"
        if own:
            others = len(self.definitions) - len(own)
            also = f", and {others} in installed packages, from which files import it, too"
            return f"{self._meant}Found {count}{also * bool(others)}:"
        told = "Not declared in the project; in installed packages, "
        if any(found.by_name for found in self.definitions):
            return f"{told}the import does not lead to it for certain, but these have the name:"
        return f"{told}{count}:"

    @property
    def _meant(self) -> str:
        """What the symbol stands for, where that has another name; "" otherwise."""
        symbol = plain_name(self.symbol)
        names = dict.fromkeys(found.name for found in self.definitions if not found.package)
        ends = [(f".{symbol}", f".{name}") for name in names]
        if any(one.endswith(other) or other.endswith(one) for one, other in ends):
            return ""
        return f"{self.symbol} is {named(list(names))}. "

    def shape(self) -> Table:
        """A row per definition, or per suggestion."""
        rows: tuple[tuple[str | int, ...], ...]
        if self.definitions:
            is_elsewhere = any(d.path.startswith("/") for d in self.definitions)
            rows = tuple((where(d.path, d.line, d.cell), d.kind, d.name) for d in self.definitions)
            return Table(
                title=f"Definitions of {self.symbol}",
                columns=("where", "kind", "name"),
                rows=rows,
                kinds={"where": "path"},
                note=self.unread_remark,
                places=()
                if is_elsewhere
                else tuple(opened_at(d.path, d.line, d.cell) for d in self.definitions),
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
    lines = [f"  {n:4d}: {t}" for n, t in enumerate(found.context, found.context_start)]
    if found.line_end and found.line_end >= found.context_start + len(found.context):
        lines.append(f"  [it goes on to line {found.line_end}: read it with get_lines]")
    return "\n".join(lines)


@tool(
    aliases=("go_to_definition", "goto_definition", "get_definition", "find_symbol"),
    rare=("declared_in",),
    names={"symbol": "symbol", "declared_in": "file"},
)
def find_definition(project: Project, symbol: str, declared_in: str = "") -> Definitions:
    """Find where a function, class, method, type or constant is defined.

    A name that comes from an installed package is found there.

    Args:
        symbol: Name, or Class.method.
        declared_in: The file that declares it, if several do.
    """
    found = []
    if declared_in:
        declared_in = project.workspace.relative(declared_in)
    every = project.index.definitions(symbol)
    locations = [place for place in every if not declared_in or place.path == declared_in]
    if not locations and ("." in plain_name(symbol) or not every):
        locations = project.index.meant_definitions(symbol, declared_in=declared_in)
    if declared_in and not locations:
        raise not_declared(project, symbol, declared_in)
    lines = SourceLines(project.workspace, project.index.texts({at.path for at in locations}))
    whole = _range(project, locations)
    for location in locations:
        start, context = lines.around(location.path, location.line, after=2)
        if whole is not None and whole[1] - whole[0] < BODY_LINES:
            after = whole[1] - whole[0]
            start, context = lines.around(location.path, whole[0], before=0, after=after)
        cell, line = lines.place(location.path, location.line)
        found.append(
            Definition(
                path=location.path,
                cell=cell,
                line=line,
                line_end=None if whole is None else lines.place(location.path, whole[1])[1],
                type=location.kind,
                name=location.qualified,
                context=context,
                context_start=start,
            )
        )
    is_own = bool(declared_in) or "." in plain_name(symbol)
    is_own = is_own or any(place.name == plain_name(symbol) for place in every)
    elsewhere = _elsewhere(project, symbol, is_found=bool(found), is_own=is_own)
    found += map(_installed, elsewhere.declarations)
    unread = project.index.unread.of(bare_name(symbol))
    similar = () if found else project.index.similar(symbol)
    return Definitions(
        symbol=symbol,
        definitions=tuple(found),
        suggestions=tuple(_suggestion(lines, place) for place in similar),
        imported_from=() if elsewhere.declarations else elsewhere.sources,
        not_looked_at=unread.kinds,
        unread_with_name=unread.naming,
    )


def _range(project: Project, locations: Sequence[SymbolLocation]) -> LineRange | None:
    """The lines of the only declaration; None when there are several, or it has no such lines."""
    if len(locations) != 1:
        return None
    facts = project.index.blobs([locations[0].path]).get(locations[0].path)
    return None if facts is None else declared_range(facts, locations[0].qualified)


def _elsewhere(project: Project, symbol: str, *, is_found: bool, is_own: bool) -> InstalledAnswer:
    """What is known of a symbol in the installed packages.

    Args:
        project: The project.
        symbol: The symbol.
        is_found: Something in the project is meant.
        is_own: That is called so itself. Else a file imports or exports it under this name, and
            another file may mean something else by it.
    """
    if is_found and is_own:
        return InstalledAnswer()
    answer = project.index.installed(symbol)
    if not is_found:
        return answer
    exact = [one for one in answer.declarations if one.is_exact and answer.sources]
    return InstalledAnswer(exact, answer.sources)


def _installed(one: InstalledDeclaration) -> Definition:
    return Definition(
        path=one.path,
        line=one.line,
        type=one.kind,
        name=one.qualified,
        context=one.lines,
        context_start=one.first,
        package=one.package or "an installed package",
        by_name=None if one.is_exact else True,
    )


def _suggestion(lines: SourceLines, place: SymbolLocation) -> Suggestion:
    cell, line = (
        lines.place(place.path, place.line) if is_notebook(place.path) else (None, place.line)
    )
    return Suggestion(name=place.qualified, path=place.path, cell=cell, line=line)
