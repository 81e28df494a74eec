"""Tells front ends which cells failed, so that they can offer to ask about the errors."""

from typing import Any

import comm
from comm.base_comm import BaseComm

from ipuaro_jupyter.notebook.kernel.cells import RunCells
from ipuaro_jupyter.notebook.open_project import OpenProject

TARGET = "ipuaro.failed"


class _Notice(BaseComm):
    """A comm that exists and says nothing: front ends list it, and its id is all that it tells."""

    def publish_msg(self, *_args: Any, **_options: Any) -> None:
        """Send nothing: a front end that does not know the target would answer with an error."""


class FailureNotices:
    """The cells that failed, as comms of the kernel while a project is open.

    A front end asks for them with a ``comm_info_request``, which needs no widget, runs no code and
    is answered after a reload of the page too. The id of each is the target, the cell's number and
    its id in the notebook, which may be empty, with slashes between them.

    Args:
        project: The project of the kernel.
        cells: The cells that the kernel has run.
    """

    def __init__(self, project: OpenProject, cells: RunCells) -> None:
        self._project = project
        self._cells = cells
        self._told: dict[str, _Notice] = {}

    def renew(self, _result: object = None) -> None:
        """List the present failures; IPython calls it with the result of each cell."""
        failures = self._cells.failures() if self._project.is_open else ()
        self._tell({f"{TARGET}/{number}/{cell or ''}" for number, cell in failures})

    def close(self) -> None:
        """List nothing any more."""
        self._tell(set())

    def _tell(self, wanted: set[str]) -> None:
        known = comm.get_comm_manager().comms
        for name in set(self._told) - wanted:
            self._told.pop(name).close()
        for name in sorted(wanted):
            if name not in known:
                self._told[name] = _Notice(target_name=TARGET, comm_id=name, primary=False)
                comm.get_comm_manager().register_comm(self._told[name])
