"""``%ipuaro redo``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain, ToolResult


@command()
def redo(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> ToolResult | Plain:
    """Make again what the latest undo took back, until something else is changed."""
    from ipuaro_jupyter.workspace.changes.undo_changes import (  # noqa: PLC0415 - loads a room
        NOTHING_UNDONE,
    )

    del arguments
    with project.asking(thread):
        result = project.assistant.redo()
    if result.error is not None and result.error.message == NOTHING_UNDONE:
        return Plain(text=NOTHING_UNDONE)
    return result
