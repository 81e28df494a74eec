"""``%ipuaro auto-apply``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain


@command(
    argument("state", nargs="?", choices=["on", "off"], help="Without it, show the present state.")
)
def auto_apply(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> Plain:
    """Apply edits, creates and deletes without asking, until the project is closed.

    There is still a question for commits and unknown commands, and every change can be undone.
    """
    from ipuaro_jupyter import status  # noqa: PLC0415 - loads the rooms below

    del thread
    assistant = project.assistant
    if arguments.state is not None:
        assistant.approve = status.auto_apply(assistant.approve, on=arguments.state == "on")
    return Plain(text=status.auto_apply_text(assistant.approve))
