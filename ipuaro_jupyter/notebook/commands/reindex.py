"""``%ipuaro reindex``."""

from typing import TYPE_CHECKING

from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, command
from ipuaro_jupyter.notebook.open_project import OpenProject

if TYPE_CHECKING:
    from ipuaro_jupyter.records.index_report import IndexReport


@command()
def reindex(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> "IndexReport":
    """Rebuild the index; changes are noticed without it. Stop keeps the old index."""
    del arguments
    return project.assistant.reindex(thread.post, thread.cancel)
