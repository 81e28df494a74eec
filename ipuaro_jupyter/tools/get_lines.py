"""Read lines of a file."""

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.notebooks.cell_lines import Cell, Notebook
from ipuaro_jupyter.records.outputs import Code, TextOutput
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.tools.source_lines import cells_of, is_notebook, note_cells_shown, numbered
from ipuaro_jupyter.tools.tool import Project, tool


@tool(
    aliases=("read_file", "read_lines", "get_file", "open_file", "view_file", "cat"),
    rare=("cell",),
    names={"path": "file"},
)
def get_lines(
    project: Project,
    path: str,
    start: int | None = None,
    end: int | None = None,
    cell: int | None = None,
) -> TextOutput:
    """Read a file or some of its lines. Each line has its number.

    Args:
        path: Project-relative path.
        start: First line, 1-based. Default: 1.
        end: Last line, included. Default: the last.
        cell: In a notebook, the cell, 1-based; lines then count within it. Default: all.
    """
    path = project.workspace.relative(path, kind="file")
    file = project.workspace.read(path)
    lines, title = file.lines, path
    notebook = cells_of(file) if is_notebook(path) else None
    if notebook is not None:
        if cell is None:
            if start is not None or end is not None:
                raise ToolError("validation", f"{path} is a notebook: say in which cell.")
            note_cells_shown(project.workspace, file, notebook)
            return _whole(path, notebook)
        lines, title = _cell(path, notebook, cell).lines, f"{path} cell {cell}"
    elif cell is not None:
        raise ToolError("validation", f"cell={cell}: {path} is no notebook.")
    first, last = _range(title, len(lines), 1 if start is None else start, end)
    if notebook is None:
        project.workspace.note_shown(path, file.hash)
    else:
        note_cells_shown(project.workspace, file, notebook, cell)
    lines = lines[first - 1 : last]
    shown = Code(title=title, lines=lines, start=first, language=_language(path))
    rest = "{left} more lines, {next} to {last}: ask with start={next}"
    rest += "" if cell is None else f", cell={cell}"
    return TextOutput(content=numbered(lines, first), shown=shown, rest=rest, first=first)


def _range(title: str, count: int, start: int, end: int | None) -> tuple[int, int]:
    """The first and the last line of a range in ``count`` lines."""
    if start < 1 or start > max(count, 1):
        raise ToolError(
            "validation",
            f"start={start} is outside of {title}, which has {count} lines.",
            suggestion=f"Use a start from 1 to {max(count, 1)}.",
        )
    if end is not None and end < start:
        raise ToolError("validation", f"end={end} lies before start={start}.")
    return start, count if end is None else min(end, count)


def _cell(path: str, notebook: Notebook, number: int) -> Cell:
    count = len(notebook.cells)
    if not 1 <= number <= count:
        raise ToolError(
            "validation",
            f"cell={number} is outside of {path}, which has {count} cells.",
            suggestion=f"Use a cell from 1 to {count}." if count else None,
        )
    return notebook.cells[number - 1]


def _whole(path: str, notebook: Notebook) -> TextOutput:
    """All cells, each below its number and kind."""
    told: list[str] = []
    lines: list[str] = []
    for number, cell in enumerate(notebook.cells, 1):
        head = f"cell {number} ({cell.kind})"
        told.append(f"{head}\n{numbered(cell.lines, 1)}")
        lines += [f"# {head}", *cell.lines]
    shown = Code(title=path, lines=tuple(lines), language=_language(path))
    pieces = Parts(entries=tuple(told), note="{left} more cells: ask with cell={next}")
    return TextOutput(content=pieces.text(), shown=shown, pieces=pieces)


def _language(path: str) -> str:
    return "py" if is_notebook(path) else path.rpartition(".")[2]
