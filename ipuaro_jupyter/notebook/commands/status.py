"""``%ipuaro status``."""

from typing import TYPE_CHECKING

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, command
from ipuaro_jupyter.notebook.open_project import OpenProject

if TYPE_CHECKING:
    from ipuaro_jupyter.status import Status


@command()
def status(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> "Status":
    """Show the open project, model, index and session, and the storage each project uses."""
    del thread, arguments
    return project.assistant.status(stored=True)
