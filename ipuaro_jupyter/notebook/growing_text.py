"""The model's text while it is streamed."""

import time

from ipuaro_jupyter.notebook.slots import Slot, Slots
from ipuaro_jupyter.views.markup import element, visible
from ipuaro_jupyter.views.prose import markdown

REDRAW_S = 0.05
# Drawing may take this share of the time: slow drawings are repeated less often.
DRAWING_SHARE = 0.1
LONGEST_PAUSE_S = 0.5
# A longer text is drawn in parts, and completed parts are not drawn again.
PART_CHARACTERS = 2000


class GrowingText:
    """Markdown drawn at most 20 times a second; only its last part is redrawn."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._slot = Slot(slots)
        self._text = ""
        self._next_s = 0.0
        self._settle_from = PART_CHARACTERS

    def add(self, text: str) -> None:
        """Append text; `draw` shows it."""
        self._text += text

    def draw(self, *, at_once: bool = False) -> None:
        """Show the present text, unless the last drawing was a moment ago."""
        if not self._text.strip() or (time.monotonic() < self._next_s and not at_once):
            return
        started_s = time.monotonic()
        if len(self._text) > self._settle_from:
            self._settle()
        if self._text.strip():
            self._show(self._text)
        now_s = time.monotonic()
        pause_s = min((now_s - started_s) / DRAWING_SHARE, LONGEST_PAUSE_S)
        self._next_s = started_s + max(REDRAW_S, pause_s)

    def _settle(self) -> None:
        """Draw the completed part for the last time, and continue below it."""
        complete = markdown.complete(self._text)
        if complete:
            self._show(self._text[:complete])
            self._text, self._slot = self._text[complete:], Slot(self._slots)
        self._settle_from = len(self._text) + PART_CHARACTERS

    def _show(self, text: str) -> None:
        html = element("div", markdown.html(text), class_="ipuaro-answer")
        self._slot.show(visible(text.strip("\n")), html, *markdown.STYLES, "answer")
