"""``%ipuaro impact``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import ToolResult


@command(
    argument("rev", nargs="?", help="Revision, or range such as main..HEAD. Default: uncommitted."),
    argument("--symbol", metavar="NAME", help="A declaration, instead of a change."),
    argument("--depth", type=int, metavar="N", help="How many uses to follow back. Default: 3."),
)
def impact(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> ToolResult:
    """Show what a change touches, who uses that and which tests reach it; .to_pandas() for more."""
    given = {"diff": arguments.rev, "symbol": arguments.symbol, "depth": arguments.depth}
    return project.assistant.call("get_impact", given, thread.cancel)
