"""``%ipuaro export``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain


@command(
    argument("file", metavar="FILE", completes="notebook", help="A notebook, FILE.ipynb."),
    argument("--force", action="store_true", help="Overwrite any existing file."),
)
def export(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> Plain:
    """Write the session as a notebook: one %%ask cell per message, with the recorded outputs.

    It holds the model's replies and the results of all tools, so check it before you share it.
    %ipuaro replay FILE runs it again. An older export of the same session is replaced; any other
    file, or one that you have added cells to, is left alone without --force.
    """
    del thread
    path = project.assistant.export(arguments.file, force=arguments.force)
    return Plain(text=f"Written: {path.absolute()}")
