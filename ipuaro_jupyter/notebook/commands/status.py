"""``%ipuaro status``."""

from typing import TYPE_CHECKING

from ipuaro_jupyter.notebook.commands.command import Arguments, command
from ipuaro_jupyter.notebook.open_project import Desk
from ipuaro_jupyter.notebook.work import AnyWork

if TYPE_CHECKING:
    from ipuaro_jupyter.status import Status


@command()
def status(desk: Desk, work: AnyWork, arguments: Arguments) -> "Status":
    """Show the open project, the model, the index, the session, and what each project takes."""
    del work, arguments
    return desk.assistant.status(stored=True)
