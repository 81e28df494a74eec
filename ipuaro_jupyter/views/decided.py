"""The decision on a proposal in one line."""

from collections.abc import Iterable

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.events import ProposalDecided
from ipuaro_jupyter.views.change_sets.set_choice import chosen_of, in_words
from ipuaro_jupyter.views.hunks import hunks
from ipuaro_jupyter.views.markup import counted, visible


def choices(proposal: Proposal) -> int:
    """The number of changes of an edit that can be chosen separately; 0 when none can."""
    if proposal.kind != "edit" or not proposal.editable:
        return 0
    return len(hunks(proposal.old_text, proposal.new_text))


def decided_line(proposal: Proposal, decision: Decision) -> str:
    """The decision and who made it, in one line."""
    word = "Applied" if decision.action == "apply" else "Rejected"
    by = {
        "user": "",
        "setting": " by the settings",
        "policy": " by the policy",
        "nobody": ", because there was nobody to ask" if not decision.reason else "",
    }[decision.by]
    if proposal.kind == "changes" and decision.action == "apply":
        word += f" {in_words(proposal, chosen_of(proposal, decision))}"
    elif decision.hunks is not None:
        word += f" {len(decision.hunks):,} of {counted(choices(proposal), 'change')}"
    edited = " after editing" if decision.text is not None else ""
    why = f" ({decision.reason})" if decision.reason else ""
    return visible(f"{word}{by}{edited}: {proposal.title}{why}")


def applied_lines(decided: Iterable[ProposalDecided]) -> tuple[str, ...]:
    """One line for each applied proposal; the call's result says why others were not."""
    return tuple(
        decided_line(one.proposal, one.decision)
        for one in decided
        if one.decision.action == "apply"
    )
