"""``%ipuaro stop``."""

from ipuaro_jupyter.notebook.commands.command import Arguments, command
from ipuaro_jupyter.notebook.open_project import Desk
from ipuaro_jupyter.notebook.work import AnyWork
from ipuaro_jupyter.records.outputs import Plain


@command()
def stop(desk: Desk, work: AnyWork, arguments: Arguments) -> Plain:
    """Close the open project. Its session is kept: %ipuaro start resumes it."""
    del work, arguments
    root = desk.assistant.root
    desk.close()
    return Plain(text=f"Closed {root}. %ipuaro start resumes the session.")
