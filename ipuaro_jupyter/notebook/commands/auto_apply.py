"""``%ipuaro auto-apply``."""

from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import Desk
from ipuaro_jupyter.notebook.work import AnyWork
from ipuaro_jupyter.records.outputs import Plain


@command(argument("state", nargs="?", choices=["on", "off"], help="Without it: how it is."))
def auto_apply(desk: Desk, work: AnyWork, arguments: Arguments) -> Plain:
    """Apply edits, creates and deletes without a question, until the project is closed.

    Commits and unknown commands ask all the same, and everything can be undone.
    """
    from ipuaro_jupyter import status  # noqa: PLC0415 - loads the rooms below

    del work
    assistant = desk.assistant
    if arguments.state is not None:
        assistant.approve = status.auto_apply(assistant.approve, on=arguments.state == "on")
    return Plain(text=status.auto_apply_text(assistant.approve))
