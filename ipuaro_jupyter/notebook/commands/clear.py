"""``%ipuaro clear``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain
from ipuaro_jupyter.views.markup import counted


@command()
def clear(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> Plain:
    """Forget the messages of the session for good. Changes can still be undone."""
    del thread, arguments
    count = project.assistant.session.messages
    project.assistant.clear()
    return Plain(
        text=f"Forgot {counted(count, 'message')}. What was changed can still be undone: "
        "%ipuaro undo."
    )
