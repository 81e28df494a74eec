"""``%ipuaro unused``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import ToolResult


@command(
    argument("path", nargs="?", completes="file", help="File or folder. Default: the project."),
    argument("--limit", type=int, metavar="N", help="How many exports at most. Default: 200."),
)
def unused(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> ToolResult:
    """List exports that nothing uses, or only tests do; .to_pandas() for more."""
    given = {"path": arguments.path, "limit": arguments.limit}
    return project.assistant.call("find_unused_exports", given, thread.cancel)
