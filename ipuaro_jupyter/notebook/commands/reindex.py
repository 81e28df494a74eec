"""``%ipuaro reindex``."""

from typing import TYPE_CHECKING

from ipuaro_jupyter.notebook.commands.command import Arguments, command
from ipuaro_jupyter.notebook.open_project import Desk
from ipuaro_jupyter.notebook.work import AnyWork

if TYPE_CHECKING:
    from ipuaro_jupyter.records.index_report import IndexReport


@command()
def reindex(desk: Desk, work: AnyWork, arguments: Arguments) -> "IndexReport":
    """Read every file again; changes are seen without it. Stop leaves the index as it was."""
    del arguments
    return desk.assistant.reindex(work.post, work.cancel)
