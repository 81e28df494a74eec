"""``%ipuaro undo``."""

from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.desk import Desk
from ipuaro_jupyter.notebook.work import AnyWork
from ipuaro_jupyter.records.outputs import ToolResult


@command(
    argument(
        "--turn",
        action="store_true",
        help="take back all changes of the newest message or tool call, or none of them",
    ),
    argument(
        "--skip",
        action="store_true",
        help="take back nothing: forget the newest change whose file somebody has changed since",
    ),
)
def undo(desk: Desk, work: AnyWork, arguments: Arguments) -> ToolResult:
    """Take back the newest edit, create or delete of this session."""
    with desk.asking(work):
        return desk.assistant.undo(turn=arguments.turn, skip=arguments.skip)
