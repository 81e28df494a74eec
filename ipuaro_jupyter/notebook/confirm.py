"""The question to the user in a notebook: a widget, with a limit to every wait."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ipuaro_jupyter.notebook.cell_thread import Asked, Said, nobody
from ipuaro_jupyter.notebook.output import CellOutput, show
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.outputs import ToolResult
from ipuaro_jupyter.records.record import MimeBundle
from ipuaro_jupyter.records.trouble import Remedy, Trouble
from ipuaro_jupyter.views import proposal, trouble
from ipuaro_jupyter.views.drawing import bundle
from ipuaro_jupyter.workspace.changes.decided_problems import as_decided_on

if TYPE_CHECKING:
    from ipuaro_jupyter.notebook.widgets.proposal import ProposalWidget
    from ipuaro_jupyter.notebook.widgets.question import AskingCell, QuestionWidget

TICK_S = 0.05
# This many decided questions can still be updated in a page that saved them undecided.
KEPT = 8


class FrontEnd:
    """The front end of this kernel, as far as it is known.

    A front end that has drawn one widget can draw another: from then on an open question is one
    that the user has not got to yet, even if it is scrolled away or in a hidden tab.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._decided: deque[QuestionWidget] = deque()
        self._checking: dict[str, tuple[ProposalWidget, CellOutput, Proposal]] = {}
        self._applied: dict[str, _AppliedQuestion] = {}
        self.seen = False
        self.loop: asyncio.AbstractEventLoop | None = None
        """The kernel's, while a cell of ours awaits; None where no answer can arrive."""

    @contextmanager
    def reachable(self) -> Iterator[None]:
        """The front end can answer in the block, in which the cell awaits."""
        self.loop = asyncio.get_running_loop()
        try:
            yield
        finally:
            self.loop = None

    def can_decide(self) -> bool:
        """Whether the running cell was sent by a client that answers questions at all.

        nbconvert, papermill and the like send ``allow_stdin`` false.
        """
        return self._sent().get("content", {}).get("allow_stdin") is True

    def place(self) -> "AskingCell":
        """The running cell."""
        from ipuaro_jupyter.notebook.widgets.question import AskingCell  # noqa: PLC0415 - loads slowly

        sent = self._sent()
        return AskingCell(
            request=sent.get("header", {}).get("msg_id", ""),
            cell=sent.get("metadata", {}).get("cellId", ""),
            number=self._shell.execution_count,
        )

    def client(self) -> str:
        """The id of the connection to the kernel by which the running cell was sent."""
        return str(self._sent().get("header", {}).get("session", ""))

    def keep(self, widget: "QuestionWidget") -> None:
        """Keep a decided question for a while, and close the oldest one kept."""
        self._decided.append(widget)
        if len(self._decided) > KEPT:
            self._decided.popleft().close()

    def note_applied(
        self, asked: Proposal, decision: Decision, widget: "QuestionWidget", output: CellOutput
    ) -> None:
        """Keep a decision to apply something until its call ends: it may be impossible."""
        self._applied[asked.id] = _AppliedQuestion(asked, decision, widget, output)

    def note_result(self, result: ToolResult) -> None:
        """Draw a decision of a call anew if what was decided could not be written."""
        error, applied = result.error, self._applied
        self._applied = {}
        if error is None or error.unwritten not in applied:
            return
        asked, decision, widget, output = applied[error.unwritten]
        record = _record(asked, decision.model_copy(update={"failed": error.message}))
        output.replace(record)
        widget.settle(record)

    def begin_check(self, widget: "ProposalWidget", output: CellOutput, proposal: Proposal) -> None:
        """Keep a question while what it proposes is checked."""
        self._checking[proposal.id] = widget, output, proposal

    def checked(self, asked: Asked) -> "tuple[ProposalWidget, CellOutput] | None":
        """The question about the same proposal before its check, if there is one."""
        if isinstance(asked, Trouble) or asked.id not in self._checking:
            return None
        widget, output, _ = self._checking.pop(asked.id)
        return widget, output

    def end_checks(self) -> None:
        """Settle the questions whose check was stopped with their cell."""
        while self._checking:
            _, (widget, output, proposal) = self._checking.popitem()
            record = _record(proposal, _unfinished(widget, _stopped(proposal)))
            output.replace(record)
            widget.settle(record)
            self.keep(widget)

    def _sent(self) -> dict[str, Any]:
        """The message by which the running cell was sent."""
        kernel = getattr(self._shell, "kernel", None)
        return {} if kernel is None else kernel.get_parent("shell")


