"""The events inside tools while a turn runs."""

from typing import NamedTuple

from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.records.chat import ProposalCounts
from ipuaro_jupyter.records.events import ProposalDecided
from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult
from ipuaro_jupyter.sessions.session import SessionCounter
from ipuaro_jupyter.workspace.approval import EDITS
from ipuaro_jupyter.workspace.changes.decided_problems import as_decided_on


class JournalEntry(NamedTuple):
    """The events since the last entry: decisions, counts, and whether a file changed."""

    decided: list[ProposalDecided]
    counts: dict[SessionCounter, int]
    is_change: bool


class Journal:
    """Records the events inside tools: decisions on questions, and changes.

    Calls that ask or change something run one at a time, so that everything recorded between two
    entries belongs to one of them.
    """

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._counted = 0
        self._decided: list[ProposalDecided] = []

    def note_decision(self, proposal: Proposal, decision: Decision) -> None:
        """Record a decision, with the problems of what it writes."""
        asked = as_decided_on(proposal, decision)
        self._decided.append(ProposalDecided(proposal=asked, decision=decision))

    def proposals(self, result: ToolResult, *, changes: bool) -> ProposalCounts:
        """What became of the proposals of the call that the next entry is of.

        Args:
            result: The call's.
            changes: Whether it was to change something.
        """
        error = None if result.error is None else result.error.type
        decisions = [one.decision for one in self._decided]
        return ProposalCounts.of(decisions, error=error, changes=changes)

    def take(self, result: ToolResult | None = None) -> JournalEntry:
        """The entry of one call: the decisions and changes since the last entry.

        Args:
            result: The call's, which may say that what was decided could not be written.
        """
        failure = None if result is None else result.error
        decided, self._decided = [_with_outcome(one, failure) for one in self._decided], []
        applied, self._counted = len(self.changes) - self._counted, len(self.changes)
        rejected = sum(d.decision.action == "reject" and d.proposal.kind in EDITS for d in decided)
        counts: dict[SessionCounter, int] = {
            "tool_calls": 1,
            "edits_applied": applied,
            "edits_rejected": rejected,
        }
        return JournalEntry(decided, counts, is_change=applied > 0)


def _with_outcome(decided: ProposalDecided, failure: ToolFailure | None) -> ProposalDecided:
    """The decision, with the reason why it could not be carried out if that is what failed."""
    if failure is None or failure.unwritten != decided.proposal.id:
        return decided
    failed = decided.decision.model_copy(update={"failed": failure.message})
    return decided.model_copy(update={"decision": failed})
