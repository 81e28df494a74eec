"""Places for the output of a running turn, one below the other: few enough that all are drawn."""

from ipuaro_jupyter.notebook.output import CellOutput
from ipuaro_jupyter.records.record import MimeBundle
from ipuaro_jupyter.views.drawing import bundle
from ipuaro_jupyter.views.markup import counted, element, escape

# JupyterLab hides outputs of a cell after the 50th; questions and notices need some, too.
MOST = 30
LATEST = 8


class Slot:
    """One place, whose content can be replaced."""

    def __init__(self, slots: "Slots") -> None:
        self._slots = slots
        self._output: CellOutput | None = None

    def show(self, text: str, html: str, *styles: str) -> None:
        """Show a text and its HTML in this place."""
        if self._output is not None:
            self._output.replace(bundle(text, html, *styles))
        elif self._slots.take(self, text, html, *styles):
            self._output = CellOutput(bundle(text, html, *styles))


class Slots:
    """The places of a turn. The first ones are outputs of their own; the latest others share one.

    The shared one shows only the latest few: the record of the turn has all of them.
    """

    def __init__(self) -> None:
        self._own = 0
        self._last: CellOutput | None = None
        self._shared: dict[Slot, tuple[str, str]] = {}
        self._styles: dict[str, None] = {}

    @property
    def count(self) -> int:
        """The number of places that have shown something."""
        return self._own + len(self._shared)

    def take(self, slot: Slot, text: str, html: str, *styles: str) -> bool:
        """Whether the slot may have an output of its own; if not, show it in the shared one."""
        if slot not in self._shared and self._own < MOST:
            self._own += 1
            return True
        self._shared[slot] = text, html
        self._styles |= dict.fromkeys(styles)
        data = self._together()
        if self._last is None:
            self._last = CellOutput(data)
        else:
            self._last.replace(data)
        return False

    def _together(self) -> MimeBundle:
        hidden = len(self._shared) - LATEST
        latest = list(self._shared.values())[-LATEST:]
        texts, parts = [text for text, _ in latest], [html for _, html in latest]
        if hidden > 0:
            note = f"\u2026 {counted(hidden, 'more step')}, which the record will show"
            texts.insert(0, note)
            parts.insert(0, element("div", escape(note), class_="ipuaro-note"))
        return bundle("\n".join(texts), "".join(parts), *self._styles)
