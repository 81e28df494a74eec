"""``%ipuaro stop``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain


@command()
def stop(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> Plain:
    """Close the open project. Its session is kept: %ipuaro start resumes it."""
    del thread, arguments
    root = project.assistant.root
    project.close()
    return Plain(text=f"Closed {root}. %ipuaro start resumes the session.")
