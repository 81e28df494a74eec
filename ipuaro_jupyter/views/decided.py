"""The decision on a proposal in one line."""

from collections.abc import Iterable

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.events import ProposalDecided
from ipuaro_jupyter.views.change_sets.set_choice import chosen_of, in_words, picked_files
from ipuaro_jupyter.views.hunks import chosen, hunks, lines
from ipuaro_jupyter.views.markup import counted, visible


def choices(proposal: Proposal) -> int:
    """The number of changes of an edit that can be chosen separately; 0 when none can."""
    if proposal.kind != "edit" or not proposal.editable:
        return 0
    return len(hunks(proposal.old_text, proposal.new_text))


def chosen_text(proposal: Proposal, numbers: tuple[int, ...] | None) -> str:
    """The text of a file with only some of the changes applied; None applies all."""
    if numbers is None:
        return proposal.new_text or ""
    found = hunks(proposal.old_text, proposal.new_text)
    old, new = lines(proposal.old_text), lines(proposal.new_text)
    return "".join(chosen(old, new, found=found, numbers=numbers))


def is_as_checked(proposal: Proposal, decision: Decision) -> bool:
    """Whether a check of the proposal was of what a decision makes of it, or there was none."""
    checked = proposal.checked_as
    if proposal.checked is None or checked is None:
        return True
    if proposal.kind == "changes":
        return _picked(proposal, checked) == _picked(proposal, decision)
    return _text(proposal, checked) == _text(proposal, decision)


def _picked(proposal: Proposal, decision: Decision) -> dict[int, frozenset[int] | None]:
    picked = picked_files(proposal, chosen_of(proposal, decision))
    return {one.number: None if some is None else frozenset(some) for one, some in picked}


def _text(proposal: Proposal, decision: Decision) -> str:
    return chosen_text(proposal, decision.hunks) if decision.text is None else decision.text


def decided_line(proposal: Proposal, decision: Decision) -> str:
    """The decision and who made it, in one line; of what could not be written, why."""
    if decision.failed:
        why = decision.failed.splitlines()[0]
        return visible(f"Not applied: {proposal.title} \u2013 {why}")
    word = _word(proposal, decision)
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
    if decision.action == "apply" and not is_as_checked(proposal, decision):
        edited += ", not as it was checked"
    why = f" ({decision.reason})" if decision.reason else ""
    if decision.action == "apply":
        why += _despite(proposal.problems)
    return visible(f"{word}{by}{edited}: {proposal.title}{why}")


def _word(proposal: Proposal, decision: Decision) -> str:
    if proposal.kind == "start" and decision.by == "user":
        return "Agreed" if decision.action == "apply" else "Not now"
    return "Applied" if decision.action == "apply" else "Rejected"


def _despite(problems: tuple[str, ...]) -> str:
    """What spoke against the text that was written."""
    if not problems:
        return ""
    more = f", and {counted(len(problems) - 1, 'more problem')}" if len(problems) > 1 else ""
    return f" \u2013 despite the problem: {problems[0].removesuffix('.')}{more}"


def applied_lines(decided: Iterable[ProposalDecided]) -> tuple[str, ...]:
    """One line for each applied proposal; the call's result says why others were not."""
    return tuple(
        decided_line(one.proposal, one.decision)
        for one in decided
        if one.decision.action == "apply" and not one.decision.failed
    )
