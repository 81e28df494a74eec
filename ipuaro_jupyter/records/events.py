"""The events of a turn, in order. The notebook, the terminal and tests consume the same ones."""

from typing import Literal

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.chat import Answer, ProposalCounts, ToolCall, Usage
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.outputs import ToolResult
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.trouble import Remedy, Trouble

Phase = Literal[
    "loading",
    "thinking",
    "writing",
    "running",
    "waiting",
    "summarising",
    "starting",
    "opening",
    "downloading",
]
"""What the assistant may be doing."""


class PhaseChanged(Record):
    """The assistant's current activity; ``detail`` names the tool or the model."""

    phase: Phase
    detail: str = ""


class PromptSent(Record):
    """The model reads: the new tokens, about, how many it has read, and how long the rest takes.

    ``seconds`` is None before the model's speed is known.
    """

    tokens: int
    read: int = 0
    seconds: float | None = None


class TextAdded(Record):
    """A piece of the model's text, to be appended to the earlier ones of this turn."""

    text: str


class IndexAnswered(Record):
    """What the index says to the question, before a model is asked."""

    answer: IndexAnswer


class CallStarted(Record):
    """A tool is about to run."""

    call: ToolCall


class CallFinished(Record):
    """A tool has run; results come in the order of the calls.

    Calls that run side by side have all started before the first of them has finished.
    ``proposals`` counts what became of the proposals of the call.
    """

    call: ToolCall
    result: ToolResult
    proposals: ProposalCounts = ProposalCounts()


class ProposalDecided(Record):
    """The user has decided on a proposal."""

    proposal: Proposal
    decision: Decision


class TroubleDecided(Record):
    """A step failed, and the user chose how to go on."""

    trouble: Trouble
    remedy: Remedy


class Noticed(Record):
    """A sentence for the user that is not the model's: a limit, a repair, a warning."""

    text: str
    level: Literal["info", "warning", "error"] = "info"


class UsageReported(Record):
    """The tokens so far in this turn; ``context_percent`` (0-100) is how full the window is."""

    usage: Usage
    context_percent: float


IndexPhase = Literal["waiting", "scanning", "parsing", "linking", "storing"]


class IndexProgress(Record):
    """The progress of indexing; not an event of a turn.

    ``waiting`` is the phase in which another kernel is indexing. ``done`` and ``total`` count
    files, or names and symbols in the phase ``storing``; ``total`` is 0 while it is unknown.
    """

    phase: IndexPhase
    done: int = 0
    total: int = 0


class PullProgress(Record):
    """The progress of a model's download.

    ``status`` is the server's word for the step. The bytes are those of all parts that the server
    has named so far; ``total_bytes`` 0 means that it has named none.
    """

    status: str
    done_bytes: int = 0
    total_bytes: int = 0


Progress = IndexProgress | PullProgress
"""The progress of something with a progress bar; not an event of a turn."""


class TurnPlace(Record):
    """The model that is asked, and the git branch; not an event of a turn.

    ``branch`` is "" outside a repository, and the commit in brackets where it is detached.
    """

    model: str
    branch: str = ""


class TurnFinished(Record):
    """The last event of every turn."""

    answer: Answer


Event = (
    PhaseChanged
    | PromptSent
    | TextAdded
    | IndexAnswered
    | CallStarted
    | CallFinished
    | ProposalDecided
    | TroubleDecided
    | Noticed
    | UsageReported
    | TurnFinished
)

Report = Event | Progress | TurnPlace
"""Everything that the drawing of a running cell receives."""
