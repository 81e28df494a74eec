"""List the markers in comments."""

from collections import Counter
from typing import ClassVar, get_args

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.code import TodoType
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.outputs import Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.records.unread import IncompleteOutput
from ipuaro_jupyter.tools.source_lines import SourceLines, opened_at, where
from ipuaro_jupyter.tools.tool import Project, tool


class TodoComment(Record):
    """A marker; ``context`` is the source line.

    In a notebook, ``cell`` is the 1-based number of the cell with the line.
    """

    path: str
    cell: int | None = None
    line: int
    type: TodoType
    text: str
    context: str


class TodoSummary(Record):
    """The number of markers, in all and of each type."""

    total: int
    by_type: dict[str, int]


class Todos(IncompleteOutput):
    """The markers by path and line."""

    rows_of: ClassVar[str] = "todos"

    todos: tuple[TodoComment, ...]
    summary: TodoSummary

    def text(self) -> str:
        """A numbered list and the summary."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The markers one by one."""
        count = self.summary.total
        by_type = (f"    {kind}: {number}" for kind, number in self.summary.by_type.items())
        return Parts(
            head=f"Found {count} TODO comment{'' if count == 1 else 's'}:",
            entries=tuple(
                f"\n{number}. {where(todo.path, todo.line, todo.cell)}\n   Type: {todo.type}\n"
                f"   Text: {todo.text}\n   Context: {todo.context.strip()}"
                for number, todo in enumerate(self.todos, 1)
            ),
            brief=tuple(
                f"{where(todo.path, todo.line, todo.cell)} {todo.type} {todo.text}"
                for todo in self.todos
            ),
            without="source lines are left out: narrow with path",
            groups=tuple(todo.path for todo in self.todos),
            tail="\n".join(["", "Summary:", f"  Total: {count}", "  By type:", *by_type])
            + self.unread_line,
            note="{left} more {inside}: narrow with path or type",
        )

    def shape(self) -> Table:
        """A row per marker."""
        counts = ", ".join(f"{n} {kind}" for kind, n in self.summary.by_type.items())
        return Table(
            title=counted(self.summary.total, "marker"),
            columns=("where", "type", "text"),
            kinds={"where": "path"},
            places=tuple(opened_at(todo.path, todo.line, todo.cell) for todo in self.todos),
            rows=tuple(
                (where(todo.path, todo.line, todo.cell), todo.type, todo.text)
                for todo in self.todos
            ),
            note="; ".join(filter(None, [counts, self.unread_remark])),
        )


@tool(aliases=("list_todos", "find_todos", "todos"), names={"path": "place"})
def get_todos(project: Project, path: str = "", type: str = "") -> Todos:  # noqa: A002 - documented
    """List TODO, FIXME, HACK, XXX, BUG and NOTE comments.

    Args:
        path: File or folder. Default: the whole project.
        type: Only this type, in any case. Default: all.
    """
    path = project.workspace.relative(path) if path else ""
    wanted = type.strip().upper()
    if wanted and wanted not in get_args(TodoType):
        raise ToolError(
            "validation",
            f"type={type!r} is not a marker.",
            suggestion=f"Use one of {', '.join(get_args(TodoType))}.",
        )
    found = []
    lines = SourceLines(project.workspace)
    for file, todos in sorted(project.index.todos(path).items()):
        for todo in todos:
            if not wanted or todo.type == wanted:
                _, context = lines.around(file, todo.line, before=0, after=0)
                cell, line = lines.place(file, todo.line)
                found.append(
                    TodoComment(
                        path=file,
                        cell=cell,
                        line=line,
                        type=todo.type,
                        text=todo.text,
                        context=context[0] if context else "",
                    )
                )
    counts = Counter(todo.type for todo in found)
    return Todos(
        todos=tuple(found),
        summary=TodoSummary(
            total=len(found), by_type={k: counts[k] for k in get_args(TodoType) if counts[k]}
        ),
        not_looked_at=project.index.unread.of(within=path).whole,
    )
