"""What a change may affect."""

from typing import ClassVar, Literal

from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.records.outputs import Place, Plain, Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.records.unread import IncompleteOutput

Touch = Literal[
    "changed",
    "added",
    "removed",
    "no longer exported",
    "perhaps no longer exported",
    "exported from elsewhere",
    "no longer in __all__",
    "perhaps no longer in __all__",
]
"""What a change does to a name; "perhaps" where a module that is not indexed may still give it."""


_MOST_RENAMED = 20


class TouchedSymbol(Record):
    """A declaration with changed lines, or a name exported no longer or from elsewhere.

    ``line`` is 1-based, of what is removed in the old text; in a notebook it counts in ``cell``.
    The name is "* from SOURCE" for all that another file passed on through this one.
    """

    name: str
    path: str
    cell: int | None = None
    line: int
    how: Touch


class LostExport(Record):
    """A name that a file exports no longer, or from elsewhere; "*" for all that ``source`` exports.

    ``source`` is the module of a re-export, as written, else "", and ``local`` the name there.
    ``stars`` are the modules that the file still passes on as a whole. A name ``by_star`` is still
    there for those who name it, and not for ``from module import *``. One that is not public only
    matters when another file of the project takes it. ``how`` is what the text alone says.
    """

    path: str
    name: str
    source: str
    local: str = ""
    stars: tuple[str, ...] = ()
    by_star: bool = False
    is_public: bool = True
    how: Touch = "no longer exported"

    @property
    def shown(self) -> str:
        """Its name as a `TouchedSymbol`."""
        return self.name if self.name != "*" else f"* from {self.source!r}"


class MovedFile(Record):
    """A file that was renamed; ``importers`` are the files that import its old path."""

    old: str
    new: str
    importers: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """It in words."""
        if not self.importers:
            return f"{self.old} -> {self.new} (nothing imports {self.old})"
        return f"{self.old} -> {self.new} ({self.old} is imported by {named(self.importers)})"


class ReachedSymbol(Record):
    """A function or class that uses a touched one, directly (``depth`` 1) or through others.

    ``name`` is "" for the top of a file. ``line`` is that of the use, 1-based, ``of`` what is used.
    Of a use that just has the name of something removed, or could not be resolved, ``certain`` is
    False.
    """

    name: str
    path: str
    cell: int | None = None
    line: int
    depth: int
    of: str
    certain: bool = True


class ReachedTest(Record):
    """A test file that reaches the change.

    ``uses`` says whether code in it uses a touched declaration, directly or through others;
    ``distance`` is the number of imports from it to a changed file, 0 for a changed one, None when
    no chain of imports leads there.
    """

    path: str
    uses: bool
    distance: int | None


