"""What the user is asked about a change of a file, and what the answer makes of it."""

from uuid import uuid4

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, Proposal
from ipuaro_jupyter.workspace.approval import path_pattern
from ipuaro_jupyter.workspace.text_file import TextFile, sniff


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


def edited(change: Change, text: str) -> Change:
    """Return the change with the text that the user wrote in place of the proposed one.

    Raises:
        ToolError: "cancelled" when the user took everything back; "validation" for no text.
    """
    if change.after is None or sniff(change.after) is not None:
        return change
    after = TextFile(change.path, change.after, 0).rewritten(text)
    if after == change.before:
        raise ToolError("cancelled", f"The user put {change.path} back to what it was.")
    return change.model_copy(update={"after": after})


def _shown_text(path: str, data: bytes | None) -> str | None:
    if data is None:
        return None
    if reason := sniff(data):
        return f"({len(data)} bytes, {reason})\n"
    return TextFile(path, data, 0).text.replace("\r\n", "\n")
