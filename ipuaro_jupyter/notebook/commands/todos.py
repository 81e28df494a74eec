"""``%ipuaro todos``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import ToolResult


@command(
    argument("path", nargs="?", completes="file", help="File or folder. Default: the project."),
    argument("--type", metavar="T", help="TODO, FIXME, HACK, XXX, BUG or NOTE. Default: all."),
)
def todos(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> ToolResult:
    """List the markers in comments, such as TODO and FIXME; .to_pandas() for more."""
    given = {"path": arguments.path, "type": arguments.type}
    return project.assistant.call("get_todos", given, thread.cancel)
