"""The status of a running job: its current activity, and below that the changing figures."""

import time

from ipuaro_jupyter.notebook.output import CellOutput
from ipuaro_jupyter.records.events import Progress, PromptSent, TurnPlace, UsageReported
from ipuaro_jupyter.records.record import MimeBundle
from ipuaro_jupyter.views import progress
from ipuaro_jupyter.views.drawing import bundle
from ipuaro_jupyter.views.markup import element, escape, visible

REDRAW_S = 0.1


class StatusLine:
    """Two outputs: the phase, whose changes a screen reader announces, and the figures.

    Inside another cell of the user it is one.
    """

    def __init__(self, doing: str, *, in_one: bool, wait_s: float) -> None:
        """Begin.

        Args:
            doing: The job's activity until `say` changes it.
            in_one: Show one line only.
            wait_s: Seconds until it appears: a short job needs none.
        """
        self._doing = doing
        self._in_one = in_one
        self._wait_s = wait_s
        self._started_s = time.monotonic()
        self._figures = progress.Figures(0)
        self._progress: Progress | None = None
        self._sent: tuple[PromptSent, float] | None = None
        self._phase: CellOutput | None = None
        self._below: CellOutput | None = None
        self._next_s = 0.0
        self.draw()

    @property
    def elapsed_s(self) -> float:
        """The seconds since the beginning."""
        return time.monotonic() - self._started_s

    def say(self, doing: str) -> None:
        """Set the job's current activity; `draw` shows it, without the bar of the one before."""
        self._doing = doing
        self._progress = None

    def read(self, sent: PromptSent | None) -> None:
        """The model reads from now on; None: it has begun to write.

        What was shown as read stays so, although it was a guess.
        """
        if sent is not None and sent.read and self._sent is not None:
            before, at_s = self._sent
            shown = min(progress.read_by(before, self.elapsed_s - at_s), sent.tokens)
            sent = sent.model_copy(update={"read": max(sent.read, shown)})
        self._sent = None if sent is None else (sent, self.elapsed_s)

    def note(self, told: UsageReported | TurnPlace | Progress) -> None:
        """Set a figure; `draw` shows it."""
        if isinstance(told, UsageReported):
            self._figures = self._figures._replace(
                usage=told.usage, context_percent=told.context_percent
            )
        elif isinstance(told, TurnPlace):
            self._figures = self._figures._replace(model=told.model, branch=told.branch)
        else:
            self._progress = told

    def draw(self) -> None:
        """Show the present status, unless the last drawing was a moment ago."""
        if self.elapsed_s < max(self._wait_s, self._next_s):
            return
        self._next_s = self.elapsed_s + REDRAW_S
        if not self._in_one:
            data = bundle(visible(self._doing), progress.phase_html(self._doing), *progress.STYLES)
            self._phase = _shown(self._phase, data)
        self._below = _shown(self._below, self._data())

    def restart(self) -> None:
        """Use new outputs from now on: the old ones were removed."""
        self._phase = self._below = None
        self._next_s = 0.0

    def end(self, ending: str) -> None:
        """Leave a last line in its place; a front end shows nothing for an empty one."""
        if self._below is not None:
            line = element("div", escape(ending), class_="ipuaro-note")
            self._below.replace(bundle(visible(ending), line) if ending else {"text/plain": ""})

    def _data(self) -> MimeBundle:
        if self._progress is not None:
            now = progress.clock(self.elapsed_s)
            text = f"{progress.progress_text(self._progress)} \u00b7 {now}"
            return bundle(text, progress.progress_html(self._progress, text), *progress.STYLES)
        figures = self._figures._replace(elapsed_s=self.elapsed_s)
        if self._sent is not None:
            sent, began_s = self._sent
            words = progress.reading_words(sent, self.elapsed_s - began_s)
            figures = figures._replace(reading=words)
        if self._in_one:
            text = progress.status_text(self._doing, figures)
            return bundle(text, progress.line_html(text), *progress.STYLES)
        html = progress.figures_html(figures)
        return bundle(progress.figures_text(figures), html, *progress.STYLES)


def _shown(output: CellOutput | None, data: MimeBundle) -> CellOutput:
    """Show ``data`` in an output, which is made when there is none."""
    if output is None:
        return CellOutput(data)
    output.replace(data)
    return output
