"""Find the uses of a symbol."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Annotated, ClassVar, NamedTuple

from pydantic import Field

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.binding.definitions import plain_name
from ipuaro_jupyter.records.code import Reference
from ipuaro_jupyter.records.outputs import Output, Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.tools.source_lines import SourceLines, opened_at, where
from ipuaro_jupyter.tools.tool import Project, tool


class Use(Record):
    """One use: 1-based line and column (in characters); ``resolved`` False is a name match.

    In a notebook, ``cell`` is the 1-based number of the cell with the lines.
    """

    path: str
    cell: int | None = None
    line: int
    column: int
    context: tuple[str, ...]
    context_start: int
    is_definition: bool
    resolved: bool


class FoundReferences(Output):
    """The uses of a symbol by path, line, column; ``total_references`` includes those left out.

    ``not_looked_at`` counts the files with the name that time ran out for.
    """

    rows_of: ClassVar[str] = "references"

    symbol: str
    total_references: int
    references: tuple[Use, ...]
    truncated: bool = False
    not_looked_at: int = 0

    def text(self) -> str:
        """The uses by file, each line once, with the lines around."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The lines with uses one by one, the first of a file below its name."""
        lines = list(_used_lines(self.references))
        left = self.total_references - len(self.references)
        tail = ""
        if self.not_looked_at:
            tail = f"\n[{self._late()}; narrow with path]"
        elif self.truncated:
            tail = f"\n[{left} more; ask for them with limit, or narrow with path]"
        return Parts(
            head=f"Symbol: {self.symbol}\nTotal references: {self.total_references}",
            entries=tuple(line.text for line in lines),
            brief=tuple(line.brief for line in lines),
            without="the lines around are left out: narrow with path",
            counts=tuple(line.uses for line in lines),
            groups=tuple(line.path for line in lines),
            tail=tail,
            note="{left} more {inside}: narrow with path, or give limit",
        )

    def shape(self) -> Table:
        """A row per use, with its role unless all have the same."""
        rows = tuple(
            (where(use.path, use.line, use.cell), use.column, _line(use).strip(), _role(use))
            for use in self.references
        )
        width = 4 if len({row[-1] for row in rows}) > 1 else 3
        return Table(
            title=f"References to {self.symbol}: {self.total_references:,}",
            columns=("where", "column", "line", "role")[:width],
            kinds={"where": "path"},
            places=tuple(opened_at(use.path, use.line, use.cell) for use in self.references),
            rows=tuple(row[:width] for row in rows),
            note=self._late() or f"the first {len(self.references):,}" * self.truncated,
        )

    def _late(self) -> str:
        """A remark on what time ran out for; "" when everything was looked at."""
        if not self.not_looked_at:
            return ""
        files = f"{self.not_looked_at:,} file{'s' * (self.not_looked_at > 1)}"
        return f"the time was up, not looked at: {files} with this name"


@tool(
    aliases=("get_references", "find_usages", "find_uses", "search_references"),
    rare=("limit",),
    names={"symbol": "symbol", "path": "place"},
)
def find_references(
    project: Project, symbol: str, path: str = "", limit: Annotated[int, Field(ge=1)] = 200
) -> FoundReferences:
    """Find every use of a symbol in the code: calls, imports, types, JSX tags.

    Args:
        symbol: Name, or Class.method.
        path: File or folder. Default: the project.
        limit: The most uses to return. Default: 200.
    """
    if not plain_name(symbol):
        raise ToolError("validation", "The symbol is empty.", suggestion="Name the symbol.")
    path = project.workspace.relative(path) if path else ""
    found = project.index.uses(symbol, path=path or None, limit=limit)
    lines = SourceLines(project.workspace, found.texts)
    return FoundReferences(
        symbol=symbol,
        total_references=found.total,
        references=tuple(_with_lines(lines, reference) for reference in found.first),
        truncated=found.total > limit or bool(found.not_looked_at),
        not_looked_at=len(found.not_looked_at),
    )


class _UsedLine(NamedTuple):
    """A line with uses: its text with the lines around it, and alone; the number of uses."""

    path: str
    text: str
    brief: str
    uses: int


def _used_lines(uses: Iterable[Use]) -> Iterator[_UsedLine]:
    """Yield each line with uses once, by file; a line around several of them comes once, too."""
    for path, of_file in groupby(uses, key=lambda use: use.path):
        by_line = {line: list(on) for line, on in groupby(of_file, key=_cell_and_line)}
        count = sum(map(len, by_line.values()))
        heading = f"\n{path} ({count} use{'s' * (count > 1)})\n"
        told: dict[int | None, int] = {}  # the last line that was shown, by cell
        for (cell, line), on in by_line.items():
            if cell is not None and cell not in told:
                heading += f"cell {cell}\n"
            shown = []
            for number, text in enumerate(on[0].context, on[0].context_start):
                is_new = number > told.get(cell, 0)
                if is_new and (number == line or (cell, number) not in by_line):
                    shown.append(_numbered(number, text, on if number == line else ()))
                    told[cell] = number
            alone = _numbered(line, _line(on[0]), on)
            yield _UsedLine(path, heading + "\n".join(shown or [alone]), heading + alone, len(on))
            told.setdefault(cell, 0)
            heading = ""


def _cell_and_line(use: Use) -> tuple[int | None, int]:
    return use.cell, use.line


def _numbered(number: int, text: str, uses: Sequence[Use]) -> str:
    """A line with its number; one with uses has a mark, and says what they are."""
    kinds = [
        *["definition"] * any(use.is_definition for use in uses),
        *["by name only"] * any(not use.resolved for use in uses),
    ]
    mark = f"  ({', '.join(kinds)})" if kinds else ""
    return f"{'>' if uses else ' '} {number:4d}: {text}{mark}"


def _with_lines(lines: SourceLines, reference: Reference) -> Use:
    start, context = lines.around(reference.path, reference.line)
    cell, line = lines.place(reference.path, reference.line)
    return Use(
        path=reference.path,
        cell=cell,
        line=line,
        column=reference.column,
        context=context,
        context_start=start,
        is_definition=reference.is_definition,
        resolved=reference.resolved,
    )


def _line(use: Use) -> str:
    place = use.line - use.context_start
    return use.context[place] if 0 <= place < len(use.context) else ""


def _role(use: Use) -> str:
    if use.is_definition:
        return "definition"
    return "use" if use.resolved else "same name"
