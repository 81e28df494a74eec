"""What a check of a proposal would run, and what it has found."""

from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.views.markup import element, escape, visible

SIGNS = {"passed": "\u2713", "failed": "\u2717", "unknown": "?"}
_TONES = {"passed": "ipuaro-good", "failed": "ipuaro-bad", "unknown": "ipuaro-warn"}
_WORDS = {"passed": "Check passed", "failed": "Check failed", "unknown": "Check without a verdict"}


OF_ANOTHER = "That was the check of another choice or text."


def lines(proposal: Proposal) -> list[str]:
    """The result of a check, line by line; without one, the commands that it would run."""
    report = proposal.checked
    if report is None:
        if not proposal.check:
            return []
        return ["A check would run in a copy:", *(f"  $ {visible(run)}" for run in proposal.check)]
    first, *details = map(visible, report.lines)
    return [f"{SIGNS[report.verdict]} {_heading(proposal)} {first}", *(f"  {d}" for d in details)]


def html(proposal: Proposal, *, is_current: bool = True) -> str:
    """The result of a check as a box; empty without one.

    ``is_current`` is False where it was of another choice or text than is shown with it.
    """
    report = proposal.checked
    if report is None:
        return ""
    verdict = report.verdict if is_current else "unknown"
    sign = element("span", SIGNS[verdict], aria_hidden="true")
    heading = element("strong", f"{sign} {escape(_heading(proposal))}", class_=_TONES[verdict])
    first, *details = report.lines
    listed = "".join(element("li", escape(line)) for line in details)
    return element(
        "div",
        element("div", f"{heading} {escape(first)}"),
        element("ul", listed) if listed else "",
        "" if is_current else element("div", element("strong", OF_ANOTHER)),
        class_=f"ipuaro-box ipuaro-checked {_TONES[verdict]}",
    )


def commands_html(proposal: Proposal) -> str:
    """The commands that a check would run; empty when none is offered."""
    runs = "".join(element("li", element("code", escape(run))) for run in proposal.check)
    return element("ul", runs, class_="ipuaro-files") if runs else ""


def _heading(proposal: Proposal) -> str:
    report = proposal.checked
    assert report is not None  # noqa: S101 - the callers have looked
    return f"{_WORDS[report.verdict]} ({report.seconds:.0f} s):"
