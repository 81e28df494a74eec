"""Who calls a function, or what it calls."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.records.outputs import Tree
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.records.unread import IncompleteOutput

CallKind = Literal["call", "new", "element", "decorator", "super", "read", "value", "unknown"]
"""How a function is used: "element" is a JSX element, "read" the use of an accessor, "value" a
function that is passed on and not called, "unknown" a place in a file that is not parsed."""

Direction = Literal["callers", "callees"]
CONSTRUCTORS = ("constructor", "__init__", "__new__")
"""The members that make an object: they are called by the name of their class."""

_LIMIT = "; ask for them with limit"
_TOP = "(top of the file)"


class CallSite(Record):
    """A place where a function is called, or passed on.

    ``caller`` is the qualified name of the innermost named function or class around it, "" at the
    top of a file. ``line`` and ``column`` are those of the name in the call, 1-based; in a notebook
    ``cell`` is the 1-based number of the cell. ``callee`` is what is called, a name only where
    ``callee_path`` is None; ``may_be`` then lists declarations with that name. ``depth`` is 1 for
    direct calls. ``through`` is the member that is called as far as its types tell: another one,
    which the callee overrides. ``is_cycle`` marks a call back to a function that led here, and
    ``is_repeated`` one whose further calls are listed already.
    """

    caller: str
    path: str
    cell: int | None = None
    line: int
    column: int
    caller_line: int
    callee: str
    callee_path: str | None = None
    callee_line: int | None = None
    kind: CallKind = "call"
    depth: int = 1
    through: str | None = None
    may_be: tuple[str, ...] = ()
    is_cycle: bool = False
    is_repeated: bool = False


class CallTree(IncompleteOutput):
    """The calls of a symbol, or in it; by depth, then by path and line.

    ``total_calls`` counts those left out, too. ``values`` are places where it is passed on instead
    of called, ``by_name`` those of which only the name is known to be the same; ``outside`` are the
    names of called functions that no file of the project declares, or that are values themselves.
    ``notes`` say what could not be known.
    """

    rows_of: ClassVar[str] = "calls"

    symbol: str
    direction: Direction
    depth: int
    declarations: tuple[str, ...]
    calls: tuple[CallSite, ...]
    total_calls: int
    values: tuple[CallSite, ...] = ()
    total_values: int = 0
    by_name: tuple[CallSite, ...] = ()
    total_by_name: int = 0
    outside: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def lead(self) -> str:
        """How often it is called, or calls, directly and through others."""
        if not self.declarations:
            return ""
        does = "is called" if self.direction == "callers" else "calls others"
        paths = {site.path for site in self.calls}
        is_all = self.direction == "callers" and len(self.calls) == self.total_calls > 0
        files = f", in {counted(len(paths), 'file')}" if is_all else ""
        also = f", and by name perhaps in {self.total_by_name:,} more" if self.total_by_name else ""
        return f"`{self.symbol}` {does} in {counted(self.total_calls, 'place')}{files}{also}."

    def text(self) -> str:
        """The tree, then the values, the ones by name, and the notes."""
        return self.parts().text()

    @property
    def advice(self) -> dict[str, str]:
        """The argument that shows more."""
        return {_LIMIT: ""}

    def parts(self) -> Parts:
        """The calls one by one, deeper ones indented."""
        tail = [line for title, lines in self._others() for line in (f"\n{title}:", *lines)]
        return Parts(
            head=self._head(),
            entries=tuple(self._lines()),
            tail="\n".join([*tail, *(f"[{note}]" for note in self._notes())]),
            note="{left} more: narrow with declared_in, or give depth=1",
        )

    def shape(self) -> Tree:
        """The tree of calls, and below it what is no certain call."""
        lines = list(self._lines())
        for title, listed in self._others():
            lines += [f"{title}:", *(f"  {line}" for line in listed)]
        what = "Callers of" if self.direction == "callers" else "Called by"
        title = f"{what} {self.symbol}: {counted(self.total_calls, 'call')}"
        return Tree(title=title, lines=tuple(lines), note="; ".join(self._notes()))

    def _head(self) -> str:
        places = sum(1 for site in self.calls if site.depth == 1)
        what = "Calls of it" if self.direction == "callers" else "Calls in it"
        deeper = f" ({counted(places, 'direct one')}, depth {self.depth})" * (self.depth > 1)
        lines = [f"Symbol: {self.symbol}", f"{what}: {self.total_calls}{deeper}"]
        if not self.declarations:
            lines.append(f"No declaration of {self.symbol} is known here.")
        else:
            lines.append(f"Declared: {named(self.declarations)}")
        return "\n".join(lines)

    def _lines(self) -> Iterator[str]:
        """Yield a line for each call below the one that it belongs to."""
        by_end: dict[tuple[str | None, str], list[CallSite]] = {}
        for site in self.calls:
            by_end.setdefault(self._above(site), []).append(site)
        roots = [self._above(site) for site in self.calls if site.depth == 1]
        shown: set[int] = set()
        for root in dict.fromkeys(roots):
            yield from self._below(root, 1, by_end, shown)

    def _below(
        self,
        end: tuple[str | None, str],
        depth: int,
        by_end: dict[tuple[str | None, str], list[CallSite]],
        shown: set[int],
    ) -> Iterator[str]:
        sites = [site for site in by_end.get(end, ()) if site.depth == depth]
        last: dict[tuple[str | None, str], CallSite] = {self._next(site): site for site in sites}
        for site in sites:
            if id(site) in shown:
                continue
            shown.add(id(site))
            yield "  " * (depth - 1) + self._told(site)
            if last[self._next(site)] is site and not site.is_cycle:
                yield from self._below(self._next(site), depth + 1, by_end, shown)

    def _above(self, site: CallSite) -> tuple[str | None, str]:
        if self.direction == "callers":
            return site.callee_path, _made(site.callee)
        return site.path, _made(site.caller)

    def _next(self, site: CallSite) -> tuple[str | None, str]:
        if self.direction == "callers":
            return site.path, _made(site.caller)
        return site.callee_path, _made(site.callee)

    def _told(self, site: CallSite) -> str:
        marks = [
            *([site.kind] if site.kind != "call" else []),
            *([f"through {site.through}"] if site.through else []),
            *(["cycle"] if site.is_cycle else ["shown above"] if site.is_repeated else []),
        ]
        marked = f"  ({', '.join(marks)})" if marks else ""
        place = _place(site)
        if self.direction == "callers":
            return f"{place} {site.caller or _TOP}{marked}"
        where = "" if site.callee_path is None else f" -> {site.callee_path}:{site.callee_line}"
        may_be = f" -> may be {named(site.may_be, 3)}" if site.may_be else ""
        return f"{place} {site.callee}{where}{may_be}{marked}"

    def _others(self) -> list[tuple[str, list[str]]]:
        """What is no certain call: headings with lines."""
        groups: list[tuple[str, Sequence[CallSite], int]] = [
            ("Passed as a value, not called", self.values, self.total_values),
            ("By name only, the types are not known", self.by_name, self.total_by_name),
        ]
        found = []
        for title, sites, total in groups:
            lines = [self._told(site) for site in sites]
            left = total - len(sites)
            if total:
                found.append((f"{title} ({total})", lines + [f"… {left} more"] * (left > 0)))
        return found

    def _notes(self) -> list[str]:
        notes = list(self.notes)
        if self.outside:
            notes.insert(0, f"not declared in the project: {named(self.outside, 20)}")
        left = self.total_calls - len(self.calls)
        if left > 0:
            notes.insert(0, f"{left} more calls{_LIMIT}")
        return [*notes, *filter(None, [self.unread_remark])]


def _made(qualified: str) -> str:
    """The class that a constructor belongs to; any other name as it is."""
    owner, _, name = qualified.rpartition(".")
    return owner if owner and name in CONSTRUCTORS else qualified


def _place(site: CallSite) -> str:
    cell = "" if site.cell is None else f" cell {site.cell}"
    return f"{site.path}{cell}:{site.line}"
