"""``%ipuaro diff``."""

from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.desk import Desk
from ipuaro_jupyter.notebook.work import AnyWork
from ipuaro_jupyter.records.outputs import ToolResult


@command(
    argument("path", nargs="?", completes="file", help="File or folder. Default: the project."),
    argument("--staged", action="store_true", help="Only what is staged for the next commit."),
)
def diff(desk: Desk, work: AnyWork, arguments: Arguments) -> ToolResult:
    """Show what has changed since the last commit, as git knows it."""
    given = {"path": arguments.path, "staged": arguments.staged or None}
    return desk.assistant.call("git_diff", given, work.cancel)
