"""``%ipuaro graph``."""

from typing import TYPE_CHECKING

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject

if TYPE_CHECKING:
    from ipuaro_jupyter.records.graph import Graph


@command(
    argument(
        "path", nargs="?", completes="file", help="File or folder to start from. Default: all."
    ),
    argument(
        "--depth", type=int, metavar="N", help="How many imports to follow from PATH. Default: 1."
    ),
    argument(
        "--direction",
        choices=["in", "out", "both"],
        help="in: importers of PATH, out: its imports. Default: both.",
    ),
)
def graph(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> "Graph":
    """Draw the graph of imports, with hubs, cycles and entry points; .to_pandas() for more."""
    del thread
    assistant = project.assistant
    if not arguments.path and (arguments.depth is not None or arguments.direction is not None):
        raise SettingsError("--depth and --direction need a PATH to look around from.")
    return assistant.graph(
        arguments.path or "",
        depth=1 if arguments.depth is None else arguments.depth,
        direction=arguments.direction or "both",
    )
