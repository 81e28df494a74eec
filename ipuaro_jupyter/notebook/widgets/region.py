"""The part of a proposed text that the user edits: all of a short one, else around the change."""

from itertools import takewhile
from typing import NamedTuple, Self

from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.views.hunks import Hunk, hunks

WHOLE_LINES = 200


class EditedRegion(NamedTuple):
    """The editable part of a text, between a beginning and an end that stay unchanged."""

    before: str
    text: str
    after: str
    note: str
    changed: int = 1
    """The line of ``text`` with the first change, 1-based."""

    @property
    def can_be_typed(self) -> bool:
        """Whether a text field of a page preserves the text: it has only newlines."""
        return self.text == _typed(self.text)

    @classmethod
    def of(cls, proposal: Proposal) -> Self:
        """The editable part: a commit's message, or the new text of a file."""
        if proposal.kind == "commit":
            return cls("", proposal.message or "", "", "Commit message")
        new = proposal.new_text or ""
        lines = _lines(new)
        found = hunks(proposal.old_text, new)
        touched = [row.new for hunk in found for row in hunk.rows if row.new is not None]
        changed = _first_changed(found[0]) if found else 1
        if len(lines) <= WHOLE_LINES or not touched:
            return cls("", new, "", f"All of {proposal.path or 'the text'}", changed)
        first, last = touched[0], touched[-1]
        return cls(
            "".join(lines[: first - 1]),
            "".join(lines[first - 1 : last]),
            "".join(lines[last:]),
            f"Lines {first}\u2013{last} of {len(lines)}; the others stay as proposed",
            changed - first + 1,
        )

    def with_text(self, text: str) -> str | None:
        """The whole with ``text`` in place of the region; None when it is unchanged.

        A region that lost its final newline gets it back when lines follow.
        """
        text = _typed(text)
        if text == _typed(self.text):
            return None
        if self.after and text and not text.endswith("\n"):
            text += "\n"
        return self.before + text + self.after


def _first_changed(hunk: Hunk) -> int:
    """The changed line in the new text; after a mere deletion, the line that follows it."""
    before = list(takewhile(lambda row: row.sign == " ", hunk.rows))
    return (before[-1].new or 0) + 1 if before else 1


def _typed(text: str) -> str:
    """The text with the line ends that a text field of a page produces."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _lines(text: str) -> list[str]:
    """Split on newlines only, line ends kept."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
