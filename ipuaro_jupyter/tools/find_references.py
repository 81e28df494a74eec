"""Find the uses of a symbol."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Annotated, ClassVar, NamedTuple

from pydantic import Field

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.binding.definitions import bare_name, plain_name
from ipuaro_jupyter.index.binding.uses import Uses
from ipuaro_jupyter.languages.registry import is_by_name
from ipuaro_jupyter.records.code import Reference
from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.records.outputs import Table
from ipuaro_jupyter.records.record import PlainRecord
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.records.unread import IncompleteOutput
from ipuaro_jupyter.tools.declaring_files import broken_imports, not_declared, unused_elsewhere
from ipuaro_jupyter.tools.placed_files import placed
from ipuaro_jupyter.tools.source_lines import BODY_LINES, SourceLines, opened_at, where
from ipuaro_jupyter.tools.tool import Project, tool

_FIRST_USES = 200
_MOST_UNRESOLVED = 20  # that are drawn
_CHOOSE = "Choose one with declared_in, or with Class.method."
_NARROW = "; ask for them with limit, or narrow with path"


class Use(PlainRecord, frozen=True, gc=False, kw_only=True):
    """One use: 1-based line and column (in characters); ``resolved`` False is a name match.

    In a notebook, ``cell`` is the 1-based number of the cell with the lines. ``declared_in`` is the
    file of the declaration that the use stands for, ``declared_as`` its qualified name there; None
    for a name match. ``inside`` is the function, method or class around it, "" at the top level.
    """

    path: str
    cell: int | None = None
    line: int
    column: int
    context: tuple[str, ...]
    context_start: int
    is_definition: bool
    resolved: bool
    declared_in: str | None = None
    declared_as: str | None = None
    inside: str = ""


class DeclaredBody(PlainRecord, frozen=True, gc=False, kw_only=True):
    """All lines of a declaration, the first with the 1-based number ``start``; see `Use`."""

    path: str
    cell: int | None = None
    start: int
    lines: tuple[str, ...]

    def has(self, path: str, cell: int | None, line: int) -> bool:
        """Whether a line is one of them."""
        is_there = (path, cell) == (self.path, self.cell)
        return is_there and self.start <= line < self.start + len(self.lines)


class FoundReferences(IncompleteOutput):
    """The uses of a symbol by path, line, column; ``total_references`` includes those left out.

    ``out_of_time`` counts the files with the name that time ran out for. ``declarations`` are
    those that were looked for, as "path: qualified name". Of a symbol with several parts, or with
    its file given, ``unresolved`` are the places with its name of which it is not known whether
    they are uses; ``total_unresolved`` counts all of them, outside of ``total_references``.
    ``overridden`` are the declarations that such a member overrides or implements; None when that
    was not looked at, since there are many of them. ``inherited`` says that the class that was
    named has the member from a base: then the uses are those of all that inherit it. ``similar``
    are declarations with a similar name, when nothing here has this one. ``body`` is the
    declaration, when there is just one, of at most 40 lines.
    """

    rows_of: ClassVar[str] = "references"

    symbol: str
    total_references: int
    references: tuple[Use, ...]
    truncated: bool = False
    out_of_time: int = 0
    declarations: tuple[str, ...] = ()
    unresolved: tuple[Use, ...] = ()
    total_unresolved: int = 0
    overridden: tuple[str, ...] | None = ()
    inherited: bool = False
    similar: tuple[str, ...] = ()
    body: DeclaredBody | None = None

    @property
    def lead(self) -> str:
        """In how many places it is used; "" where that is not known."""
        if self.out_of_time or self._may_miss or not self.declarations:
            return ""
        declared = sum(use.is_definition for use in self.references)
        used = self.total_references - declared
        paths = {use.path for use in self.references if not use.is_definition}
        files = f", in {counted(len(paths), 'file')}" * (not self.truncated and used > 0)
        open_ = f"; {self.total_unresolved:,} more may be uses" * (self.total_unresolved > 0)
        return f"`{self.symbol}` is used in {counted(used, 'place')}{files}{open_}."

    def text(self) -> str:
        """The uses by declaration and file, each line once, with the lines around."""
        return self.parts().text()

    @property
    def advice(self) -> dict[str, str]:
        """The arguments that narrow it; people name a declaration with its file instead."""
        ask = f"Ask about `{self.declarations[0]}` to see one of them." * bool(self.declarations)
        return {_CHOOSE: ask, _NARROW: ""}

    def parts(self) -> Parts:
        """The lines with uses one by one, the first of a file below its name."""
        lines = [line for group in self._groups() for line in group.lines(self.body)]
        left = self.total_references - len(self.references)
        notes = []
        if self.out_of_time:
            notes.append(f"[{self._late()}; narrow with path]")
        elif self.truncated:
            notes.append(f"[{left} more{_NARROW}]")
        if self.total_unresolved:
            notes.append(f"[{self._open()}]")
        if inherited := self._inherited():
            notes.append(f"[{inherited}]")
        if unread := self.unread_remark:
            notes.append(f"[{unread}]")
        return Parts(
            head=self._head(),
            entries=tuple(line.text for line in lines),
            brief=tuple(line.brief for line in lines),
            without="the lines around are left out: narrow with path",
            counts=tuple(line.uses for line in lines),
            groups=tuple(line.path for line in lines),
            tail="".join(f"\n{note}" for note in notes),
            note="{left} more {inside}: narrow with path, or give limit",
        )

    def shape(self) -> Table:
        """A row per use, by declaration where there are several, with its role unless all agree."""
        groups = self._groups()
        uses = [(group, use) for group in groups for use in group.uses]
        rows = [
            (
                where(use.path, use.line, use.cell),
                use.column,
                _line(use).strip(),
                use.inside,
                _role(use),
                _said(use) if use.resolved else "not known",
            )
            for _, use in uses
        ]
        wanted = [0, 1, 2, *[3] * any(row[3] for row in rows)]
        wanted += [*[4] * (len({row[4] for row in rows}) > 1), *[5] * (len(groups) > 1)]
        columns = ("where", "column", "line", "function", "role", "declaration")
        first = f"the first {len(self.references):,}" * (self.truncated and not self.out_of_time)
        notes = (
            self._late(),
            self._open(),
            self._inherited(),
            self.unread_remark,
            first,
            self._meant(),
        )
        return Table(
            title=f"References to {self.symbol}: {self.total_references:,}",
            columns=tuple(columns[place] for place in wanted),
            kinds={"where": "path"},
            places=tuple(opened_at(use.path, use.line, use.cell) for _, use in uses),
            rows=tuple(tuple(row[place] for place in wanted) for row in rows),
            note="; ".join(filter(None, notes)),
        )

    def _head(self) -> str:
        lines = [f"Symbol: {self.symbol}", f"Total references: {self.total_references}"]
        if not self.declarations:
            is_used = self.total_references or self.out_of_time or "." in self.symbol
            lines.append(
                f"No declaration of {self.symbol} is known here."
                if is_used
                else f"No code {'that was looked at' if self._may_miss else 'here'} has the name "
                f"{self.symbol}."
            )
            lines += filter(None, [self._meant()])
        elif self.inherited:
            owner, _, name = self.symbol.rpartition(".")
            lines.append(f"{owner} has {name} from {named(self.declarations)}.")
        elif len(self.declarations) > 1:
            lines.append(
                f"Declared {len(self.declarations)} times: {named(self.declarations)}. {_CHOOSE}"
            )
        if self.body is not None:
            start = self.body.start
            lines += ["", where(self.body.path, start, self.body.cell)]
            lines += [_numbered(n, text, ()) for n, text in enumerate(self.body.lines, start)]
        return "\n".join(lines)

    @property
    def _may_miss(self) -> bool:
        """Whether files that were not looked at may have the name."""
        return bool(self.not_looked_at) and self.unread_with_name != ()

    def _groups(self) -> list["_Group"]:
        """The uses by declaration, if there are several; the name matches, the unresolved ones."""
        if len(self.declarations) < 2:  # noqa: PLR2004
            found = [_Group("", self.references)] * bool(self.references)
        else:
            by_declaration = groupby(sorted(self.references, key=_meaning), key=_meaning)
            found = [
                _Group(f"Uses of {key[1]}" if key[0] == "" else "By name only", tuple(uses))
                for key, uses in by_declaration
            ]
        listed = self.unresolved[:_MOST_UNRESOLVED]
        return [*found, *[_Group("Not resolved", listed)] * bool(listed)]

    def _open(self) -> str:
        """A remark on places that could not be resolved; "" when there are none."""
        if not self.total_unresolved:
            return ""
        name = self.symbol.rpartition(".")[2]
        count = self.total_unresolved
        by_name = all(is_by_name(use.path) for use in self.unresolved)
        why = "the type in front of the dot is not known"
        if not self.declarations:
            why = "they may be members of anything"
        declared = [use.declared_as or "" for use in self.references if use.is_definition]
        if declared and not any("." in one for one in declared):
            why = "they may mean something else of that name"
        return f"{count:,} more place{'s' * (count > 1)} named {name} could not be resolved: " + (
            "names in this language are found by their spelling alone" if by_name else why
        )

    def _meant(self) -> str:
        """The question for a similar name; "" when there is none."""
        return f"Did you mean {named(self.similar)}?" if self.similar else ""

    def _inherited(self) -> str:
        """A remark on what a member overrides; "" when it overrides nothing."""
        if self.overridden is None:
            return "what they override was not looked at: there are many of that name"
        if not self.overridden:
            return ""
        which = "that" if len(self.overridden) == 1 else "those"
        return f"overrides {named(self.overridden)}: uses of {which} may mean it, too"

    def _late(self) -> str:
        """A remark on what time ran out for; "" when everything was looked at."""
        if not self.out_of_time:
            return ""
        files = f"{self.out_of_time:,} file{'s' * (self.out_of_time > 1)}"
        return f"the time was up, not looked at: {files} with this name"


@tool(
    aliases=("get_references", "find_usages", "find_uses", "search_references"),
    rare=("limit", "declared_in"),
    names={"symbol": "symbol", "path": "place", "declared_in": "file"},
)
def find_references(
    project: Project,
    symbol: str,
    path: str = "",
    limit: Annotated[int, Field(ge=1)] = _FIRST_USES,
    declared_in: str = "",
) -> FoundReferences:
    """Find every use of a symbol in the code: calls, imports, types, JSX tags.

    Args:
        symbol: Name, or Class.method.
        path: File or folder. Default: the project.
        limit: The most uses to return. Default: 200.
        declared_in: The file that declares it, if several do.
    """
    if not plain_name(symbol):
        raise ToolError("validation", "The symbol is empty.", suggestion="Name the symbol.")
    path = project.workspace.relative(path) if path else ""
    declared_in = project.workspace.relative(declared_in) if declared_in else ""
    found = project.index.uses(symbol, path=path or None, limit=limit, declared_in=declared_in)
    if declared_in and not found.declared:
        raise not_declared(project, symbol, declared_in)
    lines = SourceLines(project.workspace, found.texts, contexts=found.contexts)
    unread = project.index.unread.of(bare_name(symbol), path)
    is_unknown = not (found.declared or found.total or found.unresolved_total) and not path
    near = project.index.similar(symbol) if is_unknown and not found.not_looked_at else ()
    certain = [use for use in found.first if use.resolved]
    is_all = found.total == len(found.first)
    unused = unused_elsewhere(found.declared, certain) if is_all else ()
    return FoundReferences(
        symbol=symbol,
        total_references=found.total,
        references=tuple(_with_lines(lines, found.first, found.around)),
        truncated=found.total > limit or bool(found.not_looked_at),
        out_of_time=len(found.not_looked_at),
        declarations=_told(found.declared),
        unresolved=tuple(_with_lines(lines, found.unresolved, found.around)),
        total_unresolved=found.unresolved_total,
        overridden=None if found.overridden is None else _told(found.overridden),
        inherited=found.is_inherited,
        body=_body(lines, found),
        similar=tuple(f"{place.qualified} ({place.path}:{place.line})" for place in near),
        not_looked_at=unread.kinds,
        unread_with_name=unread.naming,
        broken_imports=broken_imports(project, unused, taking=bare_name(symbol)),
        placed=placed(project, unused),
    )


def _body(lines: SourceLines, found: Uses) -> DeclaredBody | None:
    """The one declaration, if it is short."""
    if found.range is None or found.range[1] - found.range[0] >= BODY_LINES:
        return None
    ((path, _),) = found.declared
    after = found.range[1] - found.range[0]
    start, context = lines.around(path, found.range[0], before=0, after=after)
    cell, _ = lines.place(path, found.range[0])
    return DeclaredBody(path=path, cell=cell, start=start, lines=context) if context else None


def _told(declared: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(f"{path}: {qualified}" for path, qualified in sorted(declared))


class _Group(NamedTuple):
    """Uses with something in common, under a heading; "" for none."""

    heading: str
    uses: tuple[Use, ...]

    def lines(self, body: DeclaredBody | None) -> Iterator["_UsedLine"]:
        """Yield each line with uses, the first below the heading; of ``body`` those alone."""
        lines = list(_used_lines(self.uses, body))
        if lines and self.heading:
            first, heading = lines[0], f"\n{self.heading}:\n"
            lines[0] = first._replace(
                text=heading + first.text.lstrip("\n"), brief=heading + first.brief.lstrip("\n")
            )
        yield from lines


class _UsedLine(NamedTuple):
    """A line with uses: its text with the lines around it, and alone; the number of uses."""

    path: str
    text: str
    brief: str
    uses: int


def _used_lines(uses: Iterable[Use], body: DeclaredBody | None) -> Iterator[_UsedLine]:
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
            is_told = body is not None and body.has(path, cell, line)
            around = () if is_told else on[0].context
            for number, text in enumerate(around, on[0].context_start):
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
    """A line with its number; one with uses has a mark, and says where and what they are."""
    kinds = [
        *dict.fromkeys(f"in {use.inside}" for use in uses if use.inside),
        *["definition"] * any(use.is_definition for use in uses),
        *["by name only"] * any(not use.resolved for use in uses),
    ]
    mark = f"  ({', '.join(kinds)})" if kinds else ""
    return f"{'>' if uses else ' '} {number:4d}: {text}{mark}"


def _with_lines(
    lines: SourceLines, references: Iterable[Reference], around: Mapping[tuple[str, int], str]
) -> Iterator[Use]:
    """Yield the uses with the lines around them, which are read once for each line."""
    for path, of_file in groupby(references, key=attrgetter("path")):
        known, last = lines.known(path), 0
        for reference in of_file:
            if reference.line in known:
                line, cell = reference.line, None
                start, context = known[line]
            elif reference.line != last:
                last = reference.line
                start, context = lines.around(path, last)
                cell, line = lines.place(path, last)
            yield Use(
                path=path,
                cell=cell,
                line=line,
                column=reference.column,
                context=context,
                context_start=start,
                is_definition=reference.is_definition,
                resolved=reference.resolved,
                declared_in=reference.declared_in,
                declared_as=reference.declared_as,
                inside=_inside(reference, around),
            )


def _inside(one: Reference, around: Mapping[tuple[str, int], str]) -> str:
    """What is around a use; a declaration is outside of itself."""
    name = around.get((one.path, one.line), "")
    is_own = one.is_definition and name == one.declared_as
    return name.rpartition(".")[0] if is_own else name


def _line(use: Use) -> str:
    place = use.line - use.context_start
    return use.context[place] if 0 <= place < len(use.context) else ""


def _said(use: Use) -> str:
    return f"{use.declared_in}: {use.declared_as}"


def _meaning(use: Use) -> tuple[str, str]:
    """What uses are grouped by: those with a known declaration come first."""
    return ("", _said(use)) if use.resolved else ("by name", "")


def _role(use: Use) -> str:
    if use.is_definition:
        return "definition"
    return "use" if use.resolved else "same name"
