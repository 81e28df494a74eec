"""What happens inside of tools while a turn runs."""

from typing import NamedTuple

from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.records.events import ProposalDecided
from ipuaro_jupyter.sessions.session import SessionCounter


class JournalEntry(NamedTuple):
    """What has happened since the last entry: questions, counts, and whether a file changed."""

    decided: list[ProposalDecided]
    counts: dict[SessionCounter, int]
    is_change: bool


class Journal:
    """What happens inside tools: questions that were answered, changes that were made.

    Calls that ask or change something run one at a time, so that what is noted between two
    entries belongs to one of them.
    """

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._counted = 0
        self._decided: list[ProposalDecided] = []

    def note_decision(self, proposal: Proposal, decision: Decision) -> None:
        """Remember what was answered."""
        self._decided.append(ProposalDecided(proposal=proposal, decision=decision))

    def take(self) -> JournalEntry:
        """Return what one call has led to: the decisions and changes since the last time."""
        decided, self._decided = self._decided, []
        applied, self._counted = len(self.changes) - self._counted, len(self.changes)
        rejected = sum(
            d.decision.action == "reject" and d.proposal.kind in {"edit", "create", "delete"}
            for d in decided
        )
        counts: dict[SessionCounter, int] = {
            "tool_calls": 1,
            "edits_applied": applied,
            "edits_rejected": rejected,
        }
        return JournalEntry(decided, counts, is_change=applied > 0)
