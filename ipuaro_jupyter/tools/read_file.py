"""Read a whole file."""

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.outputs import Code, TextOutput
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.files.text_file import TextFile

_LIMIT_BYTES = 100 * 1024


@tool(
    aliases=("read", "load_file", "get_file_content", "get_file_contents", "read_whole_file"),
    names={"filepath": "file"},
)
def read_file(project: Project, filepath: str) -> TextOutput:
    """Read a text file of at most 100 KB as it is, without line numbers.

    Args:
        filepath: File, relative to the project's root.
    """
    real = project.workspace.relative(filepath, kind="file")
    data, mode = project.workspace.read_bytes(real)
    if len(data) > _LIMIT_BYTES:
        raise ToolError(
            "file",
            f"{real} has {len(data)} bytes; read_file reads at most 100KB ({_LIMIT_BYTES} bytes).",
            suggestion="Read some of its lines with get_lines, or search it with grep.",
        )
    file = TextFile.of(real, data, mode)
    project.workspace.note_shown(real, file.hash)
    language = real.rpartition(".")[2]
    shown = Code(title=real, lines=file.lines, language=language)
    rest = "{left} more lines: read them with get_lines, start={next}"
    return TextOutput(content=file.text, shown=shown, rest=rest)
