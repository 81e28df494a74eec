"""``%ipuaro tools``."""

from collections.abc import Collection

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Table


@command()
def tools(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> Table:
    """List the tools, what they do, and which of them may ask first."""
    del thread, arguments
    assistant = project.assistant
    callable_names = {tool.name for tool in assistant.tools.only(assistant.settings.tools.enabled)}
    shown = assistant.shown_tools
    rows = [
        (
            tool.signature,
            tool.asks_first,
            _for_model(tool.name, shown=shown, callable_names=callable_names),
            tool.schema.description.split(". ")[0].rstrip(".") + ".",
        )
        for tool in assistant.tools
    ]
    return Table(
        title="Tools",
        columns=("Tool", "Asks first", "For the model", "What it does"),
        rows=tuple(rows),
        note="Known safe commands run unasked. %tool NAME ARGUMENTS runs a tool directly. The "
        "settings tools.profile and tools.enabled choose what the model is shown and may call.",
    )


def _for_model(name: str, *, shown: Collection[str], callable_names: Collection[str]) -> str:
    if name in shown:
        return "shown"
    return "may be called" if name in callable_names else "off"
