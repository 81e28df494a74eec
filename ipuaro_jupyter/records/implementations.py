"""What implements an interface, inherits from a class, or overrides a member."""

from typing import ClassVar, Literal

from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.records.outputs import Place, Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.records.unread import IncompleteOutput

Way = Literal["extends", "implements", "typed", "mixin", "registered", "overrides", "inherited"]
"""How something is an implementation: "typed" is an object of the type, "mixin" a class whose base
is made by a function that gets the type, "registered" one that is given to ``register`` of an ABC,
"inherited" a member that a class gets from another base."""

ImplementationKind = Literal["class", "abstract class", "interface", "object", "member"]


class Implementation(Record):
    """A class, interface, object or member; ``line`` and ``column`` are 1-based.

    ``name`` is the qualified name; of an object without a name, that of what is around it. ``of``
    is the type that it names, or the member that it overrides. ``depth`` is 1 for a direct one, 2
    for one of a direct one, and so on. ``has_body`` is False for a signature. What only may be one
    has ``certain`` False.
    """

    name: str
    path: str
    cell: int | None = None
    line: int
    column: int
    kind: ImplementationKind
    way: Way
    of: str
    depth: int = 1
    has_body: bool = True
    certain: bool = True


class Implementations(IncompleteOutput):
    """What implements a symbol, by depth, path and line; ``total`` counts those left out, too.

    ``notes`` say what could not be known.
    """

    rows_of: ClassVar[str] = "implementations"

    symbol: str
    declarations: tuple[str, ...]
    implementations: tuple[Implementation, ...]
    total: int
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """A line for each, indirect ones indented."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The implementations one by one."""
        return Parts(
            head=f"Symbol: {self.symbol}\nDeclared: {named(self.declarations)}\n"
            f"Implementations: {self.total}",
            entries=tuple(
                f"{'  ' * (one.depth - 1)}{_where(one)} {one.name} ({_told(one)})"
                for one in self.implementations
            ),
            groups=tuple(one.path for one in self.implementations),
            tail="\n".join(f"[{note}]" for note in self._notes()),
            note="{left} more {inside}: narrow with declared_in",
        )

    def shape(self) -> Table:
        """A row for each."""
        return Table(
            title=f"Implementations of {self.symbol}: {self.total:,}",
            columns=("where", "name", "kind", "how", "of", "depth"),
            rows=tuple(
                (_where(one), one.name, one.kind, _how(one), one.of, one.depth)
                for one in self.implementations
            ),
            kinds={"where": "path"},
            places=tuple(
                Place(path=one.path, line=one.line if one.cell is None else None)
                for one in self.implementations
            ),
            note="; ".join(self._notes()),
        )

    def _notes(self) -> list[str]:
        left = self.total - len(self.implementations)
        more = [f"{left:,} more; ask for them with limit"] if left else []
        return [*more, *self.notes, *filter(None, [self.unread_remark])]


def _where(one: Implementation) -> str:
    return f"{one.path}{'' if one.cell is None else f' cell {one.cell}'}:{one.line}"


def _how(one: Implementation) -> str:
    body = "" if one.has_body else ", no body"
    return f"{one.way}{body}{'' if one.certain else ', perhaps'}"


def _told(one: Implementation) -> str:
    return f"{one.kind}, {_how(one)} {one.of}"
