"""What happens inside of tools while a turn runs."""

from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.records.events import ProposalDecided
from ipuaro_jupyter.sessions.session import SessionCounter


class Journal:
    """What happens inside tools: questions that were answered, changes that were made."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._counted = 0
        self._decided: list[ProposalDecided] = []

    def note_decision(self, proposal: Proposal, decision: Decision) -> None:
        """Remember what was answered."""
        self._decided.append(ProposalDecided(proposal=proposal, decision=decision))

    def take(self) -> tuple[list[ProposalDecided], dict[SessionCounter, int]]:
        """Return the decisions since the last call, and what to add to the session's counts."""
        decided, self._decided = self._decided, []
        applied, self._counted = len(self.changes) - self._counted, len(self.changes)
        rejected = sum(
            d.decision.action == "reject" and d.proposal.kind in {"edit", "create", "delete"}
            for d in decided
        )
        return decided, {"tool_calls": 1, "edits_applied": applied, "edits_rejected": rejected}
