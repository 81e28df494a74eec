"""``%ipuaro undo``."""

from ipuaro_jupyter.notebook.commands.command import Arguments, command
from ipuaro_jupyter.notebook.desk import Desk
from ipuaro_jupyter.notebook.work import AnyWork
from ipuaro_jupyter.records.outputs import ToolResult


@command()
def undo(desk: Desk, work: AnyWork, arguments: Arguments) -> ToolResult:
    """Take back the newest edit, create or delete of this session."""
    del arguments
    with desk.asking(work):
        return desk.assistant.undo()
