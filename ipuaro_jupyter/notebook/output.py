"""Outputs of the running cell: shown, replaced in place, removed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from IPython import display as ipython_display

from ipuaro_jupyter.records.events import Noticed
from ipuaro_jupyter.records.record import MimeBundle
from ipuaro_jupyter.views.drawing import bundle
from ipuaro_jupyter.views.progress import notice_html, notice_text

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant.reading_ahead import ReadingAhead

_display: Any = ipython_display.display
_clear_output: Any = ipython_display.clear_output


class CellOutput:
    """One output of the cell, which can be replaced; unchanged data is not sent."""

    def __init__(self, data: MimeBundle | None = None, *, widget: Any = None) -> None:
        """Show ``data``, or a widget, under the widget's own id."""
        self._data = data
        if data is None:
            self._handle = _display(widget, display_id=widget.model_id)
        else:
            self._handle = _display(data, raw=True, display_id=True)

    def replace(self, data: MimeBundle) -> None:
        """Show ``data`` instead."""
        if data != self._data:
            self._data = data
            self._handle.update(data, raw=True)


def show_reading(ahead: "ReadingAhead") -> Callable[[], None]:
    """Show how far reading ahead is; calling the result shows it anew, from any thread."""

    def told() -> MimeBundle:
        notice = Noticed(text=str(ahead))
        return bundle(notice_text(notice), notice_html(notice))

    output = CellOutput(told())
    return lambda: output.replace(told())


def show(data: MimeBundle) -> None:
    """Show ``data`` as an output that stays."""
    _display(data, raw=True)


def clear(*, wait: bool) -> None:
    """Remove the cell's outputs; with ``wait``, only when the next one comes."""
    _clear_output(wait=wait)
