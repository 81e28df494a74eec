"""The part of a proposed text that the user edits: what is changed and the lines around it."""

from collections.abc import Sequence
from itertools import groupby, takewhile
from typing import NamedTuple, Self

from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.views import diff
from ipuaro_jupyter.views.diffs.diff_cut import TERMINAL, cut, left_out
from ipuaro_jupyter.views.hunks import CONTEXT_LINES, Hunk, hunks
from ipuaro_jupyter.views.markup import element, escape
from ipuaro_jupyter.views.proposal import as_diff

WHOLE_LINES = 40
SURROUNDINGS = 10


class TypedEdit(NamedTuple):
    """What a page shows while the user types."""

    html: str
    """The changes of the file as they would be made."""
    unseen: int
    """How many changed lines of a long diff are left out."""
    marks: dict[str, list[int]]
    """Lines of the edited text, 1-based: those that come, and those above which some are gone."""


class EditedRegion(NamedTuple):
    """The editable part of a text, between a beginning and an end that stay unchanged."""

    before: str
    text: str
    after: str
    note: str
    changed: int = 1
    """The line of ``text`` with the first change, 1-based."""

    @property
    def first(self) -> int:
        """The number in the file of the first line of ``text``."""
        return self.before.count("\n") + 1

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
            what = proposal.part or proposal.path or "the text"
            return cls("", new, "", f"All of {what}", changed)
        first = max(1, touched[0] + CONTEXT_LINES - SURROUNDINGS)
        last = min(len(lines), touched[-1] - CONTEXT_LINES + SURROUNDINGS)
        return cls(
            "".join(lines[: first - 1]),
            "".join(lines[first - 1 : last]),
            "".join(lines[last:]),
            f"Lines {first}\u2013{last} of {len(lines)}; the others stay as they are",
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

    def shown(self, proposal: Proposal, text: str) -> TypedEdit:
        """The change of the file with ``text`` in place of the region; nothing for a message."""
        asked = as_diff(proposal)
        if asked is None:
            return TypedEdit("", 0, {"come": [], "gone": []})
        new = self.with_text(text)
        made = asked.model_copy(
            update={"new": self.before + self.text + self.after if new is None else new}
        )
        found = hunks(made.old, made.new)
        unseen = left_out(found, cut(found, TERMINAL)).total
        remark = element("div", escape(diff.heading_text(made)), class_="ipuaro-note")
        drawn = diff.lines_html(made, limit=TERMINAL) if found else ""
        return TypedEdit(remark + drawn, unseen, _marks(found, self.first, len(_lines(text))))


def _marks(found: Sequence[Hunk], first: int, count: int) -> dict[str, list[int]]:
    """The changed lines of the edited text, whose first line is ``first`` in the file."""
    come: list[int] = []
    gone: list[int] = []
    for hunk in found:
        line = (next((row.new for row in hunk.rows if row.new is not None), 1) or 1) - 1
        rows = groupby(hunk.rows, key=lambda row: row.sign == " ")
        for is_same, group in rows:
            block = list(group)
            added = [row.new for row in block if row.new is not None]
            if not is_same:
                come += added
                gone += [] if added else [line + 1]
            line = added[-1] if added else line
    marks = {"come": come, "gone": gone}
    return {
        kind: [number - first + 1 for number in numbers if first <= number < first + max(1, count)]
        for kind, numbers in marks.items()
    }


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
