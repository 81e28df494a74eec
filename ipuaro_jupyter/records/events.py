"""What happens during a turn, in order. The notebook, the terminal and tests read the same."""

from typing import Literal

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.chat import Answer, ToolCall, Usage
from ipuaro_jupyter.records.outputs import ToolResult
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.trouble import Remedy, Trouble


class PhaseChanged(Record):
    """What the assistant is busy with; ``detail`` names the tool or the model."""

    phase: Literal[
        "loading", "thinking", "writing", "running", "waiting", "summarising", "starting"
    ]
    detail: str = ""


class TextAdded(Record):
    """A piece of the model's text, to be appended to what came before it in this turn."""

    text: str


class CallStarted(Record):
    """A tool is about to run."""

    call: ToolCall


class CallFinished(Record):
    """A tool has run; results come in the order of the calls.

    Calls that run side by side have all started before the first of them has finished.
    """

    call: ToolCall
    result: ToolResult


class ProposalDecided(Record):
    """A question to the user was answered."""

    proposal: Proposal
    decision: Decision


class TroubleDecided(Record):
    """Something went wrong, and the user said how it goes on."""

    trouble: Trouble
    remedy: Remedy


class Noticed(Record):
    """A sentence for the user that is not the model's: a limit, a repair, a warning."""

    text: str
    level: Literal["info", "warning", "error"] = "info"


class UsageReported(Record):
    """Tokens so far in this turn; ``context_percent`` (0-100) is how full the window is."""

    usage: Usage
    context_percent: float


IndexPhase = Literal["waiting", "scanning", "parsing", "linking", "storing"]


class IndexProgress(Record):
    """How far the index is; no event of a turn.

    ``waiting`` is for another kernel that is at it. ``done`` and ``total`` count files, while
    ``storing`` names and symbols; ``total`` is 0 while it is not known.
    """

    phase: IndexPhase
    done: int = 0
    total: int = 0


class PullProgress(Record):
    """How far the download of a model is.

    ``status`` is the server's word for the step. The bytes are those of all parts that the server
    has named so far; ``total_bytes`` 0 means that it has named none.
    """

    status: str
    done_bytes: int = 0
    total_bytes: int = 0


Progress = IndexProgress | PullProgress
"""How far something is that a bar is drawn for; no event of a turn."""


class TurnPlace(Record):
    """Which model is asked, and on which git branch; no event of a turn.

    ``branch`` is "" outside of a repository, and the commit in brackets where it is detached.
    """

    model: str
    branch: str = ""


class TurnFinished(Record):
    """The last event of every turn."""

    answer: Answer


Event = (
    PhaseChanged
    | TextAdded
    | CallStarted
    | CallFinished
    | ProposalDecided
    | TroubleDecided
    | Noticed
    | UsageReported
    | TurnFinished
)

Report = Event | Progress | TurnPlace
"""What whoever draws a job is told."""
