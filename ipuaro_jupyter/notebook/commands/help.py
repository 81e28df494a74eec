"""``%ipuaro help``."""

from ipuaro_jupyter.notebook.commands import command_names, find_command
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import Desk
from ipuaro_jupyter.notebook.work import AnyWork
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
def help_(desk: Desk, work: AnyWork, arguments: Arguments) -> Table | Plain:
    """List the subcommands, or explain one."""
    del desk, work
    if arguments.name:
        return Plain(text=find_command(arguments.name).help())
    rows = [(f"%ipuaro {name}", find_command(name).summary) for name in command_names()]
    return Table(title="Commands", columns=("Command", "What it does"), rows=(*_MAGICS, *rows))
