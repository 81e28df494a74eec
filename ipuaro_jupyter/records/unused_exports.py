"""Exports that nothing in the project uses."""

from typing import ClassVar, Literal

from pydantic import Field

from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.records.outputs import Place, Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.records.unread import IncompleteOutput

ExportState = Literal["unused", "own file", "tests", "re-export", "unread"]
"""What is known of an export that no other file uses: nothing uses it at all, only its own file, or
only tests; or it passes on the name of another file, and nobody takes it from there;
or files that are not read as code contain its name, and may use it."""

_MOST_NAMED = 3
_TITLES: dict[ExportState, str] = {
    "unused": "Used nowhere",
    "own file": "Used in their own file only: they need no export",
    "tests": "Used by tests only",
    "re-export": "Passed on from another file, and taken from there by nobody",
    "unread": "Perhaps used: files that were not looked at contain the name",
}


class UnusedExport(Record):
    """An exported name with its line, 1-based; ``kind`` is that of the symbol, "" if not known.

    ``is_importable`` marks a public name of a Python package, which others may import.
    ``named_in`` are the files that are not read as code and contain the name.
    """

    name: str
    path: str
    line: int
    kind: str
    state: ExportState
    is_importable: bool = False
    named_in: tuple[str, ...] = ()


class UnusedExports(IncompleteOutput):
    """The unused exports by state, path and line; ``total`` counts those left out, too.

    ``looked_at`` counts the exports that were looked at, ``public`` those of them that an entry
    point passes on, ``conventional`` those that a framework or tool takes by name, which are not
    listed either. ``entries`` are the entry points. ``notes`` say what cannot be known. ``others``
    are those beyond the limit, for the table alone. ``out_of_time`` counts the files of which time
    ran out for some or all exports.
    """

    rows_of: ClassVar[str] = "exports"

    path: str
    exports: tuple[UnusedExport, ...]
    total: int
    counts: dict[str, int]
    looked_at: int
    public: int
    conventional: int
    entries: tuple[str, ...]
    others: tuple[UnusedExport, ...] = Field(default=(), exclude=True, repr=False)
    notes: tuple[str, ...] = ()
    out_of_time: int = 0

    def text(self) -> str:
        """The exports by state and file."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The exports one by one, the first of a state below a heading."""
        entries, last = [], None
        for one in self.exports:
            heading = f"\n{_TITLES[one.state]} ({self.counts[one.state]}):\n"
            entries.append(f"{heading if one.state != last else ''}{_told(one)}")
            last = one.state
        return Parts(
            head=self._head(),
            entries=tuple(entries),
            groups=tuple(one.path for one in self.exports),
            tail="\n".join(["", *(f"[{note}]" for note in self._notes())]),
            note="{left} more {inside}: narrow with path",
        )

    def shape(self) -> Table:
        """A row for each export."""
        return Table(
            title=f"Unused exports: {self.total:,} of {self.looked_at:,}",
            columns=("where", "name", "kind", "used"),
            rows=tuple(map(_row, self.exports)),
            more=tuple(map(_row, self.others)),
            kinds={"where": "path"},
            places=tuple(Place(path=one.path, line=one.line) for one in self.exports),
            note="; ".join(self._notes()),
        )

    def _head(self) -> str:
        where = f" in {self.path}" if self.path else ""
        public = f"{self.public} passed on by an entry point"
        return (
            f"Unused exports{where}: {self.total} of {self.looked_at} ({public}, "
            f"{self.conventional} taken by a tool or framework)"
        )

    def _notes(self) -> list[str]:
        left = self.total - len(self.exports)
        more = [f"{left:,} more; ask for them with limit, or narrow with path"] if left else []
        shown = ", ".join(self.entries[:5])
        others = f" and {len(self.entries) - 5} more" if len(self.entries) > 5 else ""  # noqa: PLR2004
        found = f"{counted(len(self.entries), 'entry point')}: {shown}{others}"
        told = filter(None, [found * bool(self.entries), *self.notes, self.unread_remark])
        return [*more, *told]


def _row(one: UnusedExport) -> tuple[str, str, str, str]:
    return f"{one.path}:{one.line}", one.name, one.kind, _used(one)


def _used(one: UnusedExport) -> str:
    told = {"unused": "nowhere", "own file": "in its own file", "tests": "by tests"}
    if one.named_in:
        return (
            f"perhaps in {named(one.named_in, _MOST_NAMED)}" + ", public name" * one.is_importable
        )
    return told.get(one.state, "not taken from here") + ", public name" * one.is_importable


def _told(one: UnusedExport) -> str:
    kind = f" ({one.kind})" if one.kind else ""
    public = "  others may import it" if one.is_importable else ""
    unread = f"  named in {named(one.named_in, _MOST_NAMED)}" if one.named_in else ""
    return f"{one.path}:{one.line} {one.name}{kind}{public}{unread}"
