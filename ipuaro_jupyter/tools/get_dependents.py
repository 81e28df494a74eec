"""Show which files import a file."""

from collections.abc import Iterator
from typing import ClassVar

from ipuaro_jupyter.records.code import FileType
from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.records.outputs import Graph
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.records.unread import IncompleteOutput
from ipuaro_jupyter.tools.declaring_files import broken_imports, mentioned_as
from ipuaro_jupyter.tools.get_dependencies import indexed_file
from ipuaro_jupyter.tools.placed_files import placed
from ipuaro_jupyter.tools.tool import Project, tool


class ImportingFile(Record):
    """A file that imports the given one."""

    path: str
    is_hub: bool
    is_entry_point: bool
    file_type: FileType
    complexity_score: float


class Dependents(IncompleteOutput):
    """The files that import ``path``, by path; a hub has more than 5 of them.

    ``beside`` are files of the same package that mention a name that it declares, in Go, where
    that takes no import.
    """

    rows_of: ClassVar[str] = "dependents"

    path: str
    is_hub: bool
    dependents: tuple[ImportingFile, ...]
    total_dependents: int
    beside: tuple[str, ...] | None = None

    @property
    def lead(self) -> str:
        """How many files import it."""
        files = counted(self.total_dependents, "file")
        verb = "imports" if self.total_dependents == 1 else "import"
        return f"{files} {verb} {self.path}."

    def text(self) -> str:
        """A numbered list, with a warning for a hub."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The files one by one."""
        hub = f"yes ({self.total_dependents} dependents)" if self.is_hub else "no"
        impact = f"Changes may impact {self.total_dependents} other files."
        return Parts(
            head=f"File: {self.path}\nHub: {hub}\nDependents: {self.total_dependents}",
            entries=tuple(
                f"\n{number}. {file.path}\n"
                f"   Complexity: {file.complexity_score:.0f}, Type: {file.file_type}"
                for number, file in enumerate(self.dependents, 1)
            ),
            brief=tuple(f"- {file.path}" for file in self.dependents),
            without="types and complexity are left out: see get_complexity",
            groups=tuple(file.path.rpartition("/")[0] or "." for file in self.dependents),
            group="folder",
            tail=f"\nWarning: This is a hub file. {impact}" * self.is_hub
            + f"\n[{self._beside()}]" * bool(self.beside)
            + self.unread_line,
            note="{left} more {inside}: grep for the import with path",
        )

    def _beside(self) -> str:
        """A remark on the files of the same package; "" when there are none."""
        if not self.beside:
            return ""
        files, verb = counted(len(self.beside), "file"), "s" * (len(self.beside) == 1)
        return (
            f"not counted: {files} of its package mention{verb} a name that it declares, without "
            f"an import: {named(self.beside)}"
        )

    def shape(self) -> Graph:
        """The file with an edge from each of its dependents."""
        marks: dict[str, tuple[str, ...]] = {self.path: ("hub",)} if self.is_hub else {}
        for file in self.dependents:
            roles = (("hub", file.is_hub), ("entry", file.is_entry_point))
            if found := tuple(name for name, holds in roles if holds):
                marks[file.path] = found
        return Graph(
            title=f"Files that import {self.path}: {self.total_dependents:,}",
            nodes=(self.path, *(file.path for file in self.dependents)),
            edges=tuple((file.path, self.path) for file in self.dependents),
            marks=marks,
            note="; ".join(filter(None, (self._beside(), self.unread_remark))),
        )


@tool(aliases=("list_dependents", "get_importers", "find_dependents"), names={"path": "file"})
def get_dependents(project: Project, path: str) -> Dependents:
    """Show which files import a file, and may break if it changes.

    Args:
        path: Project-relative path.
    """
    path = indexed_file(project, path)
    found = project.index.imports.dependents(path)
    unread = project.index.unread.of(mentioned_as(path))
    return Dependents(
        path=path,
        is_hub=project.index.imports.node(path).is_hub,
        dependents=tuple(
            ImportingFile(
                path=file.path,
                is_hub=file.is_hub,
                is_entry_point=file.is_entry_point,
                file_type=file.file_type,
                complexity_score=round(file.complexity_score, 1),
            )
            for file in found
        ),
        total_dependents=len(found),
        not_looked_at=unread.kinds,
        unread_with_name=unread.naming,
        broken_imports=broken_imports(project, [path]),
        placed=placed(project, [path]),
        beside=tuple(sorted(_beside(project, path))) or None,
    )


def _beside(project: Project, path: str) -> Iterator[str]:
    """Yield the files of a Go package that mention what one of its files declares at the top."""
    facts = project.index.facts(path)
    if not path.endswith(".go") or facts is None:
        return
    folder = path.rpartition("/")[0]
    others = {other for other in project.index.paths(folder) if _is_beside(other, path)}
    types = {one.name for kind in (facts.classes, facts.interfaces, facts.types) for one in kind}
    names = {one.name for kind in (facts.functions, facts.variables) for one in kind}
    for name in sorted((types | names) - {"init", "main"}):
        found = others & project.index.naming(name)
        others -= found
        yield from found


def _is_beside(other: str, path: str) -> bool:
    is_source = other.endswith(".go") and other != path
    return is_source and other.rpartition("/")[0] == path.rpartition("/")[0]
