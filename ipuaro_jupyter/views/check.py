"""What a check of a proposal would run, and what it has found."""

from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.views.markup import element, escape, visible

SIGNS = {"passed": "\u2713", "failed": "\u2717", "unknown": "?"}
_TONES = {"passed": "ipuaro-good", "failed": "ipuaro-bad", "unknown": "ipuaro-warn"}
_WORDS = {"passed": "Check passed", "failed": "Check failed", "unknown": "Check without a verdict"}


def lines(proposal: Proposal) -> list[str]:
    """The result of a check, line by line; without one, the commands that it would run."""
    report = proposal.checked
    if report is None:
        if not proposal.check:
            return []
        return ["A check would run in a copy:", *(f"  $ {visible(run)}" for run in proposal.check)]
    first, *details = map(visible, report.lines)
    return [f"{SIGNS[report.verdict]} {_heading(proposal)} {first}", *(f"  {d}" for d in details)]


def html(proposal: Proposal) -> str:
    """The result of a check as a box; empty without one."""
    report = proposal.checked
    if report is None:
        return ""
    sign = element("span", SIGNS[report.verdict], aria_hidden="true")
    heading = element(
        "strong", f"{sign} {escape(_heading(proposal))}", class_=_TONES[report.verdict]
    )
    first, *details = report.lines
    listed = "".join(element("li", escape(line)) for line in details)
    return element(
        "div",
        element("div", f"{heading} {escape(first)}"),
        element("ul", listed) if listed else "",
        class_=f"ipuaro-box ipuaro-checked {_TONES[report.verdict]}",
    )


def commands_html(proposal: Proposal) -> str:
    """The commands that a check would run; empty when none is offered."""
    runs = "".join(element("li", element("code", escape(run))) for run in proposal.check)
    return element("ul", runs, class_="ipuaro-files") if runs else ""


def _heading(proposal: Proposal) -> str:
    report = proposal.checked
    assert report is not None  # noqa: S101 - the callers have looked
    return f"{_WORDS[report.verdict]} ({report.seconds:.0f} s):"
