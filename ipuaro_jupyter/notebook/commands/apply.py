"""``%ipuaro apply``."""

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import ToolResult


@command(
    argument(
        "which", nargs="*", metavar="N", help="Their numbers, as told below the answer, or ids."
    )
)
def apply(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> ToolResult:
    """Propose the edits that the last answer holds as text, or some of them. Asks no model."""
    with project.asking(thread) as assistant:
        return assistant.apply(*arguments.which, cancel=thread.cancel)
