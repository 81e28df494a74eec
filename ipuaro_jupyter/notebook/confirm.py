"""The question to the user in a notebook: a widget, and nobody waits for an answer for ever."""

import asyncio
import time
from typing import Any

from ipuaro_jupyter.notebook.output import Output, show
from ipuaro_jupyter.notebook.widgets.proposal import ProposalWidget
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.record import MimeBundle
from ipuaro_jupyter.views import proposal as view
from ipuaro_jupyter.views.drawing import bundle

TICK_S = 0.05


class FrontEnd:
    """Whoever looks at this kernel, as far as it has shown itself.

    A front end that has drawn one widget can draw another: from then on an unanswered question
    is one that the user has not got to yet, be it scrolled away or in a hidden tab.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self.seen = False

    def can_answer(self) -> bool:
        """Whether the running cell was sent by somebody who answers questions at all.

        nbconvert, papermill and the like send ``allow_stdin`` false.
        """
        kernel = getattr(self._shell, "kernel", None)
        if kernel is None:
            return False
        content = kernel.get_parent("shell").get("content", {})
        return content.get("allow_stdin") is True


async def decide_in_cell(
    proposal: Proposal, front_end: FrontEnd, *, ack_timeout_s: float, ask_timeout_s: float
) -> Decision:
    """Show a proposal and return what the user decides.

    Rejected by "nobody": at once when nobody can answer, after ``ack_timeout_s`` when no front
    end has ever drawn a widget of this kernel, after ``ask_timeout_s`` when one has and nobody
    answers. In the end a static record takes the widget's place.
    """
    if not front_end.can_answer():
        decision = _nobody("this notebook runs without anybody to ask")
        show(_record(proposal, decision))
        return decision
    decisions: list[Decision] = []

    def ready() -> None:
        front_end.seen = True

    widget = ProposalWidget(proposal, on_ready=ready, on_decision=decisions.append)
    output = Output(widget=widget)
    decision = Decision(action="reject", reason="stopped")
    started_s = time.monotonic()
    try:
        while not decisions:
            waited_s = time.monotonic() - started_s
            if waited_s > ask_timeout_s:
                decisions.append(_nobody(f"no answer within {_duration(ask_timeout_s)}"))
            elif waited_s > ack_timeout_s and not front_end.seen:
                decisions.append(_nobody("no front end has shown the question"))
            else:
                await asyncio.sleep(TICK_S)
        decision = decisions[0]
    finally:
        output.replace(_record(proposal, decision))
        widget.close()
    return decision


def _nobody(reason: str) -> Decision:
    return Decision(action="reject", reason=reason, by="nobody")


def _record(proposal: Proposal, decision: Decision) -> MimeBundle:
    return bundle(view.text(proposal, decision), view.html(proposal, decision), *view.STYLES)


def _duration(timeout_s: float) -> str:
    return f"{timeout_s / 60:.0f} minutes" if timeout_s >= 120 else f"{timeout_s:.0f} s"  # noqa: PLR2004
