"""A running turn in a notebook: outputs that are updated in place, by their display id."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ipuaro_jupyter.notebook.growing_text import GrowingText
from ipuaro_jupyter.notebook.output import begin_outputs, clear, show
from ipuaro_jupyter.notebook.slots import Slot, Slots
from ipuaro_jupyter.notebook.status_line import StatusLine
from ipuaro_jupyter.records.chat import CalledTool
from ipuaro_jupyter.records.events import (
    CallFinished,
    CallStarted,
    IndexAnswered,
    IndexProgress,
    Noticed,
    PhaseChanged,
    PromptSent,
    ProposalDecided,
    PullProgress,
    Report,
    TextAdded,
    TroubleDecided,
    TurnFinished,
    TurnPlace,
    UsageReported,
)
from ipuaro_jupyter.records.outputs import ToolResult
from ipuaro_jupyter.records.record import MimeBundle
from ipuaro_jupyter.views import call, index_answer, progress, proposal, trouble
from ipuaro_jupyter.views.drawing import bundle
from ipuaro_jupyter.views.markup import counted, element, escape
from ipuaro_jupyter.views.trouble import is_told

CALL_STYLES = (*call.STYLES, "answer")
# With the slots and the status, fewer than the 50 outputs of a cell that JupyterLab shows: a
# question among the hidden ones could not be answered.
MOST_BESIDE = 15


class LiveView:
    """Draws the events of a turn below a status line, in order."""

    def __init__(
        self,
        doing: str,
        *,
        whole_cell: bool = True,
        wait_s: float = 0.0,
        ended: Callable[[ToolResult], None] = lambda _: None,
    ) -> None:
        """Begin.

        Args:
            doing: The text of the status line until an event changes it.
            whole_cell: False inside another cell of the user, which keeps its outputs: then only
                the status line is drawn.
            wait_s: Seconds until the status line appears: a short job needs none.
            ended: Called with the result of every call.
        """
        self._ended = ended
        self._whole_cell = whole_cell
        begin_outputs()
        self._status = StatusLine(doing, in_one=not whole_cell, wait_s=wait_s)
        self._slots = Slots()
        self._found = Slot(self._slots)
        self._text = GrowingText(self._slots)
        self._calls: dict[str, Slot] = {}
        self._beside = 0  # outputs of questions and notices
        self._hidden = 0
        self._asides: list[_Aside] = []
        self._decided: list[_Aside] = []
        self._notices: list[Noticed] = []
        self._troubles: list[TroubleDecided] = []

    @property
    def elapsed_s(self) -> float:
        """The seconds since the beginning."""
        return self._status.elapsed_s

    def show(self, event: Report) -> None:
        """Draw an event."""
        if isinstance(event, CallFinished):
            self._ended(event.result)
        match event:
            case PromptSent():
                self._status.read(event)
            case TextAdded():
                self._status.read(None)
                self._text.add(event.text)
                self._status.say(progress.phase_words("writing", ""))
            case PhaseChanged():
                self._status.say(progress.phase_words(event.phase, event.detail))
            case UsageReported() | TurnPlace() | IndexProgress() | PullProgress():
                self._status.note(event)
            case TurnFinished():
                if self._whole_cell:
                    self._text.draw(at_once=True)
            case _:
                if self._whole_cell:
                    self._show_happening(event)

    def tick(self) -> None:
        """Draw what is new since the last time, and the elapsed time."""
        self._status.draw()
        if self._whole_cell:
            self._text.draw()

    def finish(self, *, silent: bool, ending: str = "", shown: str = "") -> None:
        """Replace the live outputs by the record that follows; notices stay.

        Args:
            silent: No record follows; decisions then stay too.
            ending: The last status line inside another cell of the user.
            shown: The text of the record or error: a notice contained in it is removed.
        """
        if not self._whole_cell:
            self._status.end(ending)
            return
        clear(wait=not silent)
        told = [line for line in shown.split("\n") if line]
        for notice in self._notices:
            if notice.text not in shown:
                show(_together([_noticed(notice)]))
        for one in self._troubles:
            message = one.trouble.message  # may tell more than the notice that came of it
            if message not in shown and not any(line in message for line in told):
                show(_together([_troubled(one)]))
        if silent and self._decided:
            show(_together(self._decided))

    def _show_happening(
        self,
        event: IndexAnswered
        | CallStarted
        | CallFinished
        | ProposalDecided
        | TroubleDecided
        | Noticed,
    ) -> None:
        self._text.draw(at_once=True)
        self._text = GrowingText(self._slots)
        match event:
            case IndexAnswered():
                found = event.answer
                shown = (index_answer.text(found), index_answer.html(found))
                self._found.show(*shown, *index_answer.STYLES)
            case CallStarted():
                slot = self._calls[event.call.id] = Slot(self._slots)
                slot.show(
                    call.started_text(event.call), call.started_html(event.call), *CALL_STYLES
                )
            case CallFinished():
                called = CalledTool(call=event.call, result=event.result)
                slot = self._calls.pop(event.call.id, Slot(self._slots))
                slot.show(call.text(called), call.html(called), *CALL_STYLES)
            case ProposalDecided():
                aside = _decided(event)
                self._decided.append(aside)
                self._add_aside(aside)
            case TroubleDecided():
                self._troubles.append(event)
                self._add_aside(_troubled(event))
            case Noticed() if not is_told(event, [*self._notices, *self._troubles]):
                self._notices.append(event)
                aside = _noticed(event)
                show(_together([aside]))
                self._add_aside(aside)

    def _add_aside(self, aside: "_Aside") -> None:
        """Add an output of its own, or one output for all when there are too many."""
        self._asides.append(aside)
        self._beside += 1
        if self._beside < MOST_BESIDE:
            return
        clear(wait=True)
        self._hidden += self._slots.count
        steps = f"\u2026 {counted(self._hidden, 'step')}, which the record will show"
        note = _Aside(steps, element("div", escape(steps), class_="ipuaro-note"))
        show(_together([note, *self._asides] if self._hidden else self._asides))
        self._status.restart()
        self._slots = Slots()
        self._text = GrowingText(self._slots)
        self._calls.clear()
        self._beside = 1


class _Aside(NamedTuple):
    """A decision or notice, as text and as HTML with its style sheets."""

    text: str
    html: str
    styles: tuple[str, ...] = ()


def _together(asides: Sequence[_Aside]) -> MimeBundle:
    """One output for all of them."""
    styles = dict.fromkeys(style for one in asides for style in one.styles)
    return bundle(
        "\n".join(one.text for one in asides), "".join(one.html for one in asides), *styles
    )


def _noticed(event: Noticed) -> _Aside:
    return _Aside(progress.notice_text(event), progress.notice_html(event))


def _troubled(event: TroubleDecided) -> _Aside:
    words = trouble.text(event.trouble, event.remedy)
    return _Aside(words, trouble.html(event.trouble, event.remedy), trouble.STYLES)


def _decided(event: ProposalDecided) -> _Aside:
    words = proposal.text(event.proposal, event.decision)
    return _Aside(words, proposal.html(event.proposal, event.decision), proposal.STYLES)
