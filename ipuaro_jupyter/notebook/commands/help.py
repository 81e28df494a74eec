"""``%ipuaro help``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands import command_names, find_command
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain, Table

_MAGICS = (
    ("%%ask", "Send the cell to the model. %%ask ; shows no record of the turn."),
    ("%ask TEXT", "Send one line to the model."),
    ("%tool NAME ARGUMENTS", "Run one tool: a JSON object, key=value pairs, or values in order."),
)


@command(
    argument(
        "name", nargs="?", metavar="COMMAND", completes="command", help="The subcommand to explain."
    )
)
def help_(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> Table | Plain:
    """List the subcommands, or explain one."""
    del project, thread
    if arguments.name:
        return Plain(text=find_command(arguments.name).help())
    rows = [(f"%ipuaro {name}", find_command(name).summary) for name in command_names()]
    return Table(title="Commands", columns=("Command", "What it does"), rows=(*_MAGICS, *rows))