async def decide_in_cell(
    asked: Asked,
    front_end: FrontEnd,
    *,
    ack_timeout_s: float,
    ask_timeout_s: float,
    cancel_check: Callable[[], None] = lambda: None,
) -> Said:
    """Show a question and return the user's decision.

    Decided by "nobody": at once when no client can answer, after ``ack_timeout_s`` when no front
    end has ever drawn a widget of this kernel, after ``ask_timeout_s`` when one has and the user
    does not respond. In the end a static record replaces the widget, even in a page that was
    reloaded meanwhile. A question that is answered with a check stays, and shows its result when
    the same proposal is asked about again; ``cancel_check`` is called when the user cancels it.
    """
    if not front_end.can_decide():
        said = nobody(asked, "this notebook runs without anybody to ask")
        if not isinstance(asked, Trouble):  # the error itself reports it
            show(_record(asked, said))
        return said
    decisions: list[Said] = []

    def ready() -> None:
        front_end.seen = True

    before = front_end.checked(asked)
    if before is None:
        calls = _Calls(ready, decisions.append, cancel_check)
        widget = _widget(asked, calls, place=front_end.place())
        output = CellOutput(widget=widget)
    else:
        widget, output = before
        assert isinstance(asked, Proposal)  # noqa: S101 - only these are checked
        before[0].ask_again(asked, decisions.append)
    started_s = time.monotonic()
    try:
        while not decisions:
            waited_s = time.monotonic() - started_s
            if waited_s > ask_timeout_s:
                unanswered = nobody(asked, f"no answer within {_duration(ask_timeout_s)}")
                decisions.append(_unfinished(widget, unanswered))
            elif waited_s > ack_timeout_s and not front_end.seen:
                decisions.append(nobody(asked, "no front end has shown the question"))
            else:
                await asyncio.sleep(TICK_S)
    finally:
        said = decisions[0] if decisions else _unfinished(widget, _stopped(asked))
        _settle(asked, said, widget, output, front_end)
    return said


def _unfinished(widget: "QuestionWidget", said: Said) -> Said:
    """What the user did not say, with what the user had typed until then."""
    if isinstance(said, Decision):
        return cast("ProposalWidget", widget).unfinished(said)
    return said


def _settle(
    asked: Asked, said: Said, widget: "QuestionWidget", output: CellOutput, front_end: FrontEnd
) -> None:
    """Put a record in the place of a question, or keep it while it is checked."""
    if isinstance(asked, Proposal) and said.action == "check":
        front_end.begin_check(cast("ProposalWidget", widget), output, asked)
        return
    record = _record(asked, said)
    output.replace(record)
    widget.settle(record)
    front_end.keep(widget)
    if isinstance(asked, Proposal) and isinstance(said, Decision) and said.action == "apply":
        front_end.note_applied(asked, said, widget, output)


class _AppliedQuestion(NamedTuple):
    """A decision to apply something, and where it is drawn."""

    asked: Proposal
    decision: Decision
    widget: "QuestionWidget"
    output: CellOutput


class _Calls(NamedTuple):
    """The functions that a widget calls."""

    ready: Callable[[], None]
    answer: Callable[[Said], None]
    cancel_check: Callable[[], None]


def _widget(asked: Asked, calls: _Calls, *, place: "AskingCell") -> "QuestionWidget":
    # Widgets load slowly, and most cells ask nothing.
    if isinstance(asked, Trouble):
        from ipuaro_jupyter.notebook.widgets.trouble import TroubleWidget  # noqa: PLC0415

        return TroubleWidget(asked, on_ready=calls.ready, on_remedy=calls.answer, place=place)
    from ipuaro_jupyter.notebook.widgets.proposal import ProposalWidget  # noqa: PLC0415

    return ProposalWidget(
        asked,
        on_ready=calls.ready,
        on_decision=calls.answer,
        on_cancel=calls.cancel_check,
        place=place,
    )


def _stopped(asked: Asked) -> Said:
    if isinstance(asked, Trouble):
        return Remedy(action="abort", reason="stopped")
    return Decision(action="reject", reason="stopped")


def _record(asked: Asked, said: Said) -> MimeBundle:
    if isinstance(asked, Trouble):
        assert isinstance(said, Remedy)  # noqa: S101 - that is how troubles are answered
        return bundle(trouble.text(asked, said), trouble.html(asked, said), *trouble.STYLES)
    assert isinstance(said, Decision)  # noqa: S101 - that is how proposals are answered
    asked = as_decided_on(asked, said)
    return bundle(proposal.text(asked, said), proposal.html(asked, said), *proposal.STYLES)


def _duration(timeout_s: float) -> str:
    return f"{timeout_s / 60:.0f} minutes" if timeout_s >= 120 else f"{timeout_s:.0f} s"  # noqa: PLR2004
