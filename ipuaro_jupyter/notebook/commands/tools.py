"""``%ipuaro tools``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Table


@command()
def tools(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> Table:
    """List the tools, what they do, and which of them may ask first."""
    del thread, arguments
    assistant = project.assistant
    offered = {tool.name for tool in assistant.tools.only(assistant.settings.tools.enabled)}
    rows = [
        (
            tool.signature,
            tool.asks_first,
            tool.name in offered,
            tool.schema.description.split(". ")[0].rstrip(".") + ".",
        )
        for tool in assistant.tools
    ]
    return Table(
        title="Tools",
        columns=("Tool", "Asks first", "Model sees it", "What it does"),
        rows=tuple(rows),
        note="Known safe commands run unasked. %tool NAME ARGUMENTS runs a tool directly.",
    )
