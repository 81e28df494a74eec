"""A running turn in a notebook: outputs that are updated in place, by their display id."""

import time

from ipuaro_jupyter.notebook.output import Output, clear, show
from ipuaro_jupyter.records.chat import CalledTool, Usage
from ipuaro_jupyter.records.events import (
    CallFinished,
    CallStarted,
    Event,
    IndexProgress,
    Noticed,
    PhaseChanged,
    Progress,
    ProposalDecided,
    PullProgress,
    TextAdded,
    TroubleDecided,
    TurnFinished,
    UsageReported,
)
from ipuaro_jupyter.records.record import MimeBundle
from ipuaro_jupyter.views import call, markdown, progress, proposal, trouble
from ipuaro_jupyter.views.drawing import bundle
from ipuaro_jupyter.views.markup import element, escape, visible

REDRAW_S = 0.05
# Drawing may take this part of the time: a long text is drawn less often.
DRAWING_SHARE = 0.2


class GrowingText:
    """The model's text while it comes: drawn at most 20 times a second."""

    def __init__(self) -> None:
        self._text = ""
        self._output: Output | None = None
        self._next_s = 0.0

    def add(self, text: str) -> None:
        """Append text; `draw` shows it."""
        self._text += text

    def draw(self, *, at_once: bool = False) -> None:
        """Show the text as it is now, unless that was done a moment ago."""
        if not self._text.strip() or (time.monotonic() < self._next_s and not at_once):
            return
        started_s = time.monotonic()
        html = element("div", markdown.html(self._text), class_="ipuaro-answer")
        data = bundle(visible(self._text), html, *markdown.STYLES, "answer")
        if self._output is None:
            self._output = Output(data)
        else:
            self._output.replace(data)
        now_s = time.monotonic()
        self._next_s = started_s + max(REDRAW_S, (now_s - started_s) / DRAWING_SHARE)


class LiveView:
    """Draws the events of a turn below a status line, in the order in which they come."""

    def __init__(self, doing: str, *, whole_cell: bool = True, wait_s: float = 0.0) -> None:
        """Begin.

        Args:
            doing: What the status line says until an event says more.
            whole_cell: False inside somebody else's cell, which keeps its outputs: then there is
                only the status line.
            wait_s: Seconds until the status line appears: what is over at once needs none.
        """
        self._doing = doing
        self._whole_cell = whole_cell
        self._wait_s = wait_s
        self._started_s = time.monotonic()
        self._usage = Usage()
        self._context_percent: float | None = None
        self._text = GrowingText()
        self._calls: dict[str, Output] = {}
        self._decided: list[MimeBundle] = []
        self._notices: list[Noticed] = []
        self._troubles: list[TroubleDecided] = []
        self._status: Output | None = None
        self._progress: Progress | None = None
        self._next_s = 0.0
        self.tick()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._started_s

    def show(self, event: Event | Progress) -> None:
        """Draw an event."""
        match event:
            case TextAdded():
                self._text.add(event.text)
                self._doing = progress.phase_words("writing", "")
            case PhaseChanged():
                self._doing = progress.phase_words(event.phase, event.detail)
            case UsageReported():
                self._usage, self._context_percent = event.usage, event.context_percent
            case IndexProgress() | PullProgress():
                self._progress = event
            case CallStarted() | CallFinished() | ProposalDecided() | TroubleDecided() | Noticed():
                if self._whole_cell:
                    self._show_happening(event)
            case TurnFinished():
                self._text.draw(at_once=True)

    def tick(self) -> None:
        """Draw what has come since the last time, and the time."""
        if self._status is None:
            if self.elapsed_s >= self._wait_s:
                self._status = Output(self._status_data())
        elif self.elapsed_s >= self._next_s:
            self._next_s = self.elapsed_s + REDRAW_S
            self._status.replace(self._status_data())
        if self._whole_cell:
            self._text.draw()

    def finish(self, *, silent: bool, ending: str = "", told: str = "") -> None:
        """Take the live outputs away for the record that follows; notices stay.

        Args:
            silent: No record follows, then what was decided stays too.
            ending: What the status line says in the end in somebody else's cell.
            told: What the record or the error says anyway: a notice inside it goes.
        """
        if not self._whole_cell:
            if self._status is not None:
                self._status.replace(_ending_data(ending))
            return
        clear(wait=not silent)
        for notice in self._notices:
            if notice.text not in told:
                _show_notice(notice)
        for one in self._troubles:
            if one.trouble.message not in told:
                words = trouble.text(one.trouble, one.remedy)
                show(bundle(words, trouble.html(one.trouble, one.remedy), *trouble.STYLES))
        for decided in self._decided if silent else ():
            show(decided)

    def _show_happening(
        self, event: CallStarted | CallFinished | ProposalDecided | TroubleDecided | Noticed
    ) -> None:
        self._text.draw(at_once=True)
        self._text = GrowingText()
        match event:
            case CallStarted():
                html = call.started_html(event.call)
                data = bundle(f"\u2026 {call.line(event.call)}", html, "answer")
                self._calls[event.call.id] = Output(data)
            case CallFinished():
                called = CalledTool(call=event.call, result=event.result)
                data = bundle(call.text(called), call.html(called), *call.STYLES, "answer")
                started = self._calls.pop(event.call.id, None)
                if started is None:
                    Output(data)
                else:
                    started.replace(data)
            case ProposalDecided():
                told = proposal.text(event.proposal, event.decision)
                html = proposal.html(event.proposal, event.decision)
                self._decided.append(bundle(told, html, *proposal.STYLES))
            case TroubleDecided():
                self._troubles.append(event)
            case Noticed():
                self._notices.append(event)
                _show_notice(event)

    def _status_data(self) -> MimeBundle:
        if self._progress is not None:
            text = (
                f"{progress.progress_text(self._progress)} \u00b7 {progress.clock(self.elapsed_s)}"
            )
            html = progress.progress_html(self._progress, text)
            return bundle(text, html, *progress.STYLES)
        text = progress.status_text(self._doing, self.elapsed_s, self._usage, self._context_percent)
        return bundle(text, progress.status_html(text), *progress.STYLES)


def _ending_data(ending: str) -> MimeBundle:
    """Return the line that is left; a front end draws nothing for an empty text."""
    if not ending:
        return {"text/plain": ""}
    return bundle(visible(ending), element("div", escape(ending), class_="ipuaro-note"))


def _show_notice(notice: Noticed) -> None:
    show(bundle(progress.notice_text(notice), progress.notice_html(notice)))
