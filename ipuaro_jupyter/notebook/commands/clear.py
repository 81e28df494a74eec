"""``%ipuaro clear``."""

from ipuaro_jupyter.notebook.commands.command import Arguments, command
from ipuaro_jupyter.notebook.open_project import Desk
from ipuaro_jupyter.notebook.work import AnyWork
from ipuaro_jupyter.records.outputs import Plain
from ipuaro_jupyter.views.markup import counted


@command()
def clear(desk: Desk, work: AnyWork, arguments: Arguments) -> Plain:
    """Forget the messages of the session, for good. What was changed can still be undone."""
    del work, arguments
    count = desk.assistant.session.messages
    desk.assistant.clear()
    return Plain(
        text=f"Forgot {counted(count, 'message')}. What was changed can still be undone: "
        "%ipuaro undo."
    )
