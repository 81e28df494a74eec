"""A question to the user, and the line that is left of it when it has been answered."""

from functools import lru_cache

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views import diff
from ipuaro_jupyter.views.markup import element, escape, folded, visible

STYLES = ("code", "diff")
SIGNS = {"apply": "\u2713", "reject": "\u2013"}


def detail_text(proposal: Proposal) -> str:
    """Return what is to be decided, as a terminal shows it."""
    parts = [visible(proposal.title)]
    if proposal.reason:
        parts.append(visible(proposal.reason))
    if proposal.command is not None:
        parts.append(f"$ {visible(proposal.command)}")
    if proposal.message is not None:
        parts.append(visible(proposal.message))
    parts += [f"  {visible(path)}" for path in proposal.files]
    shown = as_diff(proposal)
    return "\n".join([*parts, *([diff.text(shown)] if shown else [])])


@lru_cache(maxsize=4)
def detail_html(proposal: Proposal) -> str:
    """Return what is to be decided, without the title: the diff, command or commit.

    The latest few are kept, because the question and its record hold the same.
    """
    parts = [element("p", escape(proposal.reason))] if proposal.reason else []
    if proposal.command is not None:
        parts.append(element("pre", f"$ {escape(proposal.command)}", class_="ipuaro-code"))
    if proposal.message is not None:
        parts.append(element("pre", escape(proposal.message), class_="ipuaro-code"))
    if proposal.files:
        listed = "".join(element("li", element("code", escape(path))) for path in proposal.files)
        parts.append(element("ul", listed))
    shown = as_diff(proposal)
    if shown:
        remark = escape(diff.heading_text(shown))
        parts.append(element("div", remark, class_="ipuaro-note") + diff.lines_html(shown))
    return "".join(parts)


def as_diff(proposal: Proposal) -> Diff | None:
    """Return the change to a file that is proposed, None when something else is."""
    if proposal.kind in {"command", "commit", "settings", "mcp"} or proposal.path is None:
        return None
    return Diff(
        title=proposal.title, path=proposal.path, old=proposal.old_text, new=proposal.new_text
    )


def decided_line(proposal: Proposal, decision: Decision) -> str:
    """Return in one line what was decided and by whom."""
    word = "Applied" if decision.action == "apply" else "Rejected"
    by = {
        "user": "",
        "setting": " by the settings",
        "policy": " by the policy",
        "nobody": ", because there was nobody to ask" if not decision.reason else "",
    }[decision.by]
    edited = " after editing" if decision.text is not None else ""
    why = f" ({decision.reason})" if decision.reason else ""
    return visible(f"{word}{by}{edited}: {proposal.title}{why}")


def text(proposal: Proposal, decision: Decision) -> str:
    """Return the record of a decision."""
    return f"{SIGNS[decision.action]} {decided_line(proposal, decision)}"


def html(proposal: Proposal, decision: Decision) -> str:
    """Return the record of a decision; it opens to what was decided on."""
    tone = "ipuaro-good" if decision.action == "apply" else "ipuaro-note"
    sign = element("span", SIGNS[decision.action], class_=tone, aria_hidden="true")
    decided = proposal
    if decision.text is not None:
        field = "message" if proposal.kind == "commit" else "new_text"
        decided = proposal.model_copy(update={field: decision.text})
    return folded(f"{sign} {escape(decided_line(proposal, decision))}", detail_html(decided))
