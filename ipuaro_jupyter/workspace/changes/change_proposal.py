"""What the user is asked about a change of a file, and what the answer makes of it."""

from uuid import uuid4

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.views.hunks import chosen, hunks, lines
from ipuaro_jupyter.workspace.approval import path_pattern
from ipuaro_jupyter.workspace.files.text_file import TextFile, sniff


def proposal(change: Change, *, tool: str, title: str, links: int = 1) -> Proposal:
    """Return the question whether ``change`` may be made.

    Args:
        change: What is to be written or deleted.
        tool: The tool's name.
        title: What the user is asked.
        links: How many names the file has now.
    """
    pattern = path_pattern(change.path)
    reasons = []
    if pattern is None:
        reasons.append("It changes the settings of this assistant.")
    if links > 1:
        what = "This one alone goes." if change.after is None else "The others keep the old text."
        reasons.append(f"The file has {links} names (hard links). {what}")
    return Proposal(
        id=uuid4().hex,
        kind=change.kind,
        tool=tool,
        title=title,
        path=change.path,
        old_text=_shown_text(change.path, change.before),
        new_text=_shown_text(change.path, change.after),
        editable=change.after is not None and sniff(change.after) is None,
        reason=" ".join(reasons),
        pattern=pattern,
    )


def unusable(question: Proposal, decision: Decision) -> str:
    """Return why a decision to apply something else than was proposed cannot be followed."""
    if decision.text is not None and not question.editable:
        return "its text was changed, which is not possible here"
    if decision.hunks is None:
        return ""
    if question.kind != "edit" or not question.editable:
        return "only a part of it was chosen, which is not possible here"
    count = len(hunks(question.old_text, question.new_text))
    if any(not 1 <= number <= count for number in decision.hunks):
        return f"changes were chosen that there are not: {decision.hunks} of {count}"
    return ""


def as_decided(change: Change, question: Proposal, decision: Decision) -> Change:
    """Return what is left of a change, and with which text, after the user's decision.

    Raises:
        ToolError: "cancelled" when nothing is left of it; "validation" for a text that is none.
    """
    as_proposed = decision.hunks is None and decision.text is None
    if as_proposed or change.after is None or sniff(change.after) is not None:
        return change
    after = change.after
    if decision.hunks is not None:
        after = _partly(change, question, decision.hunks)
    if decision.text is not None and decision.text != _shown_text(change.path, after):
        after = TextFile(change.path, after, 0).rewritten(decision.text)
    if after == change.before:
        raise ToolError("cancelled", f"The user left {change.path} as it is.", rejected=True)
    return change.model_copy(update={"after": after})


def _partly(change: Change, question: Proposal, numbers: tuple[int, ...]) -> bytes:
    """Return the file's bytes with only some of the changes made.

    The question compares lines without regard to their ends; here each comes with its own.
    """
    found = hunks(question.old_text, question.new_text)
    before, after = change.before or b"", change.after or b""
    if not numbers:
        return before
    if len({*numbers}) == len(found):
        return after
    old, new = (TextFile(change.path, data, 0) for data in (before, after))
    made = chosen(lines(old.text), lines(new.text), found=found, numbers=numbers)
    return old.bom + "".join(made).encode()


def _shown_text(path: str, data: bytes | None) -> str | None:
    if data is None:
        return None
    if reason := sniff(data):
        return f"({len(data)} bytes, {reason})\n"
    return TextFile(path, data, 0).text.replace("\r\n", "\n")
