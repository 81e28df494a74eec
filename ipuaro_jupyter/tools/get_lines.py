"""Read lines of a file."""

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.outputs import Code, TextOutput
from ipuaro_jupyter.tools.source_lines import numbered
from ipuaro_jupyter.tools.tool import Project, tool


@tool(aliases=("read_file", "read_lines", "get_file", "open_file", "view_file", "cat"))
def get_lines(project: Project, path: str, start: int = 1, end: int | None = None) -> TextOutput:
    """Read a file or some of its lines, as they are on disk now. Each line has its number.

    Args:
        path: File, relative to the project's root.
        start: First line, 1-based. Default: 1.
        end: Last line, included; may be past the end. Default: the last line.
    """
    path = project.workspace.relative(path)
    file = project.workspace.read(path)
    count = len(file.lines)
    last = count if end is None else min(end, count)
    if start < 1 or start > max(count, 1):
        raise ToolError(
            "validation",
            f"start={start} is outside of {path}, which has {count} lines.",
            suggestion=f"Use a start from 1 to {max(count, 1)}.",
        )
    if end is not None and end < start:
        raise ToolError("validation", f"end={end} lies before start={start}.")
    project.workspace.note_shown(path, file.hash)
    lines = file.lines[start - 1 : last]
    shown = Code(title=path, lines=lines, start=start, language=path.rpartition(".")[2])
    return TextOutput(content=numbered(lines, start), shown=shown)
