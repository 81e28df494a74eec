"""``%ipuaro export``."""

from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import Desk
from ipuaro_jupyter.notebook.work import AnyWork
from ipuaro_jupyter.records.outputs import Plain


@command(
    argument("file", metavar="FILE", completes="notebook", help="A notebook, FILE.ipynb."),
    argument("--force", action="store_true", help="Overwrite whatever file is there."),
)
def export(desk: Desk, work: AnyWork, arguments: Arguments) -> Plain:
    """Write the session as a notebook: one %%ask cell per message, with the recorded outputs.

    It holds the model's replies and the results of all tools, so look at it before you give it
    away. %ipuaro replay FILE runs it again. An older export of the same session is replaced; a file
    that is anything else, or that you have added cells to, is left alone without --force.
    """
    del work
    path = desk.assistant.export(arguments.file, force=arguments.force)
    return Plain(text=f"Written: {path.absolute()}")