class Impact(IncompleteOutput):
    """The declarations that a change touches, their users by depth, and the tests that reach them.

    ``compared`` says what is compared. ``files`` are those that import a changed file, directly or
    through others, by path; ``direct_files`` counts the direct ones. ``total_reached`` counts the
    users left out, too. ``notes`` say what could not be known. The declarations of the files in
    ``renamed`` are touched only where they are changed, too.
    """

    rows_of: ClassVar[str] = "reached"

    compared: str
    changed: tuple[str, ...]
    touched: tuple[TouchedSymbol, ...]
    reached: tuple[ReachedSymbol, ...]
    total_reached: int
    files: tuple[str, ...]
    direct_files: int
    tests: tuple[ReachedTest, ...]
    notes: tuple[str, ...] = ()
    renamed: tuple[MovedFile, ...] = ()

    @classmethod
    def of_nothing(cls, compared: str) -> "Impact":
        """The impact where nothing has changed."""
        return cls(
            compared=compared,
            changed=(),
            touched=(),
            reached=(),
            total_reached=0,
            files=(),
            direct_files=0,
            tests=(),
        )

    @property
    def lead(self) -> str:
        """How much a change reaches."""
        if self._nothing():
            return ""
        names = dict.fromkeys(f"`{one.name}`" for one in self.touched)
        what = named([*names], 3) or self.compared
        users = counted(self.total_reached, "place")
        tests = counted(len(self.tests), "test file")
        return f"A change of {what} may reach {users} through uses, and {tests}."

    def text(self) -> str:
        """The touched declarations, who reaches them, and the tests."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The users one by one."""
        if nothing := self._nothing():
            return Parts(entries=(nothing,))
        tests = [f"{test.path} ({_test(test)})" for test in self.tests]
        told = f"Tests that reach it: {len(self.tests)}"
        direct = f" ({self.direct_files:,} directly)" if self.files else ""
        tail = [
            f"\nFiles that import what is changed: {len(self.files):,}{direct}",
            *([f"  {named(self.files)}"] if self.files else []),
            "\n".join([told, *(f"  {test}" for test in tests)]),
            *(f"[{note}]" for note in self._notes()),
        ]
        return Parts(
            head=self._head(),
            entries=tuple(f"{'  ' * one.depth}{_where(one)} {_user(one)}" for one in self.reached),
            groups=tuple(one.path for one in self.reached),
            tail="\n".join(tail),
            note="{left} more {inside}: ask with depth=1",
        )

    def shape(self) -> Table | Plain:
        """A row for each touched declaration, each user and each test."""
        if nothing := self._nothing():
            return Plain(text=nothing)
        rows: list[tuple[tuple[str | int | None, ...], Place]] = []
        for file in self.renamed:
            rows.append((("renamed", file.new, "", None, f"from {file.old}"), Place(path=file.new)))
            rows += [
                (("imports the old path", path, "", None, file.old), Place(path=path))
                for path in file.importers
            ]
        rows += [((one.how, _where(one), one.name, None, ""), _place(one)) for one in self.touched]
        rows += [
            (("uses it", _where(one), _name(one), one.depth, one.of), _place(one))
            for one in self.reached
        ]
        rows += [
            (("test", test.path, "", test.distance, _test(test)), Place(path=test.path))
            for test in self.tests
        ]
        return Table(
            title=f"Impact of {self.compared}: {counted(len(self.touched), 'declaration')}, "
            f"{counted(self.total_reached, 'user')}, {counted(len(self.tests), 'test')}",
            columns=("what", "where", "name", "depth", "through"),
            rows=tuple(row for row, _ in rows),
            kinds={"where": "path"},
            places=tuple(place for _, place in rows),
            note="; ".join(
                [f"{counted(len(self.files), 'file')} import what is changed", *self._notes()]
            ),
        )

    def _nothing(self) -> str:
        """The sentence for no changes at all; "" where there are some, or there may be."""
        if self.changed or self.notes:
            return ""
        old = self.compared.removeprefix("the files with ")
        return (
            f"Nothing has changed {'since' if old != self.compared else 'in'} {old}. "
            "Name a revision or a range, such as HEAD~1..HEAD, for an earlier change."
        )

    def _head(self) -> str:
        touched = [f"  {_where(one)} {one.name} ({one.how})" for one in self.touched]
        renamed = [f"  {one.told}" for one in self.renamed[:_MOST_RENAMED]]
        left = len(self.renamed) - len(renamed)
        return "\n".join(
            [
                f"Compared: {self.compared}",
                f"Changed: {counted(len(self.changed), 'file')}",
                *[f"Renamed: {counted(len(self.renamed), 'file')}"] * bool(renamed),
                *renamed,
                *[f"  and {left:,} more"] * (left > 0),
                f"Declarations touched: {len(self.touched)}",
                *touched,
                f"Reached through uses: {self.total_reached}",
            ]
        )

    def _notes(self) -> list[str]:
        left = self.total_reached - len(self.reached)
        more = [f"{left:,} more users; ask for them with limit"] if left else []
        return [*more, *self.notes, *filter(None, [self.unread_remark])]


def _where(one: TouchedSymbol | ReachedSymbol) -> str:
    return f"{one.path}{'' if one.cell is None else f' cell {one.cell}'}:{one.line}"


def _place(one: TouchedSymbol | ReachedSymbol) -> Place:
    return Place(path=one.path, line=one.line if one.cell is None else None)


def _name(one: ReachedSymbol) -> str:
    return one.name or "(top of the file)"


def _user(one: ReachedSymbol) -> str:
    return f"{_name(one)} (uses {one.of}{'' if one.certain else ', by name only'})"


def _test(test: ReachedTest) -> str:
    if test.uses:
        return "uses it"
    if test.distance == 0:
        return "changed itself"
    return f"imports it, {test.distance} away"
