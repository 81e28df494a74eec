"""Show which files a file imports."""

from typing import ClassVar

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.code import FileType
from ipuaro_jupyter.records.outputs import Graph
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.records.unread import IncompleteOutput
from ipuaro_jupyter.tools.tool import Project, tool


class ImportedFile(Record):
    """An imported file; ``exists`` is False where the import leads nowhere."""

    path: str
    exists: bool
    is_hub: bool
    is_entry_point: bool
    file_type: FileType
    dependents: int


class Dependencies(IncompleteOutput):
    """The files that ``path`` imports, each once, by path.

    ``problem`` says why the file's own imports are not known, or not all of them.
    """

    rows_of: ClassVar[str] = "dependencies"

    path: str
    dependencies: tuple[ImportedFile, ...]
    total_dependencies: int
    problem: str | None = None

    def text(self) -> str:
        """A numbered list with each file's role."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The files one by one."""
        return Parts(
            head=f"File: {self.path}\nDependencies: {self.total_dependencies}"
            + f"\n[{self.problem}]" * bool(self.problem),
            entries=tuple(
                f"\n{number}. {_named(file)}\n   Type: {file.file_type}, "
                f"EntryPoint: {'yes' if file.is_entry_point else 'no'}, Hub: {_hub(file)}"
                for number, file in enumerate(self.dependencies, 1)
            ),
            brief=tuple(f"- {_named(file)}" for file in self.dependencies),
            without="roles are left out",
            note="{left} more: read the file's imports with get_lines",
            tail=self.unread_line,
        )

    def shape(self) -> Graph:
        """The file with an edge to each of its dependencies."""
        return Graph(
            title=f"Imports of {self.path}: {self.total_dependencies:,}",
            nodes=(self.path, *(file.path for file in self.dependencies)),
            edges=tuple((self.path, file.path) for file in self.dependencies),
            marks={file.path: marks for file in self.dependencies if (marks := _marks(file))},
            note=" ".join(filter(None, (self.problem, self.unread_remark))),
        )


@tool(aliases=("list_dependencies", "get_imports", "find_dependencies"), names={"path": "file"})
def get_dependencies(project: Project, path: str) -> Dependencies:
    """Show which files of the project a file imports.

    Args:
        path: File, relative to the project's root.
    """
    path = indexed_file(project, path)
    found, facts = project.index.imports.dependencies(path), project.index.facts(path)
    return Dependencies(
        path=path,
        dependencies=tuple(
            ImportedFile(
                path=file.path,
                exists=file.exists,
                is_hub=file.is_hub,
                is_entry_point=file.is_entry_point,
                file_type=file.file_type,
                dependents=file.dependents,
            )
            for file in found
        ),
        total_dependencies=len(found),
        problem=facts.parse_error if facts is not None else None,
        not_looked_at=project.index.unread.of().kinds,
    )


def indexed_file(project: Project, path: str) -> str:
    """The project path of a file whose imports are indexed.

    Raises:
        ToolError: "file", when there is no such file or its language has no imports.
    """
    path = project.workspace.relative(path, kind="file")
    project.workspace.read(path)
    if project.index.facts(path) is None:
        raise ToolError(
            "file",
            f"{path} is not indexed: its language has no imports that are understood.",
            suggestion="Read it with get_lines.",
        )
    return path


def _named(file: ImportedFile) -> str:
    return file.path + " (does not exist)" * (not file.exists)


def _hub(file: ImportedFile) -> str:
    return f"yes ({file.dependents} dependents)" if file.is_hub else "no"


def _marks(file: ImportedFile) -> tuple[str, ...]:
    roles = (("hub", file.is_hub), ("entry", file.is_entry_point), ("missing", not file.exists))
    return tuple(name for name, holds in roles if holds)
