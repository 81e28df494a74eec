"""``%ipuaro eval``."""

from typing import TYPE_CHECKING

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject

if TYPE_CHECKING:
    from ipuaro_jupyter.records.evaluation import Evaluation


@command(
    argument(
        "--no-review",
        action="store_true",
        help="Only check its names against the code, without asking the model.",
    )
)
def eval_(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> "Evaluation":
    """Check the last answer: paths, lines and symbols against the code, the rest by the model."""
    return project.assistant.evaluate(thread.cancel, review=not arguments.no_review)
