"""Outputs of the running cell: shown, replaced in place, removed, told to a page that lost them.

A page that is loaded anew while the cell awaits does not get what was shown before, nor does it
know which output an update is for. So what is shown is kept, in order, until the next cell begins.
"""

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


class ShownOutputs:
    """What the running cell shows, as far as it came through here."""

    def __init__(self) -> None:
        self._outputs: list[tuple[str | None, CellOutput | MimeBundle]] = []

    def add(self, shown: "CellOutput | MimeBundle", *, output: str | None = None) -> None:
        """Keep what is shown, with its display id."""
        self._outputs.append((output, shown))

    def forget(self) -> None:
        """Forget what was removed."""
        self._outputs.clear()

    def told(self) -> list[dict[str, Any]]:
        """For each its display id, None without one, and its data, None for an open question."""
        return [
            {"id": output, "data": shown.data if isinstance(shown, CellOutput) else shown}
            for output, shown in self._outputs
        ]


_shown = ShownOutputs()


def begin_outputs() -> None:
    """Keep the outputs of a new cell from now on."""
    global _shown  # noqa: PLW0603 - a kernel runs one cell at a time
    _shown = ShownOutputs()


def shown_outputs() -> ShownOutputs:
    """The outputs of the running cell; still those of that cell when another one runs."""
    return _shown


class CellOutput:
    """One output of the cell, which can be replaced; unchanged data is not sent."""

    def __init__(self, data: MimeBundle | None = None, *, widget: Any = None) -> None:
        """Show ``data``, or a widget, under the widget's own id."""
        self.data = data
        """The present data; None while it is a widget."""
        if data is None:
            self._handle = _display(widget, display_id=widget.model_id)
        else:
            self._handle = _display(data, raw=True, display_id=True)
        _shown.add(self, output=getattr(self._handle, "display_id", None))

    def replace(self, data: MimeBundle) -> None:
        """Show ``data`` instead."""
        if data != self.data:
            self.data = data
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
    _shown.add(data)


def clear(*, wait: bool) -> None:
    """Remove the cell's outputs; with ``wait``, only when the next one comes."""
    _clear_output(wait=wait)
    _shown.forget()
