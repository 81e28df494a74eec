"""``%ipuaro undo``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain, ToolResult


@command(
    argument(
        "--turn",
        action="store_true",
        help="Undo all changes of the newest message or tool call, or none of them.",
    ),
    argument(
        "--skip",
        action="store_true",
        help="Undo nothing: drop the newest change whose file was changed since.",
    ),
    argument(
        "--list",
        action="store_true",
        help="Undo nothing: list what can be undone, and what prevents it.",
    ),
)
def undo(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> ToolResult | Plain:
    """Undo the newest change of this session, of one file or of several made as one.

    %ipuaro redo makes it again.
    """
    from ipuaro_jupyter.assistant.undone import undo_list_of  # noqa: PLC0415 - loads a room
    from ipuaro_jupyter.workspace.changes.undo_changes import NOTHING  # noqa: PLC0415 - loads a room

    if arguments.list:
        result = undo_list_of(project.assistant)
        is_empty = result.text().startswith(NOTHING)
        return Plain(text=result.text()) if is_empty else result
    with project.asking(thread):
        result = project.assistant.undo(turn=arguments.turn, skip=arguments.skip)
    if result.error is not None and result.error.message == NOTHING:
        return Plain(text=NOTHING)
    return result
