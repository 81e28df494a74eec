"""Questions to the user of a client: a request for permission, and what its answer decides.

Hidden characters show in the text beside a diff, not in the diff, which the client draws.
"""

from acp import schema as protocol

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.trouble import Remedy, Trouble
from ipuaro_jupyter.views.markup import visible

_ALWAYS, _CHECK = "always", "check"


def choices_of(proposal: Proposal) -> list[protocol.PermissionOption]:
    """The choices of a question, as in a notebook but for what has to be typed."""
    options = [_option("apply", "Apply", "allow_once")]
    if proposal.pattern:
        named = visible(f"{proposal.tool} {proposal.pattern}")
        name = f"Apply and don't ask again for {named}"
        options.append(_option(_ALWAYS, name, "allow_always"))
    if proposal.check:
        options.append(_option(_CHECK, "Check first", "allow_once"))
    return [*options, _option("reject", "Reject", "reject_once")]


def decision_of(outcome: protocol.AllowedOutcome | protocol.DeniedOutcome | None) -> Decision:
    """The decision that an answer is; without a choice, the question was dismissed."""
    if not isinstance(outcome, protocol.AllowedOutcome):
        return Decision(action="reject", reason="the question was dismissed")
    chosen = outcome.option_id
    if chosen == _CHECK:
        return Decision(action="check")
    if chosen in ("apply", _ALWAYS):
        return Decision(action="apply", remember=chosen == _ALWAYS)
    return Decision(action="reject")


def nobody_decides(reason: str) -> Decision:
    """The rejection where the client cannot ask, or nobody answers."""
    return Decision(action="reject", by="nobody", reason=reason)


def remedies_of(trouble: Trouble) -> list[protocol.PermissionOption]:
    """The ways to go on after an error."""
    return [
        _option(one, one.capitalize(), "reject_once" if one == "abort" else "allow_once")
        for one in trouble.options
    ]


def remedy_of(
    trouble: Trouble, outcome: protocol.AllowedOutcome | protocol.DeniedOutcome | None
) -> Remedy:
    """The way that was chosen; without a choice, to abort."""
    chosen = outcome.option_id if isinstance(outcome, protocol.AllowedOutcome) else ""
    for action in trouble.options:
        if action == chosen:
            return Remedy(action=action)
    return Remedy(action="abort", reason="the question was dismissed")


def _option(
    option_id: str, name: str, kind: protocol.PermissionOptionKind
) -> protocol.PermissionOption:
    return protocol.PermissionOption(option_id=option_id, name=name, kind=kind)
