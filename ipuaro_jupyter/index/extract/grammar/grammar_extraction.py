"""The facts of a file that a query alone describes, and what its captures mark."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from itertools import groupby
from operator import itemgetter

from ipuaro_jupyter.index.extract.extractor import Extraction
from ipuaro_jupyter.index.extract.scope_stack import Facts, Frame
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.syntax import Syntax

MARKS = ("exported", "static", "abstract", "readonly", "async")
"""The captures that say something of the declaration whose head they stand in."""
HOLDERS = frozenset({"class", "interface", "enum", "methods"})
"""The kinds of frames that have members."""


class GrammarExtraction(Extraction):
    """The facts of a file read so far.

    Attributes:
        prefixes: For each open list of imports: one past its last byte, and the path before it.
        module_file: The file that an attribute names for the module behind it; "" for none.
        paths: The paths in the code that may lead to other files, with the 1-based lines.
        package: The import of the types of the file's own package; None without one.
        members: Members with the qualified name of their holder, and what they are.
    """

    def __init__(self, data: bytes, syntax: Syntax, captures: Mapping[str, list[Node]]) -> None:
        super().__init__(data, syntax)
        self.prefixes: list[tuple[int, str]] = []
        self.module_file = ""
        self.paths: dict[str, int] = {}
        self.package: Facts | None = None
        self._has_attributes = bool(syntax.language.kind_ids(self.source.tables.attributes))
        self.members: list[tuple[str, str, Facts]] = []
        self._marks = {
            mark: sorted(node.start_byte for node in captures.get(mark, ())) for mark in MARKS
        }
        named = sorted((node.start_byte, node.id, node) for node in captures.get("holder", ()))
        self._holders = [(start, node) for start, _, node in named]

    def is_marked(self, mark: str, start: int, end: int) -> bool:
        """Whether a capture of `MARKS` begins in a range of bytes."""
        places = self._marks[mark]
        at = bisect_left(places, start)
        return at < len(places) and places[at] < end

    def is_exported(self, name: str, start: int, end: int) -> bool:
        """Whether a declaration is exported, by its name or by a word in its head.

        Args:
            name: Its name.
            start: First byte of its head.
            end: One past the last byte of its head.
        """
        if self.source.tables.capital_exports:
            return name[:1].isupper()
        return self.is_marked("exported", start, end)

    def holder_in(self, start: int, end: int) -> str:
        """The name of the type that a capture ``holder`` in a range gives; "" without one."""
        at = bisect_left(self._holders, start, key=itemgetter(0))
        if at < len(self._holders) and self._holders[at][0] < end:
            return self.source.text(self._holders[at][1])
        return ""

    def first_line(self, node: Node) -> int:
        """The 1-based first line of a declaration, the attributes before it included."""
        tables, line = self.source.tables, node.start_point.row + 1
        if self._has_attributes:
            before = node.prev_named_sibling
            while before is not None and before.type in tables.attributes | tables.comments:
                line = before.start_point.row + 1 if before.type in tables.attributes else line
                before = before.prev_named_sibling
        return line

    def declare_at(self, kind: str, record: Facts, frame: Frame) -> None:
        """Add a declaration; one at the top of the file that is exported is an export."""
        self.facts[kind].append(record)
        self.place(frame)
        self.export_top(record)

    def export_top(self, record: Facts) -> None:
        """Export a declaration at the top of the file, if it is exported."""
        if record["is_exported"] and "." not in record["qualified"]:
            self.export(record["name"], record["line_start"], local=record["name"])

    def place_members(self) -> None:
        """Give the members to their types, where the file declares these.

        The others are functions and variables with a qualified name.
        """
        holders: defaultdict[str, dict[str, Facts]] = defaultdict(dict)
        for kind in ("classes", "interfaces"):
            for record in self.facts[kind]:
                holders[record["qualified"]].setdefault(kind, record)
        self.members.sort(key=lambda member: (member[0], member[1], member[2]["line_start"]))
        for (holder, kind), members in groupby(self.members, key=itemgetter(0, 1)):
            records = [record for _, _, record in members]
            found = holders.get(holder)
            if kind == "implements":
                names = [record["name"] for record in records]
                (found or {}).get("classes", {}).setdefault("implements", []).extend(names)
            elif found is None:
                self._place_apart(holder, kind, records)
            elif kind == "methods":
                next(iter(found.values()))["methods"] += records
            else:
                of_interface = "classes" not in found
                name = "fields" if of_interface else "properties"
                next(iter(found.values()))[name] += records
        for kind in ("functions", "variables"):
            self.facts[kind].sort(key=itemgetter("line_start"))

    def _place_apart(self, holder: str, kind: str, records: list[Facts]) -> None:
        """Add members of a type that has no record for them, or is declared elsewhere."""
        if kind == "methods":
            self.facts["functions"] += records
            return
        self.facts["variables"] += [
            {
                "name": record["name"],
                "qualified": f"{holder}.{record['name']}",
                "line_start": record["line_start"],
                "line_end": record["line_end"],
                "kind": "const" if record["is_readonly"] else "variable",
                "is_exported": False,
            }
            for record in records
        ]
