"""What was decided on a proposal, in a line."""

from collections.abc import Iterable

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.events import ProposalDecided
from ipuaro_jupyter.views.hunks import hunks
from ipuaro_jupyter.views.markup import counted, visible


def choices(proposal: Proposal) -> int:
    """Return how many changes of an edit can be made one without the other; 0 when none can."""
    if proposal.kind != "edit" or not proposal.editable:
        return 0
    return len(hunks(proposal.old_text, proposal.new_text))


def decided_line(proposal: Proposal, decision: Decision) -> str:
    """Return in one line what was decided and by whom."""
    word = "Applied" if decision.action == "apply" else "Rejected"
    by = {
        "user": "",
        "setting": " by the settings",
        "policy": " by the policy",
        "nobody": ", because there was nobody to ask" if not decision.reason else "",
    }[decision.by]
    if decision.hunks is not None:
        word += f" {len(decision.hunks):,} of {counted(choices(proposal), 'change')}"
    edited = " after editing" if decision.text is not None else ""
    why = f" ({decision.reason})" if decision.reason else ""
    return visible(f"{word}{by}{edited}: {proposal.title}{why}")


def applied_lines(decided: Iterable[ProposalDecided]) -> tuple[str, ...]:
    """Return in one line each what was applied; why something was not is in the call's result."""
    return tuple(
        decided_line(one.proposal, one.decision)
        for one in decided
        if one.decision.action == "apply"
    )
