"""Tells a page that was loaded anew which cell of ours runs, and what it has shown so far."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import comm

from ipuaro_jupyter.notebook.output import ShownOutputs, shown_outputs

if TYPE_CHECKING:
    from ipuaro_jupyter.notebook.widgets.question import AskingCell

TARGET = "ipuaro.turn"


class RunningTurn:
    """The cell of ours that runs, for front ends that open a comm of `TARGET`.

    The answer is a message with the cell's request, number, id and outputs, if one runs. Other
    requests than those of comms are not answered while a cell awaits.
    """

    def __init__(self) -> None:
        self._told: tuple[AskingCell, ShownOutputs] | None = None

    def begin(self) -> None:
        """Answer from now on."""
        comm.get_comm_manager().register_target(TARGET, self._answer)

    def close(self) -> None:
        """Answer no more."""
        comm.get_comm_manager().unregister_target(TARGET, self._answer)

    @contextmanager
    def told(self, place: "AskingCell") -> Iterator[None]:
        """Tell of the running cell in the block."""
        self._told = place, shown_outputs()
        try:
            yield
        finally:
            self._told = None

    def _answer(self, opened: Any, _message: object) -> None:
        if self._told is not None:
            place, shown = self._told
            opened.send({**place._asdict(), "outputs": shown.told()})
        opened.close()
