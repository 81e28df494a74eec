"""Tells front ends that a project is open, which cell asked last, and which cells failed.

They offer the next question below the answer, and to ask about the errors.
"""

from typing import Any

import comm
from comm.base_comm import BaseComm

from ipuaro_jupyter.notebook.awaiting import is_question
from ipuaro_jupyter.notebook.kernel.cells import RunCells
from ipuaro_jupyter.notebook.open_project import OpenProject

FAILED = "ipuaro.failed"
OPEN = "ipuaro.open"


class _Notice(BaseComm):
    """A comm that exists and says nothing: front ends list it, and its id is all that it tells."""

    def publish_msg(self, *_args: Any, **_options: Any) -> None:
        """Send nothing: a front end that does not know the target would answer with an error."""


class FrontEndNotices:
    """What front ends are told of cells, as comms of the kernel while a project is open.

    A front end asks for them with a ``comm_info_request``, which needs no widget, runs no code and
    is answered after a reload of the page too. The id of each is its target, a cell's number and
    its id in the notebook, which may be empty, with slashes between them. There is one of `OPEN`,
    with the cell of the latest question, whose number is 0 without one, and one of `FAILED` for
    each cell that failed.

    Args:
        project: The project of the kernel.
        cells: The cells that the kernel has run.
    """

    def __init__(self, project: OpenProject, cells: RunCells) -> None:
        self._project = project
        self._cells = cells
        self._asked: tuple[int, str | None] = 0, None
        self._told: dict[str, _Notice] = {}

    def renew(self, result: Any = None) -> None:
        """Tell what is so now; IPython calls it with the result of each cell."""
        info = getattr(result, "info", None)
        if info is not None and info.store_history and is_question(info.raw_cell):
            self._asked = result.execution_count or 0, info.cell_id
        if not self._project.is_open:
            return self._tell({})
        failures = {_name(FAILED, *cell): FAILED for cell in self._cells.failures()}
        return self._tell({_name(OPEN, *self._asked): OPEN} | failures)

    def close(self) -> None:
        """Tell nothing any more."""
        self._tell({})

    def _tell(self, wanted: dict[str, str]) -> None:
        known = comm.get_comm_manager().comms
        for name in self._told.keys() - wanted:
            self._told.pop(name).close()
        for name in sorted(wanted.keys() - known):
            self._told[name] = _Notice(target_name=wanted[name], comm_id=name, primary=False)
            comm.get_comm_manager().register_comm(self._told[name])


def _name(target: str, number: int, cell: str | None) -> str:
    return f"{target}/{number}/{cell or ''}"
